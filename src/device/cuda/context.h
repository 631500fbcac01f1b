// Context: the primary context of one CUDA device, and what has become of it.
#pragma once

#include "device/cuda/cubin_cache.h"
#include "device/cuda/driver_table.h"
#include "support/fork_gate.h"
#include "support/passage.h"

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

namespace treadle::cuda {

/// The driver's number of its device at that place. Throws DeviceError.
DeviceNumber deviceNumber(const DriverTable &driver, int ordinal);

/// Retained at the first use, as that takes a tenth of a second and hundreds of megabytes. Lives as long as the
/// process.
///
/// It is unusable once the driver has reported an error that ends it (`DeviceLost`, until a reset), and for ever in the
/// child of a fork, where the driver does not work.
class Context {
public:
  Context(const DriverTable &driver, int ordinal);
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  const DriverTable &driver;
  const int ordinal;
  const DeviceNumber device;

  /// Whether driver calls are of any use: what is freed in a lost context, or in the child of a fork, is gone already.
  bool isUsable() const { return state.load(std::memory_order_acquire) == State::Ready; }
  /// How often it was reset. Handles from before are void.
  uint64_t generation() const { return resets.load(std::memory_order_acquire); }

  /// For a call of the driver: passes Success; otherwise throws DeviceLost or DeviceError.
  void check(Result result, std::string_view operation) {
    if (result != Result::Success) [[unlikely]]
      fail(result, operation);
  }
  [[noreturn]] void fail(Result result, std::string_view operation);
  /// What a failed call means for the context, for callers that do not throw.
  void note(Result result, std::string_view operation);
  /// Throws DeviceLost if the context is lost.
  void checkAlive() const;

  /// Sets aside memory for the arrays that kernels make; 0: as much as the driver does on its own. Within a Current.
  /// Throws DeviceError where a kernel that makes arrays has run with another size.
  void giveHeap(uint64_t bytes);
  /// Sets aside a stack for each thread of kernels that recurse, whose need ptxas cannot know; 0: as the driver does.
  /// What other software has asked for is left where it is more. Within a Current.
  void giveStack(uint64_t bytes);

  /// Within a Current of this one.
  ContextHandle currentHandle() const { return handle; }
  /// Within a Current of another context: the handle of this one, which nobody resets before that Current ends. Null
  /// where it was reset since that generation, or is about to be.
  ContextHandle heldBeside(uint64_t expected) {
    return passage.isOpenToCaller() && generation() == expected ? enter() : nullptr;
  }

  /// Destroys everything in it; the next use makes it anew. Within a Passage::Closed.
  void reset();
  /// What each Current goes through: a reset closes it, so that nobody uses a handle that it makes void.
  Passage passage;

  CubinCache cubins;

private:
  friend class Current;
  enum class State : uint8_t { Closed, Ready, Lost, Forked };
  ContextHandle enter() {
    if (state.load(std::memory_order_acquire) != State::Ready) [[unlikely]]
      open();
    return handle;
  }
  void open();
  void judgeForeign(ContextHandle current);

  std::atomic<State> state{State::Closed};
  ContextHandle handle = nullptr; ///< written before `state` becomes Ready
  std::atomic<uint64_t> resets{0};
  std::atomic<ContextHandle> knownForeign{nullptr}; ///< of another device, and primary
  std::mutex opening;
  uint64_t heapBytes = 0; ///< guarded by `opening`, as the next ones
  uint64_t stackBytes = 0;
  std::string lostBy;
  Result lostResult = Result::Success;
  const AtForks atForks;
};

/// Makes a context the calling thread's while it lives. A thread that had none keeps it, as with CUDA's runtime; one
/// that has another device's gets that back. No reset comes in between.
class Current {
public:
  explicit Current(Context &context) : inside(context.passage), context(context), handle(context.enter()) {
    ContextHandle current = nullptr;
    context.check(context.driver.ctxGetCurrent(&current), "ask for the current context");
    if (current != handle) [[unlikely]]
      change(current);
  }
  /// For handles and memory of that generation. Throws DeviceError if the context was reset since.
  Current(Context &context, uint64_t generation) : Current(context) {
    if (context.generation() != generation) [[unlikely]]
      failReset();
  }
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;
  ~Current() {
    if (isPushed) [[unlikely]]
      context.driver.ctxPopCurrent(nullptr);
  }
  /// Another device's was current.
  bool hasPushed() const { return isPushed; }

private:
  /// Before all else, and until the end.
  struct Inside {
    explicit Inside(Passage &passage) : place(passage.enter()) {}
    Inside(const Inside &) = delete;
    Inside &operator=(const Inside &) = delete;
    ~Inside() { Passage::leave(place); }
    Passage::Place &place;
  };
  void change(ContextHandle current);
  [[noreturn]] static void failReset();

  const Inside inside;
  Context &context;

public:
  const ContextHandle handle;

private:
  bool isPushed = false;
};

/// While it lives, the calling thread may make calls that would otherwise end captures of streams, by whatever
/// software: allocate and free memory, load and unload modules, ask events.
class CaptureRelaxed {
public:
  explicit CaptureRelaxed(const DriverTable &driver)
      : driver(driver), result(driver.threadExchangeCaptureMode(&mode)) {}
  CaptureRelaxed(const CaptureRelaxed &) = delete;
  CaptureRelaxed &operator=(const CaptureRelaxed &) = delete;
  ~CaptureRelaxed() {
    if (result == Result::Success)
      driver.threadExchangeCaptureMode(&mode);
  }
  /// Before calls that can be left out: throws DeviceError where they would end captures. Calls that give something
  /// back are made all the same.
  void check(Context &context, const std::string &operation) const { context.check(result, operation); }

private:
  const DriverTable &driver;
  CaptureMode mode = CaptureMode::Relaxed; ///< then the thread's own
  const Result result;
};

} // namespace treadle::cuda

// Context: the primary context of one CUDA device, and its state.
#pragma once

#include "device/cuda/driver/cubin_cache.h"
#include "device/cuda/driver/driver_table.h"
#include "support/asymmetric_gate.h"
#include "support/fork_gate.h"

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

namespace treadle::cuda {

/// The driver's handle of the device with that ordinal. Throws DeviceError.
DeviceNumber deviceNumber(const DriverTable &driver, int ordinal);

/// Retained at the first use, as that takes a tenth of a second and hundreds of megabytes. Lives as long as the
/// process.
///
/// It is unusable once the driver has reported a sticky error (`DeviceLost`, until a reset), and forever in the child
/// of a fork, where the driver does not work.
class Context {
public:
  Context(const DriverTable &driver, int ordinal);
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  const DriverTable &driver;
  const int ordinal;
  const DeviceNumber device;

  /// In the child of a fork whose parent may have used it.
  bool isForked() const { return state.load(std::memory_order_acquire) == State::Forked; }
  /// Whether driver calls make sense: in a lost context, or in the child of a fork, everything is freed already.
  bool isUsable() const { return state.load(std::memory_order_acquire) == State::Ready; }
  /// The number of resets. Handles from before the last one are void.
  uint64_t generation() const { return resets.load(std::memory_order_acquire); }

  /// For a driver call: passes Success; otherwise throws DeviceLost or DeviceError.
  void check(Result result, std::string_view operation) {
    if (result != Result::Success) [[unlikely]]
      fail(result, operation);
  }
  [[noreturn]] void fail(Result result, std::string_view operation);
  /// Records the effect of a failed call on the context, for callers that do not throw.
  void note(Result result, std::string_view operation);
  /// Throws DeviceLost if the context is lost, CudaSupportError in the child of a fork, where the device's locks may be
  /// held forever: call this, or `isUsable`, before taking one.
  void checkAlive() const;

  /// Sets the heap size for arrays that kernels make; 0: the driver's default. Within a Current. Throws DeviceError if
  /// a kernel that makes arrays has run with another size.
  void giveHeap(uint64_t bytes);
  /// Sets the stack size per thread for kernels that recurse, which ptxas cannot compute; 0: the driver's default. A
  /// larger size that other software has set is kept. Within a Current.
  void giveStack(uint64_t bytes);

  /// Within a Current of this one.
  ContextHandle currentHandle() const { return handle; }
  /// Within a Current of another context: the handle of this one, which cannot be reset before that Current ends. Null
  /// if it was reset since that generation, or is about to be.
  ContextHandle heldBeside(uint64_t expected) {
    return gate.isOpenToCaller() && generation() == expected ? enter() : nullptr;
  }

  /// Destroys everything in it; the next use recreates it. Within a AsymmetricGate::Closed.
  void reset();
  /// Entered by each Current: a reset closes it, so that no thread uses a handle that the reset voids.
  AsymmetricGate gate;

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
  std::atomic<ContextHandle> knownForeign{nullptr}; ///< another device's, known to be primary
  std::mutex opening;
  uint64_t heapBytes = 0; ///< guarded by `opening`, as the next ones
  uint64_t stackBytes = 0;
  std::string lostBy;
  Result lostResult = Result::Success;
  const AtForks atForks;
};

/// Makes a context the calling thread's current one for a scope. A thread that had none keeps it, as with CUDA's
/// runtime; one that had another device's gets that back. No reset happens in between.
class Current {
public:
  explicit Current(Context &context) : inside(context.gate), context(context), handle(context.enter()) {
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
  /// Another device's context was current.
  bool hasPushed() const { return isPushed; }

private:
  /// First member: entered before and left after all else.
  struct Inside {
    explicit Inside(AsymmetricGate &gate) : place(gate.enter()) {}
    Inside(const Inside &) = delete;
    Inside &operator=(const Inside &) = delete;
    ~Inside() { AsymmetricGate::leave(place); }
    AsymmetricGate::Slot &place;
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

/// For a scope, allows the calling thread calls that would otherwise invalidate stream captures of any software:
/// allocating and freeing memory, loading and unloading modules, querying events.
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
  /// Before optional calls: throws DeviceError if they would invalidate captures. Calls that free something are made
  /// regardless.
  void check(Context &context, const std::string &operation) const { context.check(result, operation); }

private:
  const DriverTable &driver;
  CaptureMode mode = CaptureMode::Relaxed; ///< then the thread's previous one
  const Result result;
};

} // namespace treadle::cuda

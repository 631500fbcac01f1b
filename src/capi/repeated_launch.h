// RepeatedLaunch: the launch of a kernel that a thread made last, so that the same one again need not be checked and
// packed.
#pragma once

#include "capi/objects.h"
#include "launch/arguments.h"
#include "memory/memory_block.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace treadle::capi {

class KernelCode;

/// Of one kernel and one thread.
///
/// The same handles mean the same arrays, as none is given out twice: what was checked of them still holds, and so do
/// the facts of the launch, and nobody else uses their memory. But they may be freed, or lost in a reset.
class RepeatedLaunch {
public:
  static constexpr size_t mostArguments = 16, mostBytes = 1024;

  explicit RepeatedLaunch(HandleValue kernel) : kernel(kernel) {}
  RepeatedLaunch(const RepeatedLaunch &) = delete;
  RepeatedLaunch &operator=(const RepeatedLaunch &) = delete;

  const HandleValue kernel;

  /// Whether that launch was made just now, bytes of unions that nobody reads included. `given` has a config's size.
  bool isSame(const treadle_launch_config &given, const treadle_argument *arguments, uint32_t argumentCount) const {
    return count == argumentCount && areEqual(&config, &given, sizeof config) &&
           areEqual(seen, arguments, count * sizeof *seen);
  }
  /// Notes that it was made.
  void note(const treadle_launch_config &given, std::span<const treadle_argument> arguments);
  /// Whether `block` and `use` are those of it, and its arrays can be used on that stream as they are.
  bool isReady(const Stream &stream) const;
  /// Makes it ready.
  void prepare(const ArgumentList &list, const LaunchConfig &checked, Stream &stream);

  LaunchConfig checked;
  alignas(16) char block[mostBytes]; ///< the parameters
  std::shared_ptr<SharedUse> use;    ///< of the arrays and the kernel; null: not ready
  KernelCode *code = nullptr;        ///< what is launched: of the kernel, or one behind it

private:
  /// Of whole words: so few that a call of memcmp costs more than comparing them.
  static bool areEqual(const void *left, const void *right, size_t bytes) {
    const auto *const a = static_cast<const char *>(left), *const b = static_cast<const char *>(right);
    uint64_t differs = 0;
    for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
      uint64_t x = 0, y = 0;
      std::memcpy(&x, a + at, sizeof x);
      std::memcpy(&y, b + at, sizeof y);
      differs |= x ^ y;
    }
    return differs == 0;
  }
  static_assert(sizeof(treadle_launch_config) % 8 == 0 && sizeof(treadle_argument) % 8 == 0);

  treadle_launch_config config{};
  static constexpr uint32_t none = ~uint32_t(0);
  uint32_t count = none; ///< of arguments; none, with a config of size 0: no launch was made, or one of too many
  treadle_argument seen[mostArguments];
  struct UsedArray {
    const std::atomic<HandleValue> *place; ///< of its handle
    HandleValue handle;
    const Buffer *buffer; ///< there while the handle is
  };
  std::vector<UsedArray> arrays;
};

/// Those of one thread. Threads that take its place keep them, as handles mean the same to all.
class RepeatedLaunches {
public:
  /// The calling thread's, within a Pin.
  static RepeatedLaunches &own() {
    RepeatedLaunches *const known = Pin::own->launches;
    return known ? *known : made();
  }

  /// One of them, for a launch. Null: the thread is in the middle of another launch, which has dropped something whose
  /// owner launches.
  class Use {
  public:
    Use(RepeatedLaunches &all, HandleValue kernel) : all(all), launch(all.isInUse ? nullptr : &all.of(kernel)) {
      all.isInUse |= launch != nullptr;
    }
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;
    ~Use() {
      if (launch)
        all.isInUse = false;
    }

  private:
    RepeatedLaunches &all;

  public:
    RepeatedLaunch *const launch;
  };

private:
  /// Kernels whose places are the same take turns in it.
  static constexpr size_t places = 32;
  static RepeatedLaunches &made();
  RepeatedLaunch &of(HandleValue kernel) {
    std::unique_ptr<RepeatedLaunch> &place = launches[kernel % places];
    if (!place || place->kernel != kernel) [[unlikely]]
      place = std::make_unique<RepeatedLaunch>(kernel);
    return *place;
  }

  std::unique_ptr<RepeatedLaunch> launches[places];
  bool isInUse = false;
};

/// What a repeated launch uses: one note says it for all of it. Only the thread whose launch it is notes.
class RepeatedOwners final : public LaunchOwners {
public:
  RepeatedOwners(SharedUse &use, LaunchOrigin &maker) : use(use), maker(maker) {}
  LaunchOrigin *origin() const override { return &maker; }
  void queued(const std::shared_ptr<StreamTimeline> &, uint64_t position) const override {
    use.position.noteAlone(position);
  }

private:
  SharedUse &use;
  LaunchOrigin &maker;
};

} // namespace treadle::capi

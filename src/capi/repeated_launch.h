// RepeatedLaunch: the launch of a kernel that a thread made last, so that the same one again need not be checked and
// packed.
#pragma once

#include "capi/objects.h"
#include "launch/arguments.h"
#include "memory/memory_block.h"

#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace treadle::capi {

class KernelCode;

/// Of one kernel and one thread.
///
/// The same handles mean the same arrays, as none is given out twice: what was checked of them still holds, and so do
/// the facts of the launch, but for what happens to memory: it is freed, lost in a reset, or used by others.
class RepeatedLaunch {
public:
  static constexpr size_t mostArguments = 16, mostBytes = 1024;

  explicit RepeatedLaunch(HandleValue kernel) : kernel(kernel) {}
  RepeatedLaunch(const RepeatedLaunch &) = delete;
  RepeatedLaunch &operator=(const RepeatedLaunch &) = delete;

  const HandleValue kernel;

  /// Whether that launch was made just now, bytes of unions that nobody reads included.
  bool isSame(const treadle_launch_config &given, std::span<const treadle_argument> arguments) const {
    return count == arguments.size() && std::memcmp(&config, &given, sizeof config) == 0 &&
           std::memcmp(seen, arguments.data(), arguments.size_bytes()) == 0;
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
  treadle_launch_config config{};
  size_t count = mostArguments + 1; ///< none was made
  treadle_argument seen[mostArguments];
  std::vector<unsigned> arrays; ///< places among the arguments
};

/// Those of one thread. Threads that take its place keep them, as handles mean the same to all.
class RepeatedLaunches {
public:
  /// The calling thread's, within a Pin.
  static RepeatedLaunches &own();

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
  RepeatedLaunch &of(HandleValue kernel) {
    std::unique_ptr<RepeatedLaunch> &place = launches[kernel % places];
    if (!place || place->kernel != kernel) [[unlikely]]
      place = std::make_unique<RepeatedLaunch>(kernel);
    return *place;
  }

  std::unique_ptr<RepeatedLaunch> launches[places];
  bool isInUse = false;
};

/// What a repeated launch uses: one note says it for all of it.
class RepeatedOwners final : public LaunchOwners {
public:
  RepeatedOwners(SharedUse &use, LaunchOrigin &maker) : use(use), maker(maker) {}
  LaunchOrigin *origin() const override { return &maker; }
  void queued(const std::shared_ptr<StreamTimeline> &, uint64_t position) const override {
    use.position.note(position);
  }

private:
  SharedUse &use;
  LaunchOrigin &maker;
};

} // namespace treadle::capi

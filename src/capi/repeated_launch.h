// RepeatedLaunch: the launch of a kernel that was made last, so that the same one again need not be checked and packed.
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

/// Of one kernel. One thread at a time uses it; others make their launches without it.
///
/// The same handles mean the same arrays, as none is given out twice: what was checked of them still holds, and so do
/// the facts of the launch, but for what happens to memory: it is freed, lost in a reset, or used by others.
class RepeatedLaunch {
public:
  static constexpr size_t mostArguments = 16, mostBytes = 1024;

  RepeatedLaunch() = default;
  RepeatedLaunch(const RepeatedLaunch &) = delete;
  RepeatedLaunch &operator=(const RepeatedLaunch &) = delete;

  /// The right to use it, as long as it lives; false: another thread has it.
  class Turn {
  public:
    explicit Turn(RepeatedLaunch &launch) : launch(launch), isMine(!launch.isTaken.exchange(true)) {}
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;
    ~Turn() {
      if (isMine)
        launch.isTaken.store(false, std::memory_order_release);
    }
    explicit operator bool() const { return isMine; }

  private:
    RepeatedLaunch &launch;
    const bool isMine;
  };

  // Within a Turn.

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
  KernelCode *code = nullptr;        ///< what is launched: the owner, or one behind it

private:
  std::atomic<bool> isTaken{false};
  treadle_launch_config config{};
  size_t count = mostArguments + 1; ///< none was made
  treadle_argument seen[mostArguments];
  std::vector<unsigned> arrays; ///< places among the arguments
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

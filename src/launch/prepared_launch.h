// PreparedLaunch: all that a launch needs which has been made before with the same arrays.
#pragma once

#include "launch/arguments.h"
#include "memory/memory_block.h"
#include "support/export.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace treadle {

struct Variant;

/// Made by Dispatcher::prepare. Valid as long as Dispatcher::isCurrent says so, and the arrays live.
struct PreparedLaunch {
  /// The largest block of parameters that is kept.
  static constexpr size_t maxBytes = 1024;

  const Variant *variant;
  Stream *stream;
  const Device *device; ///< the stream's
  uint64_t generation;  ///< of the device
  uint64_t clears;      ///< of the dispatcher
  /// What all the arrays' memory is used by: a launch notes its position once, however many arrays it has.
  std::shared_ptr<SharedUse> use;
  std::vector<char> block; ///< the parameters
};

/// One more launch of it.
///
/// In this order, as the last two are not copied together then: reading at once what was written as two waits.
struct PreparedCall {
  const LaunchConfig &config;
  const PreparedLaunch &prepared;
  const char *block; ///< of parameters, with the numbers of this launch
};

/// What a prepared launch uses.
class TREADLE_API PreparedOwners final : public LaunchOwners {
public:
  PreparedOwners(SharedUse &use, LaunchMaker &maker) : use(use), maker(maker) {}

  LaunchOrigin *origin() const override { return &maker; }
  void queued(const std::shared_ptr<StreamTimeline> &, uint64_t position) const override {
    use.position.noteAlone(position);
    maker.isUsed();
  }

private:
  SharedUse &use;
  LaunchMaker &maker;
};

} // namespace treadle

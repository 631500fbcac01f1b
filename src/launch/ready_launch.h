// ReadyLaunch: a launch whose kernel is known, and what becomes of it on its stream.
#pragma once

#include "launch/arguments.h"
#include "launch/overload.h"

#include <span>

namespace treadle {

/// Everything that a launch needs except its arguments.
struct ReadyLaunch {
  const Variant &variant;
  const LaunchConfig &config;
  Stream &stream;
  const LaunchOwners *owners;
  bool isKept = false; ///< for a graph
};

/// What a launch uses, where its place among the work of other streams is not the one that its stream gives it.
struct OrderedUses {
  const ArgumentList &arguments;
  std::span<const std::shared_ptr<Buffer>> captured;
  Stream *named; ///< where the launch runs on a producer's stream in its place, else null
};

/// The stream of the device that one other library works on in all of the arrays, so that nothing else has to be
/// ordered; else null.
Stream *onlyProducer(const ArgumentList &arguments, const Device &device);

/// `isOrdinary`: the stream's own order is all that `uses` needs. Throws what Stream::launch throws.
LaunchOutcome launchReady(const ReadyLaunch &ready, const OrderedUses &uses, bool isOrdinary, LaunchWatcher &watcher);

} // namespace treadle

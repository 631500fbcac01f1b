// Submission: a launch whose kernel is known, on its way to a stream.
#pragma once

#include "launch/arguments.h"
#include "launch/overload.h"

#include <span>

namespace treadle {

/// Everything that a launch needs except for its arguments.
struct Submission {
  const Variant &variant;
  const LaunchConfig &config;
  Stream &stream;
  const LaunchOwners *owners;
  bool isKept = false; ///< for a graph
};

/// The uses of a launch that its stream does not order by itself.
struct OrderedUses {
  const ArgumentList &arguments;
  std::span<const std::shared_ptr<Buffer>> captured;
  Stream *named; ///< the stream named by the program, if the launch runs on a producer's stream instead; else null
};

/// The device's stream on which one other library uses all of the arrays, so that no other ordering is needed; else
/// null.
Stream *onlyProducer(const ArgumentList &arguments, const Device &device);

/// `isOrdinary`: the stream orders all of `uses` by itself. Throws what Stream::launch throws.
LaunchOutcome submit(const Submission &submission, const OrderedUses &uses, bool isOrdinary, LaunchWatcher &watcher);

} // namespace treadle

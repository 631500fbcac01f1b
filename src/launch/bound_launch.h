// BoundLaunch: a launch with its arguments, made again and again with some of them exchanged in between.
#pragma once

#include "launch/dispatcher.h"
#include "launch/prepared_launch.h"

#include <memory>
#include <vector>

namespace treadle {

/// All functions are called with the host's lock. The arrays' objects are kept by the caller, as leaves point into
/// them.
class TREADLE_API BoundLaunch {
public:
  /// All three outlive it. `maker`: the launch's.
  BoundLaunch(Dispatcher &dispatcher, const ConfiguredLaunch &launch, LaunchMaker &maker)
      : dispatcher(dispatcher), launch(launch), maker(maker) {}
  BoundLaunch(const BoundLaunch &) = delete;
  BoundLaunch &operator=(const BoundLaunch &) = delete;
  ~BoundLaunch();

  /// After a launch with these arguments. It need not be read again, unless it has to be each time.
  void prepare(const ArgumentList &arguments);
  /// Whether `call` makes the launch; otherwise it has to be read.
  bool isReady() const { return prepared && dispatcher.isCurrent(*prepared, launch); }
  LaunchOutcome call(HostLock &host);
  /// The leaf at that place has another value. If its type and the facts of the launch are the same, the launch stays
  /// ready.
  void exchange(unsigned leaf, const ArgumentList &value);
  void forget();
  /// Whether a `call` runs, so that its arguments must be kept.
  bool isInUse() const { return inUse != 0; }

private:
  bool exchangeInPlace(unsigned leaf, const ArgumentList &value);
  void exchangeBuffer(unsigned leaf, const std::shared_ptr<Buffer> &buffer);
  unsigned usesOf(const Buffer *buffer) const;

  Dispatcher &dispatcher;
  const ConfiguredLaunch &launch;
  LaunchMaker &maker;
  std::unique_ptr<PreparedLaunch> prepared;
  const Overload *overload = nullptr; ///< of `prepared`
  std::vector<TypeToken> tokens;      ///< one for each leaf; empty: no leaf can be exchanged
  std::vector<ArgumentLeaf> leaves;
  std::vector<std::shared_ptr<Buffer>> buffers;         ///< of the leaves that are arrays
  unsigned inUse = 0;                                   ///< calls, which may have released the host's lock
  std::vector<std::unique_ptr<PreparedLaunch>> retired; ///< those that calls use
};

} // namespace treadle

// Queued work: what a launch is, what it keeps alive until it has run, and how its failure is raised.
#pragma once

#include "device/launch_config.h"
#include "device/stream_timeline.h"
#include "support/error.h"
#include "support/export.h"

#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace treadle {

class Device;
class Kernel;

enum class LaunchOutcome : uint8_t {
  Done,
  Queued,      ///< it runs asynchronously; failures are reported by the call that waits for it
  Captured,    ///< it was recorded into a graph
  MustBeKept,  ///< nothing was done: it would be recorded into a graph, and its uses are not kept alive yet
  Interrupted, ///< cancelled by the watcher, or by StreamTimeline::interrupt: the kernel's results are incomplete
};

/// Objects that must live until queued work has run. The device's own memory need not be among them: it is reused only
/// after its last use.
using HeldOwners = std::vector<std::shared_ptr<const void>>;

/// The maker of a launch, for QueuedFailure; keeps the kernel alive.
class LaunchOrigin {
public:
  /// Called on the stream's thread, before a failed launch counts as complete.
  virtual std::shared_ptr<const LaunchOrigin> hold() = 0;
  /// Raises the launch's failure in the host's own form. Called on the host thread that receives the failure.
  virtual void raise(const std::exception_ptr &failure) const = 0;

protected:
  ~LaunchOrigin() = default;
};

/// The owners of the objects that a launch uses. Called only if the launch does not run inline.
class LaunchOwners {
public:
  /// Lives until `launch` has returned and the point given to `queued` is complete.
  virtual LaunchOrigin *origin() const = 0;
  /// Receives the point at which the launch will have run: everything it uses must live until then.
  virtual void queued(const std::shared_ptr<StreamTimeline> &timeline, uint64_t position) const = 0;
  /// Keeps `origin` for a launch that is recorded into a graph.
  virtual std::shared_ptr<const void> captured() const { return nullptr; }

protected:
  ~LaunchOwners() = default;
};

struct LaunchRequest {
  const std::shared_ptr<Kernel> &kernel;
  const LaunchConfig &config;
  const void *parameters;     ///< a block of Image::parameters' layout, read before the launch returns
  const LaunchOwners *owners; ///< null: the launch uses the caller's memory, so it returns when it has run
  bool isKept = false;        ///< Stream::keepCaptured has received its uses
};

/// Memory that recorded work uses; keeps it alive.
class TREADLE_API CapturedMemory {
public:
  CapturedMemory() = default;
  CapturedMemory(const CapturedMemory &) = delete;
  CapturedMemory &operator=(const CapturedMemory &) = delete;
  virtual ~CapturedMemory();
  /// Throws DeviceError if it is unusable.
  virtual void checkAlive() const = 0;
  /// It is in use up to that point.
  virtual void use(const StreamPoint &point) const = 0;
};

/// The uses of work that was recorded into a graph: kept alive as long as the graph, or anything instantiated from it.
struct CapturedUses {
  HeldOwners owners;
  std::vector<std::shared_ptr<const CapturedMemory>> memory = {};
  /// Other devices that own the memory, with their generations.
  std::vector<std::pair<Device *, uint64_t>> peers = {};
  void add(const CapturedUses &more);
};

/// Queued work failed when it ran. Thrown by the next call that waits for its stream.
class TREADLE_API QueuedFailure : public Error {
public:
  QueuedFailure(std::exception_ptr failure, std::shared_ptr<const LaunchOrigin> origin);
  ~QueuedFailure() override;
  /// The first of several QueuedFailures, with the rest in `others`; null if there are none.
  static std::exception_ptr together(std::vector<std::exception_ptr> failures);

  const std::exception_ptr failure;                 ///< the exception of the work
  const std::shared_ptr<const LaunchOrigin> origin; ///< from LaunchOrigin::hold, if the work was a launch
  std::vector<std::exception_ptr> others;           ///< later failures reported with it: QueuedFailures
};

} // namespace treadle

// Device: what every device is, with its streams; its memory, its code and what only some can are parts.
#pragma once

#include "device/device_code.h"
#include "device/device_memory.h"
#include "device/device_parts.h"
#include "device/kernel.h"
#include "device/launch_config.h"
#include "device/memory_kind.h"
#include "device/peers.h"
#include "device/stream.h"
#include "device/stream_reports.h"
#include "support/error.h"
#include "support/export.h"
#include "support/fork_gate.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace treadle {

enum class DeviceAttribute : uint16_t;
struct Target;

/// An error has ended the device's context: nothing of the device can be used until it is reset.
class TREADLE_API DeviceLost : public DeviceError {
public:
  /// `cause`: the operation that showed the error, and the driver's words for it.
  DeviceLost(CudaResult result, std::string_view cause);
  ~DeviceLost() override;
};

/// There is no CUDA driver, no GPU, or none that can be used.
class TREADLE_API CudaSupportError : public Error {
public:
  using Error::Error;
  ~CudaSupportError() override;
};

/// How a launch passes arrays in pageable memory of the host.
enum class HostArrays : uint8_t {
  InPlace, ///< kernels use them where they are
  Staged,  ///< they are copied to the device before the launch and back after it
};

/// One executor: what it is, its streams, and its parts. It outlives everything made from it: streams, kernels, memory.
class TREADLE_API Device {
public:
  Device(const LaunchLimits &limits, const DeviceParts &parts, HostArrays hostArrays = HostArrays::InPlace);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  virtual ~Device();

  const DeviceParts parts;
  DeviceMemory &memory() const { return parts.memory; }
  DeviceCode &code() const { return parts.code; }

  /// What kind of device it is, as users read it: "CPU".
  virtual std::string kind() const = 0;
  virtual std::string name() const = 0;
  /// "GPU-" and 32 digits, as the CUDA driver has it; empty: it has none.
  virtual std::string uuid() const { return {}; }
  /// What users are told of it besides its name, its compute capability and its identity: names with values.
  virtual std::vector<std::pair<std::string, std::string>> details() const { return {}; }
  /// TraceTrack::device of its streams.
  const void *traceKey() const { return reports.get(); }
  const LaunchLimits &limits() const { return launchLimits; }
  HostArrays hostArrays() const { return policy; }
  /// The target that its images are compiled for; constant.
  virtual Target target() const = 0;
  virtual int64_t attribute(DeviceAttribute attribute) const = 0;
  /// Compute capability times ten: what kernels compiled for this device may ask for.
  virtual unsigned computeCapability() const = 0;
  /// Whether its streams are those of other libraries as well, which know them by their handles.
  bool sharesStreams() const { return parts.selection != nullptr; }
  /// The legacy default stream.
  virtual Stream &defaultStream() = 0;
  /// The default stream of the calling thread.
  virtual std::shared_ptr<Stream> threadStream() = 0;
  /// The stream that replaces both on the calling thread, as it captures a graph there; null: they are themselves.
  Stream *captureStream() {
    return diversions.load(std::memory_order_relaxed) == 0 ? nullptr : captureStreamOf(std::this_thread::get_id());
  }
  /// The same as seen from a default stream's own work: null also for the capture stream itself.
  bool isCapturedElsewhere(const StreamTimeline &of) {
    const Stream *const other = captureStream();
    return other && other->timeline() != &of;
  }
  /// From now on `stream` replaces the calling thread's default streams, until `endCaptureStream`. Calls nest. Both on
  /// that thread.
  void beginCaptureStream(std::shared_ptr<Stream> stream);
  void endCaptureStream(const Stream &stream);
  /// `isBlocking`: it and the legacy default stream wait for each other.
  virtual std::shared_ptr<Stream> makeStream(bool isBlocking) = 0;
  /// The living stream of makeStream with that handle; null if there is none.
  virtual std::shared_ptr<Stream> streamOf(uint64_t handle) = 0;
  /// Returns when everything queued on its streams has run. Throws QueuedFailure.
  virtual void synchronize(LaunchWatcher &watcher);
  /// The ends of all its streams that have unfinished work.
  virtual std::vector<StreamPoint> unfinished() = 0;
  /// Finds out how far its streams have come, for StreamPoint::isComplete. Called under no lock.
  virtual void noteProgress() noexcept {}
  /// The same, and for all devices that use its memory.
  void lookAtUses() noexcept;
  /// The unfinished work of all devices that use its memory.
  std::vector<StreamPoint> unfinishedOfUsers();
  /// The work of the legacy default stream that a thread of the host is running itself; no Buffer records it. As on
  /// CUDA, the host does not wait for work that other threads run on default streams of their own.
  virtual StreamPoint runningOnCaller() = 0;
  /// The failures on its streams that have not been reported, which counts as reporting them: a QueuedFailure, or null.
  std::exception_ptr takeFailures() { return reports->takeFailures(); }
  bool haveFailures() const { return reports->haveFailures(); }
  /// Milliseconds between two moments. Both were recorded on this device with their time, and are complete.
  virtual double elapsed(const EventPoint &begin, const EventPoint &end) const = 0;
  /// Whether its kernels can access memory of the other device, once `enablePeer` has let them. False for itself.
  bool canAccess(const Device &other) const { return parts.peers && parts.peers->canAccess(other); }
  /// From now on, until one of the two is reset, its kernels may access the other device's memory. Throws DeviceError:
  /// PeerAccessUnsupported, or PeerAccessAlreadyEnabled, where it is enabled all the same.
  void enablePeer(Device &peer);
  /// Whether its kernels may access memory of that kind that the other device has allocated.
  bool reaches(const Device &other, MemoryKind kind) const {
    return &other == this || (kind != MemoryKind::Device && reachesHostMemoryOf(other)) || peers.areEnabled(other);
  }
  /// Whether its streams can copy from the other device's own memory.
  bool copiesFrom(const Device &other) const { return parts.peers && parts.peers->copiesFrom(other); }
  /// Before work on its streams uses memory of the other device, whose `lookAtUses` and `reset` know of it then.
  void usesMemoryOf(Device &other) { other.peers.noteUser(*this); }
  /// Counters of its work by name, for tests and benchmarks.
  virtual std::map<std::string, uint64_t> figures() const = 0;

  /// As the ResetGate's: null where it has none, and a reset may wait for the host's lock.
  std::shared_ptr<const void> closeToOthers() { return parts.resets ? parts.resets->closeToOthers() : nullptr; }
  /// While it exists, other threads' resets wait. Not to be held while waiting for anything but the device.
  class NoReset {
  public:
    explicit NoReset(Device &device) : gate(device.parts.resets), place(gate ? gate->holdResets() : nullptr) {}
    NoReset(const NoReset &) = delete;
    NoReset &operator=(const NoReset &) = delete;
    ~NoReset() {
      if (gate)
        gate->letReset(place);
    }

  private:
    ResetGate *const gate;
    void *const place;
  };
  /// Whether a reset makes void what other threads may be about to use, so that it must hold the host's lock.
  bool resetsMemory() const { return parts.resets != nullptr; }
  /// Ends all streams but the default ones after their queued work; any later use of them throws. Called within
  /// `closeToOthers`.
  void reset();
  /// The number of resets so far: objects made in an earlier generation are unusable.
  uint64_t generation() const { return resets.load(std::memory_order_relaxed); }

protected:
  /// From now on, queueing work on streams other than the default ones throws failRetiredStream's error.
  virtual void retireStreams() = 0;
  /// All work has ended: a device that owns its memory and modules takes them back.
  virtual void endGeneration() {}
  [[noreturn]] static void failOutOfMemory(size_t bytes);

  /// Of its streams, which share it with what runs their work.
  const std::shared_ptr<StreamReports> reports;

private:
  bool reachesHostMemoryOf(const Device &other) const { return parts.peers && parts.peers->reachesHostMemoryOf(other); }
  Stream *captureStreamOf(std::thread::id thread);
  void awaitUsers();
  void beginChild();

  struct ThreadCapture {
    std::thread::id thread;
    std::shared_ptr<Stream> stream;
  };
  std::atomic<size_t> diversions{0}; ///< size of `captureStreams`
  ForkMutex capturing;
  std::vector<ThreadCapture> captureStreams; ///< guarded by `capturing`
  const LaunchLimits launchLimits;
  const HostArrays policy;
  std::atomic<uint64_t> resets{0};
  Peers peers{*this};
  const AtForks atForks{this, {.inChild = [](void *self) { static_cast<Device *>(self)->beginChild(); }}};
};

} // namespace treadle

// Waits for devices, resets, capture streams.
#include "device/device.h"

#include "support/clock.h"

#include <algorithm>
#include <fmt/core.h>
#include <mutex>
#include <new>
#include <string>
#include <utility>

namespace treadle {

DeviceLost::DeviceLost(CudaResult result, std::string_view cause)
    : DeviceError("use the device", result,
                  "an earlier error has ended everything on it (" + std::string(cause) +
                      "); cuda.close() or the device's reset() makes it usable again") {}
DeviceLost::~DeviceLost() = default;

CudaSupportError::~CudaSupportError() = default;

Device::Device(const LaunchLimits &limits, const DeviceParts &parts, HostArrays hostArrays)
    : parts(parts), reports(std::make_shared<StreamReports>()), launchLimits(limits), policy(hostArrays) {}

void Device::synchronize(LaunchWatcher &watcher) {
  if (diversions.load() != 0)
    failCaptured("wait for the device", adviceOnWaits);
  awaitPoints(unfinished(), watcher);
  reports->tellPrinted(watcher);
  if (const std::exception_ptr failure = takeFailures())
    std::rethrow_exception(failure);
}

void Device::reset() {
  resets.fetch_add(1);
  retireStreams();
  try {
    for (const StreamPoint &point : unfinished())
      point.wait();
  } catch (const DeviceLost &) {
    // Nothing runs any more; the reset makes the device usable again.
  }
  awaitUsers();
  endGeneration();
  reports->clear();
}

void Device::beginCaptureStream(std::shared_ptr<Stream> stream) {
  defaultStream().last().timeline->watch();
  threadStream()->last().timeline->watch();
  const std::lock_guard lock(capturing);
  captureStreams.push_back({std::this_thread::get_id(), std::move(stream)});
  diversions = captureStreams.size();
}

void Device::endCaptureStream(const Stream &stream) {
  std::shared_ptr<Stream> last; // dropped under no lock
  {
    const std::lock_guard lock(capturing);
    const auto found = std::ranges::find(captureStreams.rbegin(), captureStreams.rend(), &stream,
                                         [](const ThreadCapture &one) { return one.stream.get(); });
    if (found == captureStreams.rend())
      return;
    last = std::move(found->stream);
    captureStreams.erase(std::next(found).base());
    diversions = captureStreams.size();
  }
  defaultStream().last().timeline->unwatch();
  threadStream()->last().timeline->unwatch();
}

/// A child captures nothing, and what its parent's streams have to tell is told there. Streams that stood in are left
/// as they are: dropping one may take locks.
void Device::beginChild() {
  for (const ThreadCapture &one : captureStreams) {
    defaultStream().last().timeline->unwatch();
    if (one.thread == std::this_thread::get_id())
      threadStream()->last().timeline->unwatch();
  }
  new (&captureStreams) std::vector<ThreadCapture>;
  diversions = 0;
  reports->beginChild();
}

/// The latest of the thread's. It lives until its `endCaptureStream`, which the same thread calls.
Stream *Device::captureStreamOf(std::thread::id thread) {
  const std::lock_guard lock(capturing);
  const auto found = std::ranges::find(captureStreams.rbegin(), captureStreams.rend(), thread, &ThreadCapture::thread);
  return found == captureStreams.rend() ? nullptr : found->stream.get();
}

void Device::failOutOfMemory(size_t bytes) {
  throw DeviceError(fmt::format("allocate {} bytes", bytes), CudaResult::OutOfMemory, "out of memory");
}

Device::~Device() = default;

} // namespace treadle

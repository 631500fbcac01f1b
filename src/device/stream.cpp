// What streams without captures refuse, and captured ones.
#include "device/stream.h"

#include "device/device.h"
#include "device/graph.h"

#include <string>

namespace treadle {

Stream::~Stream() = default;

void failRetiredStream() {
  throw DeviceError("use a stream", CudaResult::ContextIsDestroyed,
                    "its device was reset after it was made: make a new one");
}

void failCaptured(std::string_view operation, std::string_view advice) {
  throw DeviceError(operation, CudaResult::StreamCaptureUnsupported,
                    "a stream is being captured into a graph, where nothing runs yet: " + std::string(advice));
}

/// The default implementations, for devices without graphs.
void Stream::beginCapture() {
  throw UsageError(UsageError::Kind::NotImplemented, "the " + device().kind() + " device has no graphs");
}

std::shared_ptr<Graph> Stream::endCapture() {
  beginCapture();
  return nullptr;
}
void Stream::keepCaptured(const CapturedUses &) { beginCapture(); }
void Stream::replay(const std::shared_ptr<Graph> &) { beginCapture(); }

} // namespace treadle

// Trace events of launches and copies.
#include "device/traced_call.h"

#include <algorithm>

namespace treadle {

void TracedCall::noteStream(const Stream &stream) {
  span.event->track = stream.timeline()->track();
  span.event->handle = stream.handle();
}

void TracedCall::noteShape(const LaunchConfig &config) {
  std::ranges::copy(config.grid, span.event->grid);
  std::ranges::copy(config.block, span.event->block);
  span.event->sharedBytes = config.sharedBytes;
}

void TracedCall::copies(const StridedCopy &copy) {
  if (!span.event) [[likely]]
    return;
  int64_t bytes = copy.itemBytes;
  for (const int64_t extent : copy.shape)
    bytes *= extent;
  noteCopy(uint64_t(bytes), copy.toLocation, copy.fromLocation);
}

void TracedCall::noteCopy(uint64_t bytes, Location to, Location from) {
  span.event->bytes = bytes;
  const bool isToDevice = to == Location::Device, isFromDevice = from == Location::Device;
  span.event->detail = isToDevice && isFromDevice ? R"("direction":"on the device")"
                       : isToDevice               ? R"("direction":"to the device")"
                       : isFromDevice             ? R"("direction":"to the host")"
                                                  : R"("direction":"on the host")";
}

} // namespace treadle

// TracedCall: a host's request to a stream, in traces.
#pragma once

#include "device/stream.h"
#include "support/export.h"
#include "support/trace.h"

#include <string_view>

namespace treadle {

/// Notes what its scope does. All of its functions do nothing while nothing is recorded.
class TracedCall {
public:
  TracedCall(const Stream &stream, TraceKind kind, std::string_view name) : span(kind, name) {
    if (span.event) [[unlikely]]
      noteStream(stream);
  }

  /// The number that correlates the call with the Run of what it queues.
  void at(uint64_t work) {
    if (span.event) [[unlikely]]
      span.event->work = work;
  }
  void launches(const LaunchConfig &config) {
    if (span.event) [[unlikely]]
      noteShape(config);
  }
  void copies(uint64_t bytes, Location to, Location from) {
    if (span.event) [[unlikely]]
      noteCopy(bytes, to, from);
  }
  void copies(const StridedCopy &copy);
  void fills(size_t bytes) {
    if (span.event) [[unlikely]]
      span.event->bytes = bytes;
  }
  void waitsFor(const StreamPoint &point) {
    if (span.event) [[unlikely]]
      span.event->other = point.timeline->track();
  }

private:
  TREADLE_API void noteStream(const Stream &stream);
  TREADLE_API void noteShape(const LaunchConfig &config);
  TREADLE_API void noteCopy(uint64_t bytes, Location to, Location from);

protected:
  TraceSpan span;
};

} // namespace treadle

// Trace files: a recording as JSON in Chrome's trace event format, for Perfetto and chrome://tracing.
#pragma once

#include "support/export.h"
#include "support/trace.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// A device that streams of the recording belong to.
struct TracedDevice {
  const void *key = nullptr; ///< TraceTrack::device
  unsigned ordinal = 0;
  std::string name;
  uint64_t liveBytes = 0; ///< allocated at the end
};

/// The metadata of a trace file.
struct TraceNames {
  std::vector<TracedDevice> devices;
  std::map<uint64_t, std::string> threads; ///< by TraceThread::thread; others keep the system's name
};

/// Passes the text on in pieces. Tracks: process 1 is the host, with its threads; processes 2 and on are the devices,
/// with their streams. Events are in the order of their beginning; on each track they are nested or disjoint; an arrow
/// leads from each call to the run that it caused.
TREADLE_API void writeTrace(const TraceRecording &recording, const TraceNames &names,
                            const std::function<void(std::string_view)> &write);

} // namespace treadle

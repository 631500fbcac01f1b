// TracedRun: work of a CPU device stream in traces.
#pragma once

#include "device/cpu/stream_queue.h"
#include "support/trace.h"

#include <string_view>

namespace treadle::cpu {

/// On the thread that runs the work; `label` empty: not traced. `position` 0: part of a graph's run.
class TracedRun {
public:
  TracedRun(const StreamQueue &queue, uint64_t position, std::string_view label) : span(TraceKind::Run, label) {
    if (!span.event) [[likely]]
      return;
    if (label.empty())
      span.event.reset();
    else
      span.event->track = queue.track(), span.event->work = position;
  }

private:
  TraceSpan span;
};

} // namespace treadle::cpu

// TracedRun: work of a stream of the CPU device while it runs, as traces show it.
#pragma once

#include "device/cpu/stream_queue.h"
#include "support/trace.h"

#include <string_view>

namespace treadle::cpu {

/// On whichever thread the work runs; `label` empty: nothing is noted. `position` 0: a part of the run of a graph.
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

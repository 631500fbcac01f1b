// TracedMemory: an allocation, or the end of one, as traces show it.
#pragma once

#include "memory/memory_resource.h"
#include "support/trace.h"

namespace treadle {

/// Notes what its block does to the allocation; of memory that others have lent, nothing. What traces count as live is
/// the sum of these.
class TracedMemory {
public:
  TracedMemory(TraceKind kind, const Device &device, const LiveAllocation &allocation)
      : allocation(allocation), span(kind, kind == TraceKind::Allocate ? "allocate" : "free") {
    if (span.event) [[unlikely]]
      begin(device);
  }
  TracedMemory(const TracedMemory &) = delete;
  TracedMemory &operator=(const TracedMemory &) = delete;
  ~TracedMemory() {
    if (span.event && span.event->kind == TraceKind::Allocate) [[unlikely]]
      noteBytes();
  }

private:
  void begin(const Device &device) {
    if (allocation.block && !allocation.block->isOwn())
      return span.event.reset();
    span.event->device = device.traceKey();
    // Of what is given back nothing may be left at the end.
    noteBytes();
  }

  /// None: the allocation has failed, or was lost before, which has counted as its end.
  void noteBytes() {
    const bool isOver = span.event->kind == TraceKind::Free &&
                        allocation.state.load(std::memory_order_relaxed) == LiveAllocation::State::Lost;
    if (!allocation.block || isOver)
      span.event->bytes = 0;
    else
      span.event->bytes = allocation.block->owner ? allocation.askedBytes : allocation.block->bytes;
  }

  const LiveAllocation &allocation;
  TraceSpan span;
};

} // namespace treadle

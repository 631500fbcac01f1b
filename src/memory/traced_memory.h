// TracedMemory: an allocation or a deallocation, as traces show it.
#pragma once

#include "memory/memory_resource.h"
#include "support/trace.h"

namespace treadle {

/// Notes what its scope does to the allocation; nothing for foreign memory. The live bytes in a trace are the sum of
/// these.
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
    // A freed allocation may be gone at the end of the scope.
    noteBytes();
  }

  /// Notes nothing if the allocation failed, or was lost before, which counted as its end.
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

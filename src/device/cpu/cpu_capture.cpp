// Recording streams, and replays of what they have recorded.
#include "device/cpu/cpu_capture.h"

#include "device/cpu/traced_run.h"
#include "support/error.h"

#include <algorithm>

namespace treadle::cpu {

void CpuGraph::run(const StreamQueue &queue, uint64_t position) {
  const std::lock_guard oneAtATime(running);
  for (const std::unique_ptr<QueuedWork> &work : works) {
    work->position = position;
    const TracedRun traced(queue, 0, work->label());
    try {
      work->run(queue.interruptMark());
    } catch (...) {
      queue.reports->addFailure(queue.name, position, work->origin);
    }
  }
}

CpuCapture::CpuCapture(const std::shared_ptr<StreamQueue> &origin)
    : thread(std::this_thread::get_id()), members{{origin, {0}}} {}

CpuCapture::~CpuCapture() = default;

/// Precondition: `stream` is a member of this capture.
CpuCapture::Member &CpuCapture::memberOf(const StreamQueue &stream) {
  const auto found = std::ranges::find(members, &stream, [](const Member &one) { return one.queue.get(); });
  TREADLE_CHECK(found != members.end());
  return *found;
}

void CpuCapture::add(const StreamQueue &stream, std::unique_ptr<QueuedWork> work) {
  const std::lock_guard lock(mutex);
  Member &member = memberOf(stream);
  works.push_back(std::move(work));
  ++member.clock[size_t(&member - members.data())];
}

void CpuCapture::keep(const CapturedUses &more) {
  const std::lock_guard lock(mutex);
  uses.add(more);
}

StreamPoint CpuCapture::record(const StreamQueue &stream) {
  const std::lock_guard lock(mutex);
  if (!points)
    points = std::make_shared<CpuCapturePoints>(weak_from_this());
  events.push_back(memberOf(stream).clock);
  return {points, events.size()};
}

void CpuCapture::join(const std::shared_ptr<StreamQueue> &stream, uint64_t event) {
  if (isAbandoned.load()) // in a forked child, where a thread of the parent may have held the lock
    failCapturedEvent("wait for an event");
  const std::lock_guard lock(mutex);
  const std::shared_ptr<CpuCapture> known = stream->capture();
  if (known && known.get() != this)
    failCaptured("wait for an event of another graph", "graphs have no edges to each other");
  if (!known) {
    stream->setCapture(shared_from_this());
    members.push_back({stream, {}});
    for (Member &one : members)
      one.clock.resize(members.size());
  }
  Clock &clock = memberOf(*stream).clock;
  const Clock &before = events.at(event - 1);
  for (size_t i = 0; i < before.size(); ++i)
    clock[i] = std::max(clock[i], before[i]);
}

void CpuCapture::leave() {
  for (const Member &member : members)
    member.queue->setCapture(nullptr);
}

std::shared_ptr<CpuGraph> CpuCapture::end(const StreamQueue &origin, Device &device) {
  const std::lock_guard lock(mutex);
  constexpr std::string_view operation = "end a capture";
  if (members.front().queue.get() != &origin)
    throw DeviceError(operation, CudaResult::StreamCaptureUnmatched, "it was begun on another stream: end it there");
  if (thread != std::this_thread::get_id())
    throw DeviceError(operation, CudaResult::StreamCaptureWrongThread, "it was begun on another thread: end it there");
  leave();
  const Clock &own = members.front().clock;
  for (size_t i = 0; i < members.size(); ++i)
    if (own[i] < members[i].clock[i])
      throw DeviceError(operation, CudaResult::StreamCaptureUnjoined,
                        "a stream that has joined the capture has work that its first stream does not wait for: "
                        "record an event after that work, and let the first stream wait for it");
  return std::make_shared<CpuGraph>(device, std::move(uses), std::move(works));
}

} // namespace treadle::cpu

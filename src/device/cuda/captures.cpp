// Which streams are captured, according to the driver, and references that the driver's graphs hold.
#include "device/cuda/captures.h"

#include "support/error.h"

#include <algorithm>
#include <utility>

namespace treadle::cuda {

std::shared_ptr<Capture> Captures::of(StreamHandle stream) {
  auto status = CaptureStatus::None;
  uint64_t id = 0;
  GraphHandle graph = nullptr;
  const Result result = context.driver.streamGetCaptureInfo(stream, &status, &id, &graph, nullptr, nullptr);
  if (result == Result::StreamCaptureImplicit)
    throw DeviceError("use the legacy default stream", CudaResult::StreamCaptureImplicit,
                      "it would wait for a blocking stream that is being captured into a graph: capture a stream that "
                      "is not blocking, or use another stream");
  context.check(result, "ask whether a stream is captured");
  if (status == CaptureStatus::None)
    return nullptr;
  return known(id, status == CaptureStatus::Active ? graph : nullptr);
}

std::shared_ptr<Capture> Captures::known(uint64_t id, GraphHandle graph) {
  const std::lock_guard lock(mutex);
  expect();
  std::erase_if(captures, [](const std::weak_ptr<Capture> &one) { return one.expired(); });
  if (graph)
    for (const std::weak_ptr<Capture> &one : captures)
      if (std::shared_ptr<Capture> found = one.lock(); found && found->id == id)
        return found;
  auto made = std::make_shared<Capture>(id, graph, context.generation());
  if (graph)
    captures.push_back(made);
  return made;
}

/// In a mode that does not restrict other threads.
std::shared_ptr<Capture> Captures::begin(StreamHandle stream) {
  context.check(context.driver.streamBeginCapture(stream, CaptureMode::ThreadLocal), "capture a stream");
  try {
    std::shared_ptr<Capture> made = of(stream);
    TREADLE_CHECK(made);
    made->isOwn = true;
    return made;
  } catch (...) {
    abandon(stream, context.generation());
    throw;
  }
}

/// The driver may have ended it, or have failed to.
void Captures::abandon(StreamHandle stream, uint64_t generation) noexcept {
  if (!context.isUsable())
    return;
  try {
    const Current current(context, generation);
    auto status = CaptureStatus::None;
    GraphHandle left = nullptr;
    const DriverTable &driver = context.driver;
    if (driver.streamGetCaptureInfo(stream, &status, nullptr, nullptr, nullptr, nullptr) == Result::Success &&
        status != CaptureStatus::None && driver.streamEndCapture(stream, &left) == Result::Success)
      context.note(driver.graphDestroy(left), "drop a graph");
  } catch (const Error &) {
    // The first error is the one to report.
  }
}

void Captures::keep(Capture &capture, const CapturedUses &uses) {
  if (capture.isOwn) {
    const std::lock_guard lock(capture.mutex);
    return capture.uses.add(uses);
  }
  if (!capture.graph)
    return;
  Kept *added = nullptr;
  {
    const std::lock_guard lock(mutex);
    kept.push_front(std::unique_ptr<Kept>(new Kept{*this, uses, {}}));
    kept.front()->place = kept.begin();
    added = kept.front().get();
  }
  UserObjectHandle object = nullptr;
  Result result = context.driver.userObjectCreate(&object, added, &Captures::release, 1, userObjectNoSync);
  if (result != Result::Success)
    release(added);
  else if (result = context.driver.graphRetainUserObject(capture.graph, object, 1, graphUserObjectMove);
           result != Result::Success)
    context.driver.userObjectRelease(object, 1);
  context.check(result, "keep what a captured launch uses");
}

/// Called by the driver, in which driver calls are forbidden, but owners make them when dropped.
void Captures::release(void *given) noexcept {
  auto *const kept = static_cast<Kept *>(given);
  Captures &owner = kept->owner;
  const std::lock_guard lock(owner.mutex);
  owner.unused.splice(owner.unused.end(), owner.kept, kept->place);
}

void Captures::dropUnused() noexcept {
  std::list<std::unique_ptr<Kept>> all;
  std::vector<std::shared_ptr<const void>> others;
  const std::lock_guard lock(mutex);
  all.swap(unused);
  others.swap(dropped);
}

std::shared_ptr<const void> Captures::droppedLater(std::shared_ptr<const void> what) {
  return {nullptr, [this, what = std::move(what)](std::nullptr_t) mutable {
            if (context.isForked())
              return; // dropped there, under no lock, together with this
            const std::lock_guard lock(mutex);
            dropped.push_back(std::move(what));
          }};
}

/// The driver may never call `release`, or call it later: the objects whose addresses it has stay, emptied.
void Captures::forget() {
  std::vector<CapturedUses> dropped;
  const std::lock_guard lock(mutex);
  for (const std::unique_ptr<Kept> &one : kept)
    dropped.push_back(std::exchange(one->uses, {}));
  captures.clear();
}

CudaGraph::CudaGraph(Device &device, Context &context, CapturedUses uses, Parts parts)
    : Graph(device, std::move(uses)), generation(context.generation()), parts(std::move(parts)), context(context) {}

CudaGraph::~CudaGraph() {
  if (!context.isUsable() || generation != context.generation())
    return;
  try {
    const Current current(context, generation);
    context.note(context.driver.graphExecDestroy(parts.exec), "end a graph");
  } catch (const Error &) {
    // The context is gone, and the graph with it.
  }
}

} // namespace treadle::cuda

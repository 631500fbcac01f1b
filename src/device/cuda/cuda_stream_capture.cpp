// Streams that are captured into graphs, and graphs on streams.
#include "border/image.h"
#include "device/cuda/captures.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/cuda_stream.h"
#include "support/error.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace treadle::cuda {

/// Nothing: the launch is not special, and takes the usual path.
std::optional<LaunchOutcome> CudaStream::launchWatched(const LaunchRequest &request) {
  if (owner.isDefaultStream(*place) && owner.isCapturedElsewhere(*place))
    return LaunchOutcome::MustBeKept;
  const std::shared_ptr<Capture> capture = place->capture();
  if (!capture)
    return std::nullopt;
  if (!request.isKept)
    return LaunchOutcome::MustBeKept;
  launchCaptured(request, *capture);
  return LaunchOutcome::Captured;
}

/// Its error record is read after each replay.
void CudaStream::launchCaptured(const LaunchRequest &request, Capture &capture) {
  const auto kernel = std::static_pointer_cast<const CudaKernel>(std::shared_ptr<Kernel>(request.kernel));
  const Current current(context, kernel->module->generation);
  kernel->prepareShared(request.config.sharedBytes);
  if (kernel->barrierOffset < 0) {
    submit(request, *kernel, request.parameters);
  } else {
    std::vector<char> block(kernel->image().parameters.size);
    std::memcpy(block.data(), request.parameters, block.size());
    const DevicePointer word = barrierWordFor(capture);
    std::memcpy(block.data() + kernel->barrierOffset, &word, sizeof word);
    submit(request, *kernel, block.data());
  }
  if (!kernel->errorRecord || !request.owners)
    return;
  const std::lock_guard lock(capture.mutex);
  if (std::ranges::find(capture.checked, kernel, &CheckedKernel::kernel) == capture.checked.end())
    capture.checked.push_back({kernel, request.owners->origin()});
}

/// For that launch only: the stream's own word counts launches outside the graph. Zeroed in the graph, so that a replay
/// does not depend on how the last one ended.
DevicePointer CudaStream::barrierWordFor(Capture &capture) {
  DevicePointer word = owner.takeBarrierWord();
  if (!word) {
    const CaptureRelaxed relaxed(context.driver);
    relaxed.check(context, "allocate a grid barrier");
    context.check(context.driver.memAlloc(&word, sizeof(uint32_t)), "allocate a grid barrier");
  }
  owner.captures.keep(capture, {{owner.keeperOf(word, context.generation())}});
  context.check(context.driver.memsetD8Async(word, 0, sizeof(uint32_t), place->options.handle), "make a grid barrier");
  return word;
}

void CudaStream::copyCaptured(const StridedCopy &copy, const HeldOwners *held) {
  constexpr std::string_view operation = "copy, and wait for that";
  if (!held || copy.toLocation == Location::Pageable || copy.fromLocation == Location::Pageable)
    failCaptured(operation, adviceOnCopies);
  if (copy.toLocation != Location::Device && copy.fromLocation != Location::Device)
    return run([kept = KeptCopy(copy)] { kept.run({}); });
  const CopyShape shape(copy);
  const bool isWithinDevice = copy.toLocation == copy.fromLocation;
  if (isWithinDevice && !shape.axes.empty() && !owner.loadsInCaptures())
    failCaptured("load the kernel for copies with strides", "copy before the capture, as CUDA drivers before 12.3 "
                                                            "cannot load kernels in one");
  const Current current(context);
  const TracedCopy traced(tracedPlace(), shape);
  queueCopy({context, owner.copyKernels, place->options.handle}, shape);
}

/// Called by the driver at each replay, as long as the graph keeps it alive.
void CudaStream::runCaptured(std::function<void()> function, Capture &capture) {
  const auto kept = std::make_shared<std::function<void()>>(std::move(function));
  auto call = [](void *data) { (*static_cast<std::function<void()> *>(data))(); };
  const Current current(context);
  owner.captures.keep(capture, {{kept}});
  const TracedCall traced(*this, TraceKind::Callback, "queue a callback");
  context.check(context.driver.launchHostFunc(place->options.handle, call, kept.get()), "queue a callback");
}

EventPoint CudaStream::recordCaptured(const std::shared_ptr<Capture> &capture) {
  const Current current(context);
  std::shared_ptr<const PooledEvent> event = place->home.events.take(false);
  context.check(context.driver.eventRecord(event->handle, place->options.handle), "record an event");
  const std::lock_guard lock(capture->mutex);
  std::shared_ptr<StreamTimeline> points = capture->points.lock();
  if (!points)
    capture->points = points = std::make_shared<CudaCapturePoints>(capture);
  capture->events.push_back(std::move(event));
  return {{std::move(points), capture->events.size()}, nullptr};
}

/// The stream joins that capture, unless it is a member.
void CudaStream::waitInCapture(const CudaCapturePoints &points, uint64_t position) {
  if (!place->options.handle)
    failCaptured("let the legacy default stream wait for an event of a graph", "use the stream that is captured");
  Capture &capture = *points.capture;
  const Current current(context);
  std::shared_ptr<const PooledEvent> event;
  {
    const std::lock_guard lock(capture.mutex);
    if (capture.isOver)
      failCapturedEvent("wait for an event");
    event = capture.events.at(position - 1);
    if (std::ranges::find(capture.joined, place) == capture.joined.end()) {
      capture.joined.push_back(place);
      place->watch();
    }
  }
  context.check(context.driver.streamWaitEvent(place->options.handle, event->handle, 0), "wait for another stream");
}

void CudaStream::beginCapture() {
  checkOpen();
  constexpr std::string_view operation = "capture a stream";
  if (!place->options.handle)
    throw DeviceError(operation, CudaResult::StreamCaptureImplicit, "the legacy default stream cannot be");
  const Current current(context);
  if (own || place->isCaptured())
    failCaptured(operation, "it is the one");
  // Later waits for earlier work can no longer record events.
  place->eventAt(place->lastPosition());
  own = owner.captures.begin(place->options.handle);
  own->joined.push_back(place);
  place->watch();
}

std::shared_ptr<Graph> CudaStream::endCapture() {
  const std::shared_ptr<Capture> capture = std::exchange(own, nullptr);
  if (!capture)
    throw DeviceError("end a capture", CudaResult::IllegalState, "the stream is not captured");
  std::vector<std::shared_ptr<Timeline>> joined;
  CapturedUses uses;
  CudaGraph::Parts parts{};
  {
    const std::lock_guard lock(capture->mutex);
    capture->isOver = true;
    joined.swap(capture->joined);
    std::swap(uses, capture->uses);
    parts.checked.swap(capture->checked);
  }
  for (const std::shared_ptr<Timeline> &one : joined)
    one->unwatch();
  const GraphHandle graph = takeGraph(capture->generation);
  const Current current(context, capture->generation);
  const DriverTable &driver = context.driver;
  Result result = driver.graphGetNodes(graph, nullptr, &parts.size);
  if (result == Result::Success)
    result = driver.graphInstantiate(&parts.exec, graph, 0);
  const Result dropped = driver.graphDestroy(graph);
  context.check(result, "make a graph");
  auto made = std::make_shared<CudaGraph>(owner, context, std::move(uses), std::move(parts));
  context.check(dropped, "drop a graph that was instantiated");
  return made;
}

/// Ends the driver's capture, even if that fails.
GraphHandle CudaStream::takeGraph(uint64_t captureGeneration) {
  try {
    const Current current(context, captureGeneration);
    GraphHandle graph = nullptr;
    context.check(context.driver.streamEndCapture(place->options.handle, &graph), "end a capture");
    return graph;
  } catch (const Error &) {
    owner.captures.abandon(place->options.handle, captureGeneration);
    throw;
  }
}

bool CudaStream::isCaptured() { return place->isCaptured(); }

void CudaStream::keepCaptured(const CapturedUses &uses) {
  const Current current(context);
  if (const std::shared_ptr<Capture> capture = place->capture())
    owner.captures.keep(*capture, uses);
}

void CudaStream::replay(const std::shared_ptr<Graph> &given) {
  checkOpen();
  const auto &graph = static_cast<const CudaGraph &>(*given);
  const Current current(context, graph.generation);
  const bool isCaptured = place->isCaptured();
  {
    const TracedWork traced(tracedPlace(), TraceKind::Replay, "graph");
    context.check(context.driver.graphLaunch(graph.parts.exec, place->options.handle), "replay a graph");
  }
  if (isCaptured)
    return;
  place->noteKernel("a graph");
  const std::shared_ptr<const void> kept = owner.captures.droppedLater(given);
  place->addEnding({.position = advance(), .owners = {kept}});
  for (const CheckedKernel &checked : graph.parts.checked) {
    const std::shared_ptr<const ErrorRecord> slot = owner.faultSlots.take();
    place->addEnding({.position = readRecord(*checked.kernel, slot),
                      .owners = {kept},
                      .verdict = [slot, kernel = checked.kernel] { throwFault(*slot, kernel->image()); },
                      .origin = checked.origin});
  }
}

} // namespace treadle::cuda

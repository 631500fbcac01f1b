// CpuStream: launches, copies, callbacks and events, run at once or queued.
#include "device/cpu/cpu_stream.h"

#include "border/image.h"
#include "device/cpu/cpu_capture.h"
#include "device/cpu/cpu_launch.h"
#include "device/cpu/traced_run.h"
#include "device/device.h"
#include "device/traced_call.h"
#include "support/clock.h"
#include "support/error.h"

#include <cstring>
#include <optional>

namespace treadle::cpu {

namespace {

/// A timestamp of the monotonic clock. Written before the event is complete, and read after that.
struct Moment final : EventState {
  uint64_t nanoseconds = 0;
};

/// Work that runs on its caller's thread.
class Begun {
public:
  Begun(StreamQueue &queue, uint64_t position, const Kernel * = nullptr) : queue(queue), position(position) {}
  Begun(const Begun &) = delete;
  Begun &operator=(const Begun &) = delete;
  ~Begun() { queue.complete(position); }

private:
  StreamQueue &queue;
  const uint64_t position;
};

/// The same while a recording is running.
class TracedBegun {
public:
  TracedBegun(StreamQueue &queue, uint64_t position, const Kernel *kernel)
      : begun(queue, position), traced(queue, position, kernel->title) {}

private:
  const Begun begun;
  const TracedRun traced; ///< ends before other threads see that the work has run
};

class QueuedLaunch final : public QueuedWork {
public:
  /// `end`: that of the waiting caller, or null.
  QueuedLaunch(StreamSet &set, const LaunchRequest &request, uint64_t inlineNanoseconds, LaunchEnd *end)
      : set(set), kernel(*request.kernel), config(request.config), inlineNanoseconds(inlineNanoseconds), end(end) {
    const size_t bytes = kernel.image().parameters.size;
    if (bytes > sizeof usualParameters)
      largeParameters = std::make_unique<char[]>(bytes);
    std::memcpy(parameters(), request.parameters, bytes);
    if (request.owners)
      origin = request.owners->origin();
  }

  void run(const std::atomic<uint64_t> &interrupted) override {
    if (end)
      return runForCaller({interrupted, position});
    LaunchEnd own;
    execute({interrupted, position}, own);
    if (!own.printed.empty())
      set.reports->print(own.printed);
    if (own.failure)
      std::rethrow_exception(own.failure);
  }
  std::string_view label() const override { return kernel.title; }

private:
  void runForCaller(const InterruptMark &mark) {
    try {
      execute(mark, *end);
    } catch (...) {
      end->failure = std::current_exception();
    }
  }

  void execute(const InterruptMark &mark, LaunchEnd &ended) {
    if (mark.isSet()) {
      ended.outcome = LaunchOutcome::Interrupted;
      return;
    }
    CpuLaunch launch(static_cast<const CpuKernel &>(kernel), config, parameters(), mark);
    launch.execute(set.pool, nullptr, inlineNanoseconds, ended);
  }

  StreamSet &set; ///< kept alive by the queue's thread
  const Kernel &kernel;
  const LaunchConfig config;
  char *parameters() { return largeParameters ? largeParameters.get() : usualParameters; }

  const uint64_t inlineNanoseconds;
  LaunchEnd *const end;
  std::unique_ptr<char[]> largeParameters;
  alignas(16) char usualParameters[256]; // last: its end is rarely used, and then its cache lines stay where they are
};

class QueuedFunction final : public QueuedWork {
public:
  explicit QueuedFunction(std::function<void()> function, const char *name = "")
      : function(std::move(function)), name(name) {}
  /// Only waits.
  explicit QueuedFunction(const StreamPoint &point) : function([] {}) { after.push_back(point); }
  /// Also when cancelled: it moves no data, and threads that wait for its event or callback must not hang.
  void run(const std::atomic<uint64_t> &) override { function(); }
  std::string_view label() const override { return name; }

private:
  const std::function<void()> function;
  const char *const name = "";
};

class QueuedCopy final : public QueuedWork {
public:
  QueuedCopy(const StridedCopy &copy, HeldOwners held, const char *name)
      : copy(copy), held(std::move(held)), name(name) {}
  void run(const std::atomic<uint64_t> &interrupted) override {
    const InterruptMark mark{interrupted, position};
    if (!mark.isSet())
      copy.run([&mark] { return !mark.isSet(); });
  }
  std::string_view label() const override { return name; }

private:
  const KeptCopy copy;
  const HeldOwners held;
  const char *const name;
};

} // namespace

uint64_t roomForBlocks(const Kernel &kernel, const LaunchConfig &config) {
  const Image &image = kernel.image();
  return residentBlocks(image, config.threadsPerBlock(), size_t(image.sharedBytes) + config.sharedBytes);
}

double millisecondsBetween(const EventState &begin, const EventState &end) {
  auto nanoseconds = [](const EventState &state) { return double(static_cast<const Moment &>(state).nanoseconds); };
  return (nanoseconds(end) - nanoseconds(begin)) / 1e6;
}

void CpuStream::checkLaunch(const LaunchRequest &request) const {
  const Kernel &kernel = *request.kernel;
  const LaunchConfig &config = request.config;
  checkSharedMemory(options.device.limits(), kernel.image().sharedBytes, config.sharedBytes);
  if (!kernel.image().isCooperative)
    return;
  const uint64_t limit = roomForBlocks(kernel, config);
  if (config.blocks() > limit)
    failTooManyBlocks(config, limit);
}

CpuStream::CpuStream(std::shared_ptr<StreamSet> set, std::shared_ptr<StreamQueue> queue, const Options &options)
    : set(std::move(set)), queue(std::move(queue)), options(options) {}

CpuStream::~CpuStream() {
  if (!options.isExternal)
    queue->close();
}

LaunchOutcome CpuStream::launch(const LaunchRequest &request, LaunchWatcher &watcher) {
  checkLaunch(request);
  if (queue->isWatched()) [[unlikely]]
    if (const std::optional<LaunchOutcome> outcome = launchWatched(request))
      return *outcome;
  if (Trace::isOn()) [[unlikely]]
    return launchTraced(request, watcher);
  // A caller that has to wait anyway runs the launch itself.
  if (options.isInline || !request.owners)
    if (const uint64_t position = set->tryBegin(*queue, options.kind)) [[likely]]
      return launchNow<Begun>(request, watcher, position);
  return launchLater(request, watcher, [](const StreamPoint &) {});
}

/// As `launch`, while a trace is recorded.
LaunchOutcome CpuStream::launchTraced(const LaunchRequest &request, LaunchWatcher &watcher) {
  TracedCall traced(*this, TraceKind::Launch, request.kernel->title);
  traced.launches(request.config);
  if (options.isInline || !request.owners)
    if (const uint64_t position = set->tryBegin(*queue, options.kind)) {
      traced.at(position);
      return launchNow<TracedBegun>(request, watcher, position);
    }
  return launchLater(request, watcher, [&](const StreamPoint &point) { traced.at(point.position); });
}

/// Nothing: the launch is not special, and takes the usual path.
std::optional<LaunchOutcome> CpuStream::launchWatched(const LaunchRequest &request) {
  const std::shared_ptr<CpuCapture> capture = queue->capture();
  if (!capture)
    return options.isInline && options.device.isCapturedElsewhere(*queue) ? std::optional(LaunchOutcome::MustBeKept)
                                                                          : std::nullopt;
  if (!request.isKept)
    return LaunchOutcome::MustBeKept;
  TracedCall traced(*this, TraceKind::Launch, request.kernel->title);
  traced.launches(request.config);
  capture->add(*queue, std::make_unique<QueuedLaunch>(*set, request, options.inlineNanoseconds, nullptr));
  return LaunchOutcome::Captured;
}

namespace {

/// Called once the launch counts as complete: the host may run arbitrary code on the text, even wait for this stream.
LaunchOutcome tell(const LaunchEnd &end, LaunchWatcher &watcher) {
  if (!end.printed.empty())
    watcher.printed(end.printed);
  if (end.failure)
    std::rethrow_exception(end.failure);
  return end.outcome;
}

} // namespace

template <typename Turn>
LaunchOutcome CpuStream::launchNow(const LaunchRequest &request, LaunchWatcher &watcher, uint64_t position) {
  LaunchEnd end;
  {
    const Turn turn(*queue, position, request.kernel.get());
    CpuLaunch launch(static_cast<const CpuKernel &>(*request.kernel), request.config, request.parameters,
                     {queue->interruptMark(), position});
    launch.execute(set->pool, &watcher, options.inlineNanoseconds, end);
    if (end.endedByHost)
      set->interrupt();
  }
  const LaunchOutcome outcome = tell(end, watcher);
  if (!request.owners)
    throwFailures();
  return outcome;
}

template <typename Note>
LaunchOutcome CpuStream::launchLater(const LaunchRequest &request, LaunchWatcher &watcher, const Note &note) {
  if (request.owners) {
    const StreamPoint point = submit<QueuedLaunch>(*set, request, options.inlineNanoseconds, nullptr);
    note(point);
    request.owners->queued(point.timeline, point.position);
    return LaunchOutcome::Queued;
  }
  LaunchEnd end;
  const StreamPoint point = submit<QueuedLaunch>(*set, request, options.inlineNanoseconds, &end);
  note(point);
  try {
    awaitOwn(point, watcher);
  } catch (const WaitInterrupted &) {
    if (!end.failure)
      end.outcome = LaunchOutcome::Interrupted;
  }
  const LaunchOutcome outcome = tell(end, watcher);
  throwFailures();
  return outcome;
}

void CpuStream::copy(const StridedCopy &copy, const HeldOwners *held, LaunchWatcher &watcher) {
  TracedCall traced(*this, TraceKind::Copy, "copy");
  traced.copies(copy);
  move({copy, held, "copy"}, traced, watcher);
}

void CpuStream::move(const Move &wanted, TracedCall &traced, LaunchWatcher &watcher) {
  const auto &[copy, held, name] = wanted;
  if (const std::shared_ptr<CpuCapture> capture = queue->capture()) {
    if (!held)
      failCaptured("copy, and wait for that", adviceOnCopies);
    return capture->add(*queue, std::make_unique<QueuedCopy>(copy, *held, name));
  }
  if (held)
    return traced.at(submit<QueuedCopy>(copy, *held, name).position);
  if (const uint64_t position = set->tryBegin(*queue, options.kind)) {
    traced.at(position);
    const Begun begun(*queue, position);
    const TracedRun run(*queue, position, name);
    copyOnCaller(copy, {queue, position}, watcher);
  } else {
    const StreamPoint point = submit<QueuedCopy>(copy, HeldOwners{}, name);
    traced.at(point.position);
    awaitOwn(point, watcher);
  }
  throwFailures();
}

/// A copy of one byte to many.
void CpuStream::fill(std::span<char> memory, uint8_t value, bool isQueued, LaunchWatcher &watcher) {
  const auto byte = std::make_shared<const char>(char(value));
  const int64_t shape[] = {int64_t(memory.size())}, toStrides[] = {1}, fromStrides[] = {0};
  const HeldOwners held{byte};
  TracedCall traced(*this, TraceKind::Fill, "fill");
  traced.fills(memory.size());
  move({{memory.data(), byte.get(), shape, toStrides, fromStrides, 1}, isQueued ? &held : nullptr, "fill"}, traced,
       watcher);
}

void CpuStream::run(std::function<void()> function) {
  TracedCall traced(*this, TraceKind::Callback, "queue a callback");
  if (const std::shared_ptr<CpuCapture> capture = queue->capture())
    return capture->add(*queue, std::make_unique<QueuedFunction>(std::move(function), "callback"));
  traced.at(submit<QueuedFunction>(std::move(function), "callback").position);
}

EventPoint CpuStream::record(bool withTime) {
  if (const std::shared_ptr<CpuCapture> capture = queue->capture())
    return {capture->record(*queue), nullptr};
  EventPoint event;
  const auto moment = withTime ? std::make_shared<Moment>() : nullptr;
  auto note = [moment] {
    if (moment)
      moment->nanoseconds = monotonicNanoseconds();
  };
  event.state = moment;
  if (const uint64_t position = set->tryBegin(*queue, options.kind)) {
    const Begun begun(*queue, position);
    note();
    event.point = {queue, position};
  } else {
    event.point = submit<QueuedFunction>(note);
  }
  return event;
}

void CpuStream::wait(const StreamPoint &point) {
  if (point.isComplete())
    return;
  if (const auto *const points = dynamic_cast<const CpuCapturePoints *>(point.timeline.get())) {
    const std::shared_ptr<CpuCapture> capture = points->capture.lock();
    return capture ? capture->join(queue, point.position) : failCapturedEvent("wait for an event");
  }
  if (dynamic_cast<const CapturePoints *>(point.timeline.get()))
    failCapturedEvent("wait for an event"); // of another kind of device
  if (isCaptured())
    return point.wait(); // graphs have no dependencies outside
  TracedCall traced(*this, TraceKind::StreamWait, "wait for another stream");
  traced.waitsFor(point);
  submit<QueuedFunction>(point);
}

void CpuStream::synchronize(LaunchWatcher &watcher) {
  if (isCaptured())
    failCaptured("wait for a stream", adviceOnWaits);
  std::vector<StreamPoint> unfinished;
  for (const std::shared_ptr<StreamQueue> &awaited : set->awaited(queue, options.kind))
    if (StreamPoint point = awaited->last(); !point.isComplete())
      unfinished.push_back(std::move(point));
  awaitPoints(unfinished, watcher);
  set->reports->tellPrinted(watcher);
  throwFailures();
}

void CpuStream::beginCapture() {
  if (options.kind == StreamSet::Kind::Legacy)
    throw DeviceError("capture a stream", CudaResult::StreamCaptureImplicit, "the legacy default stream cannot be");
  if (isCaptured())
    failCaptured("capture a stream", "it is the one");
  queue->setCapture(std::make_shared<CpuCapture>(queue));
}

std::shared_ptr<Graph> CpuStream::endCapture() {
  const std::shared_ptr<CpuCapture> capture = queue->capture();
  if (!capture)
    throw DeviceError("end a capture", CudaResult::IllegalState, "the stream is not captured");
  std::shared_ptr<Graph> graph = capture->end(*queue, options.device);
  if (queue->isRetired())
    failRetiredStream();
  return graph;
}

void CpuStream::keepCaptured(const CapturedUses &uses) {
  if (const std::shared_ptr<CpuCapture> capture = queue->capture())
    capture->keep(uses);
}

void CpuStream::replay(const std::shared_ptr<Graph> &graph) {
  auto own = std::static_pointer_cast<CpuGraph>(graph);
  TracedCall traced(*this, TraceKind::Replay, "graph");
  if (const std::shared_ptr<CpuCapture> capture = queue->capture())
    return capture->add(*queue, std::make_unique<QueuedGraph>(std::move(own), *queue));
  traced.at(submit<QueuedGraph>(std::move(own), *queue).position);
}

void CpuStream::throwFailures() {
  if (!set->reports->haveFailures()) [[likely]]
    return;
  std::vector<uint64_t> names;
  for (const std::shared_ptr<StreamQueue> &awaited : set->blockedBy(queue, options.kind))
    names.push_back(awaited->name);
  set->reports->throwFailures(names);
}

} // namespace treadle::cpu

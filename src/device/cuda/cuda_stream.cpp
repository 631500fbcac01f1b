// Streams in terms of driver calls.
#include "device/cuda/cuda_stream.h"

#include "border/image.h"
#include "device/cuda/cuda_device.h"
#include "support/error.h"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <utility>
#include <vector>

namespace treadle::cuda {

namespace {

DevicePointer addressOf(const char *memory) { return reinterpret_cast<uintptr_t>(memory); }

} // namespace

CudaStream::CudaStream(CudaDevice &owner, std::shared_ptr<Timeline> timeline, std::shared_ptr<OwnStream> own)
    : owner(owner), context(owner.context), place(std::move(timeline)), ownStream(std::move(own)) {}

/// The grid barrier's word can serve another stream once the queued work has run.
CudaStream::~CudaStream() {
  if (const DevicePointer word = gridBarrier.load(); word && context.isUsable())
    place->addEnding({place->lastPosition(), {owner.keeperOf(word, barrierGeneration.load())}});
}

Device &CudaStream::device() const { return owner; }

uint64_t CudaStream::handle() const { return reinterpret_cast<uintptr_t>(place->options.handle); }

/// On a stream that other software may destroy, a marker is recorded at once.
uint64_t CudaStream::advance() {
  const uint64_t position = place->advance();
  if (place->options.isExternal) [[unlikely]]
    place->mark(false);
  return position;
}

LaunchOutcome CudaStream::launch(const LaunchRequest &request, LaunchWatcher &watcher) {
  checkOpen();
  const auto &kernel = static_cast<const CudaKernel &>(*request.kernel);
  checkSharedMemory(owner.limits(), kernel.staticShared, request.config.sharedBytes);
  if (place->isWatched()) [[unlikely]]
    if (const std::optional<LaunchOutcome> outcome = launchWatched(request))
      return *outcome;
  if (kernel.errorRecord) [[unlikely]]
    return launchChecked(request, watcher);
  const uint64_t position = launchNow(request);
  if (!request.owners)
    return awaitLaunch({place, position}, watcher);
  request.owners->queued(timelineOfOwners, position);
  return LaunchOutcome::Queued;
}

uint64_t CudaStream::launchNow(const LaunchRequest &request) {
  const auto &kernel = static_cast<const CudaKernel &>(*request.kernel);
  const Current current(context, kernel.module->generation);
  kernel.prepareShared(request.config.sharedBytes);
  if (kernel.barrierOffset >= 0) [[unlikely]]
    return launchOnGrid(request, kernel);
  submit(request, kernel, request.parameters);
  return advance();
}

/// Passes the address of the barrier's word among the parameters.
uint64_t CudaStream::launchOnGrid(const LaunchRequest &request, const CudaKernel &kernel) {
  std::vector<char> block(kernel.image().parameters.size);
  std::memcpy(block.data(), request.parameters, block.size());
  const DevicePointer word = barrierWord();
  std::memcpy(block.data() + kernel.barrierOffset, &word, sizeof word);
  submit(request, kernel, block.data());
  // Threads ended by a failed check may not have been counted, which would throw off the next grid.
  if (kernel.errorRecord)
    context.check(context.driver.memsetD8Async(word, 0, sizeof(uint32_t), place->options.handle),
                  "reset a grid barrier");
  return advance();
}

DevicePointer CudaStream::barrierWord() {
  if (const DevicePointer known = gridBarrier.load(); known && barrierGeneration.load() == context.generation())
    return known;
  DevicePointer word = owner.takeBarrierWord();
  if (!word) {
    context.check(context.driver.memAlloc(&word, sizeof(uint32_t)), "allocate a grid barrier");
    context.check(context.driver.memsetD8Async(word, 0, sizeof(uint32_t), place->options.handle),
                  "make a grid barrier");
  }
  barrierGeneration = context.generation();
  gridBarrier = word;
  return word;
}

void CudaStream::submit(const LaunchRequest &request, const CudaKernel &kernel, const void *parameters) {
  LaunchAttribute attributes[2]; // the driver reads only the given number, and of each only what its id implies
  unsigned attributeCount = 0;
  const LaunchConfig &config = request.config;
  if (kernel.isCooperative) {
    attributes[attributeCount].id = cooperativeAttribute;
    attributes[attributeCount++].cooperative = 1;
  }
  if (config.hasCluster) [[unlikely]] {
    kernel.prepareCluster(config.blocksPerCluster());
    attributes[attributeCount].id = clusterAttribute;
    std::ranges::copy(config.cluster, attributes[attributeCount++].cluster);
  }
  const DriverLaunch launch{.grid = {config.grid[0], config.grid[1], config.grid[2]},
                            .block = {config.block[0], config.block[1], config.block[2]},
                            .sharedBytes = config.sharedBytes,
                            .stream = place->options.handle,
                            .attributes = attributes,
                            .attributeCount = attributeCount};
  size_t bytes = kernel.parameterBytes;
  void *extra[] = {parameterBlockKey, const_cast<void *>(parameters), parameterBytesKey, &bytes, nullptr};
  void **const block = bytes == 0 ? nullptr : extra;
  const Result result = Trace::isOn() ? launchTraced(request, launch, block)
                                      : context.driver.launchKernelEx(&launch, kernel.function, nullptr, block);
  if (result != Result::Success) [[unlikely]]
    failLaunch(result, request, kernel);
  place->noteKernel(kernel.name);
}

TracedWork::Place CudaStream::tracedPlace() const { return {owner.runTimes, *this, place->options.handle}; }

/// The driver's call, with trace events.
Result CudaStream::launchTraced(const LaunchRequest &request, const DriverLaunch &launch, void **extra) {
  TracedWork traced(tracedPlace(), TraceKind::Launch, request.kernel->title);
  traced.launches(request.config);
  const FunctionHandle function = static_cast<const CudaKernel &>(*request.kernel).function;
  return context.driver.launchKernelEx(&launch, function, nullptr, extra);
}

void CudaStream::failLaunch(Result result, const LaunchRequest &request, const CudaKernel &kernel) {
  const LaunchConfig &config = request.config;
  const std::string operation = "launch " + std::string(kernel.name);
  if (result == Result::CooperativeLaunchTooLarge)
    failTooManyBlocks(config, owner.cooperativeBlocks(kernel, config));
  if (result != Result::LaunchOutOfResources)
    context.fail(result, operation);
  const KernelAttributes has = kernel.attributes();
  throw DeviceError(
      operation, CudaResult(result),
      fmt::format(
          "{}: a block of {} threads needs more registers than a multiprocessor has, as each thread uses {}; blocks of "
          "this kernel can have {} threads: launch smaller ones, or limit the registers by jit(max_registers=...)",
          context.driver.describe(result), config.threadsPerBlock(), has.registers, has.maxThreads));
}

/// The position after the copy of the kernel's error record to `slot`. Within a Current.
uint64_t CudaStream::readRecord(const CudaKernel &kernel, const std::shared_ptr<const ErrorRecord> &slot) {
  const StreamHandle stream = place->options.handle;
  auto *const target = const_cast<ErrorRecord *>(slot.get());
  context.check(context.driver.memcpyDtoHAsync(target, kernel.errorRecord, sizeof *target, stream),
                "read the errors of " + std::string(kernel.name));
  context.check(context.driver.memsetD8Async(kernel.errorRecord, 0, sizeof *target, stream),
                "clear the errors of " + std::string(kernel.name));
  return advance();
}

/// The position after the launch and the copy of its error record to `slot`. If the copy fails, the launch has
/// completed.
uint64_t CudaStream::launchWithRecord(const LaunchRequest &request, std::shared_ptr<const ErrorRecord> &slot,
                                      LaunchWatcher &watcher) {
  const auto &kernel = static_cast<const CudaKernel &>(*request.kernel);
  try {
    const Current current(context, kernel.module->generation);
    slot = owner.faultSlots.take();
    launchNow(request);
    return readRecord(kernel, slot);
  } catch (const DeviceError &) {
    endFailed(kernel.module->generation, watcher);
    throw;
  }
}

/// Debug kernels on default streams report failures synchronously, as on the CPU device.
LaunchOutcome CudaStream::launchChecked(const LaunchRequest &request, LaunchWatcher &watcher) {
  const auto kernel = std::static_pointer_cast<const CudaKernel>(std::shared_ptr<Kernel>(request.kernel));
  std::shared_ptr<const ErrorRecord> slot;
  const uint64_t position = launchWithRecord(request, slot, watcher);
  const StreamPoint point{place, position};
  if (request.owners)
    request.owners->queued(timelineOfOwners, position);
  const bool isAwaited = !request.owners || owner.isDefaultStream(*place);
  if (!isAwaited) {
    place->addEnding({.position = position,
                      .verdict = [slot, kernel] { throwFault(*slot, kernel->image()); },
                      .origin = request.owners->origin()});
    return LaunchOutcome::Queued;
  }
  const LaunchOutcome outcome = awaitLaunch(point, watcher);
  if (outcome == LaunchOutcome::Done)
    throwFault(*slot, kernel->image());
  return outcome;
}

LaunchOutcome CudaStream::awaitLaunch(const StreamPoint &point, LaunchWatcher &watcher) {
  try {
    awaitPoints({&point, 1}, watcher);
  } catch (const WaitInterrupted &) {
    return LaunchOutcome::Interrupted;
  }
  tell();
  return LaunchOutcome::Done;
}

/// The driver's copies from and to pageable memory wait for the stream uninterruptibly, so the host waits for earlier
/// work itself.
void CudaStream::drain(LaunchWatcher &watcher) {
  context.checkAlive();
  std::vector<StreamPoint> before{last()};
  for (const std::shared_ptr<Timeline> &other : owner.waitedFor(*place))
    before.push_back({other, other->lastPosition()});
  std::erase_if(before, [](const StreamPoint &point) { return point.isComplete(); });
  if (!before.empty())
    awaitPoints(before, watcher);
}

/// A failed copy's uses are not recorded, so it must be over on return: the driver may have accepted some of its calls,
/// or all of them if the wait failed.
void CudaStream::copy(const StridedCopy &copy, const HeldOwners *held, LaunchWatcher &watcher) {
  checkOpen();
  if (place->isCaptured()) [[unlikely]]
    return copyCaptured(copy, held);
  const CopyShape shape(copy);
  const uint64_t now = context.generation();
  try {
    held ? copyQueued(shape, now, *held) : copyNow(shape, now, watcher);
  } catch (const DeviceError &) {
    endFailed(now, watcher);
    throw;
  }
}

/// `now`: the generation of the memory, here and below.
void CudaStream::copyQueued(const CopyShape &shape, uint64_t now, const HeldOwners &held) {
  {
    const Current current(context, now);
    const TracedCopy traced(tracedPlace(), shape);
    queueCopy({context, owner.copyKernels, place->options.handle}, shape);
  }
  const uint64_t position = advance();
  if (!held.empty())
    place->addEnding({position, held});
}

/// If this fails, too, the only remedy is to keep page-locked memory page-locked.
void CudaStream::endFailed(uint64_t now, LaunchWatcher &watcher) noexcept {
  place->home.unawaited.note();
  if (!context.isUsable())
    return;
  try {
    watcher.onLongCall();
    const Current current(context, now);
    context.note(context.driver.streamSynchronize(place->options.handle), "wait for what failed");
  } catch (const Error &) {
    // The copy's own error is the one to report.
  }
}

/// In pieces, so that the host can cancel it.
void CudaStream::copyNow(const CopyShape &shape, uint64_t now, LaunchWatcher &watcher) {
  constexpr int64_t longCopy = 64 << 10, pieceBytes = 16 << 20;
  const bool isLong = shape.bytes() > longCopy;
  if (isLong || shape.toLocation != Location::Device)
    drain(watcher);
  if (isLong)
    watcher.onLongCall();
  HostLook look(watcher, LaunchWatcher::Activity::Work);
  const bool isWhole = forEachPiece(shape, pieceBytes, [&](const CopyShape &piece) {
    if (!look.shouldContinue())
      return false;
    const Current current(context, now);
    const TracedCopy traced(tracedPlace(), piece);
    queueCopy({context, owner.copyKernels, place->options.handle}, piece);
    return true;
  });
  await(advance(), watcher);
  if (!isWhole)
    throw WaitInterrupted();
}

void CudaStream::fill(std::span<char> memory, uint8_t value, bool isQueued, LaunchWatcher &watcher) {
  if (memory.empty())
    return;
  checkOpen();
  const bool isCaptured = place->isCaptured();
  if (isCaptured && !isQueued)
    failCaptured("fill memory, and wait for that", adviceOnWaits);
  const uint64_t now = context.generation();
  {
    const Current current(context, now);
    TracedWork traced(tracedPlace(), TraceKind::Fill, "fill");
    traced.fills(memory.size());
    context.check(context.driver.memsetD8Async(addressOf(memory.data()), value, memory.size(), place->options.handle),
                  "fill " + std::to_string(memory.size()) + " bytes");
  }
  if (isCaptured)
    return;
  const uint64_t position = advance();
  if (isQueued)
    return;
  try {
    await(position, watcher);
  } catch (const DeviceError &) {
    endFailed(now, watcher);
    throw;
  }
}

void CudaStream::run(std::function<void()> function) {
  if (const std::shared_ptr<Capture> capture = place->capture())
    return runCaptured(std::move(function), *capture);
  auto kept = std::make_unique<std::function<void()>>(std::move(function));
  auto call = [](void *data) {
    const std::unique_ptr<std::function<void()>> owned(static_cast<std::function<void()> *>(data));
    (*owned)();
  };
  const Current current(context);
  checkOpen();
  const TracedCall traced(*this, TraceKind::Callback, "queue a callback");
  context.check(context.driver.launchHostFunc(place->options.handle, call, kept.get()), "queue a callback");
  kept.release(); // NOLINT(bugprone-unused-return-value): the call owns it
  advance();
}

EventPoint CudaStream::record(bool withTime) {
  checkOpen();
  if (const std::shared_ptr<Capture> capture = place->capture())
    return recordCaptured(capture);
  Timeline::Marker marker = place->mark(withTime);
  return {{place, marker.position}, withTime ? std::move(marker.event) : nullptr};
}

void CudaStream::wait(const StreamPoint &point) {
  checkOpen();
  if (point.isComplete())
    return;
  if (const auto *const points = dynamic_cast<const CudaCapturePoints *>(point.timeline.get()))
    return waitInCapture(*points, point.position);
  auto *const other = dynamic_cast<Timeline *>(point.timeline.get());
  // Streams of the CPU device run without this thread; graphs have no dependencies outside.
  if (!other || place->isCaptured())
    return point.wait();
  if (point.timeline == place)
    return;
  const std::shared_ptr<const PooledEvent> event = other->eventAt(point.position);
  if (!event)
    return;
  TracedCall traced(*this, TraceKind::StreamWait, "wait for another stream");
  traced.waitsFor(point);
  if (!queueWait(other->home.context, event))
    point.wait();
}

/// `theirs`: of the event, perhaps another device's. False: that was reset, which ends the work and its events.
bool CudaStream::queueWait(Context &theirs, const std::shared_ptr<const PooledEvent> &event) {
  const Current current(context);
  checkOpen();
  if (!theirs.heldBeside(event->generation))
    return false;
  context.check(context.driver.streamWaitEvent(place->options.handle, event->handle, 0), "wait for another stream");
  const uint64_t position = advance();
  place->addEnding({position, {event}}); // keeps it from being reused before the wait is over
  return true;
}

void CudaStream::await(uint64_t position, LaunchWatcher &watcher) {
  const StreamPoint point{place, position};
  awaitOwn(point, watcher);
  tell();
}

void CudaStream::synchronize(LaunchWatcher &watcher) {
  checkOpen();
  context.checkAlive();
  if (place->isCaptured())
    failCaptured("wait for a stream", adviceOnWaits);
  std::vector<StreamPoint> points{last()};
  for (const std::shared_ptr<Timeline> &other : owner.waitedFor(*place))
    points.push_back({other, other->lastPosition()});
  awaitPoints(points, watcher);
  tell();
}

/// Reports the failures on this stream, and on those that its work waits for.
void CudaStream::tell() {
  StreamReports &reports = *place->home.reports;
  if (!reports.haveFailures()) [[likely]]
    return;
  std::vector<uint64_t> names{place->name};
  for (const std::shared_ptr<Timeline> &other : owner.waitedFor(*place))
    names.push_back(other->name);
  reports.throwFailures(names);
}

} // namespace treadle::cuda

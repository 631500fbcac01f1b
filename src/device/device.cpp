// Anchors the abstract device classes in this library, and words the failures of kernels.
#include "device/device.h"

#include "border/error_record.h"
#include "device/device_attribute.h"
#include "device/loaded_code.h"
#include "support/clock.h"

#include <algorithm>
#include <string>
#include <utility>

namespace treadle {

namespace {

std::string textOf(Fault fault) {
  switch (fault) {
  case Fault::IndexOutOfBounds:
    return "an index is out of bounds";
  case Fault::DivisionByZero:
    return "division by zero";
  case Fault::TooDeep:
    return "a recursion is too deep for the thread's stack";
  case Fault::HeapIsFull:
    return "there is no memory for an array that a thread makes";
  case Fault::WaitsForever:
    return "threads wait for lanes of their warp that wait for them: let all lanes of the mask get here";
  default:
    return "a check failed (" + std::to_string(uint32_t(fault)) + ")";
  }
}

/// Functions other than the kernel with their files: messages begin with the kernel's.
std::string describe(Fault fault, const FaultPlace &place, const Image &image) {
  std::string text = textOf(fault);
  if (place.line == 0)
    return text;
  text += " in line " + std::to_string(place.line) + ", column " + std::to_string(place.column + 1);
  if (place.source == 0 || place.source > image.sources.size())
    return text;
  const FunctionSource &source = image.sources[place.source - 1];
  return text + " of " + source.function + " (" + source.file + ")";
}

} // namespace

KernelFault::KernelFault(Fault fault, const FaultPlace &place, const Image &image)
    : Error(describe(fault, place, image)), fault(fault) {
  if (isRaised(fault) && raisedPosition(fault) < image.raises.size())
    raised = image.raises[raisedPosition(fault)];
}
KernelFault::~KernelFault() = default;

void throwFault(const ErrorRecord &record, const Image &image) {
  if (record.fault == Fault::None)
    return;
  KernelFault fault(record.fault, record.place, image);
  fault.hasThread = true;
  std::ranges::copy(record.thread, fault.thread);
  std::ranges::copy(record.block, fault.block);
  throw fault;
}

DeviceLost::DeviceLost(CudaResult result, std::string_view cause)
    : DeviceError("use the device", result,
                  "an earlier error has ended everything on it (" + std::string(cause) +
                      "); cuda.close() or the device's reset() makes it usable again") {}
DeviceLost::~DeviceLost() = default;

CudaSupportError::~CudaSupportError() = default;

QueuedFailure::QueuedFailure(std::exception_ptr failure, std::shared_ptr<const LaunchOrigin> origin)
    : Error("something that was put on a stream failed when it ran"), failure(std::move(failure)),
      origin(std::move(origin)) {}
QueuedFailure::~QueuedFailure() = default;

std::exception_ptr QueuedFailure::together(std::vector<std::exception_ptr> failures) {
  if (failures.size() <= 1)
    return failures.empty() ? nullptr : failures.front();
  try {
    std::rethrow_exception(failures.front());
  } catch (const QueuedFailure &first) {
    QueuedFailure all = first;
    for (size_t i = 1; i < failures.size(); ++i) {
      all.others.push_back(failures[i]);
    }
    return std::make_exception_ptr(all);
  }
}

void noteUse(std::vector<StreamPoint> &uses, const std::shared_ptr<StreamTimeline> &timeline, uint64_t position) {
  if (uses.size() == 1 && uses.front().timeline == timeline) {
    uses.front().position = std::max(uses.front().position, position);
    return;
  }
  StreamPoint last{timeline, position};
  std::erase_if(uses, [&](const StreamPoint &known) {
    const bool isSame = known.timeline == timeline;
    if (isSame)
      last.position = std::max(last.position, known.position);
    return isSame || known.isComplete();
  });
  uses.push_back(std::move(last));
}

WaitInterrupted::WaitInterrupted() : Error("the wait was interrupted") {}
WaitInterrupted::~WaitInterrupted() = default;

namespace {

constexpr std::chrono::milliseconds betweenLooks{50};
constexpr uint64_t looksApart = std::chrono::nanoseconds(betweenLooks).count();

/// What can end a call that waits for a point, or does its work: another thread that ends the work, or the host.
class PointWatch {
public:
  PointWatch(const StreamPoint &point, LaunchWatcher &watcher)
      : point(point), watcher(watcher), before(point.timeline->interruptedUpTo()) {}

  /// False: the work was ended while the watch lasted.
  bool goesOn() const { return before >= point.position || point.timeline->interruptedUpTo() < point.position; }
  /// Also false: the host ends it.
  bool goesOnForHost() const {
    if (watcher.goesOn(LaunchWatcher::Activity::Wait))
      return true;
    point.timeline->interrupt();
    return false;
  }

private:
  const StreamPoint &point;
  LaunchWatcher &watcher;
  const uint64_t before;
};

void awaitPoint(const StreamPoint &point, LaunchWatcher &watcher) {
  TraceSpan traced(TraceKind::Wait, "wait");
  if (traced.event) {
    traced.event->track = point.timeline->track();
    traced.event->work = point.position;
  }
  const PointWatch watch(point, watcher);
  while (!point.timeline->waitFor(point.position, betweenLooks))
    if (!watch.goesOnForHost())
      throw WaitInterrupted();
  if (!watch.goesOn())
    throw WaitInterrupted();
}

} // namespace

HostLook::HostLook(LaunchWatcher &watcher, LaunchWatcher::Activity activity)
    : watcher(watcher), activity(activity), next(monotonicNanoseconds() + looksApart) {}

bool HostLook::goesOn() {
  if (!isWanted || monotonicNanoseconds() < next)
    return isWanted;
  isWanted = watcher.goesOn(activity);
  next = monotonicNanoseconds() + looksApart;
  return isWanted;
}

void copyOnCaller(const StridedCopy &copy, const StreamPoint &point, LaunchWatcher &watcher) {
  constexpr int64_t longCopy = 64 << 10;
  int64_t bytes = copy.itemBytes;
  for (const int64_t extent : copy.shape)
    bytes *= extent;
  if (bytes <= longCopy) {
    copyStrided(copy);
    return;
  }
  watcher.becomesLong();
  const PointWatch watch(point, watcher);
  HostLook look(watcher, LaunchWatcher::Activity::Work);
  auto goesOn = [&] {
    if (!watch.goesOn())
      return false;
    if (!look.goesOn())
      point.timeline->interrupt();
    return look.goesOn();
  };
  if (!copyStrided(copy, goesOn))
    throw WaitInterrupted();
}

void awaitPoints(std::span<const StreamPoint> points, LaunchWatcher &watcher) {
  bool isLong = false;
  for (const StreamPoint &point : points) {
    if (point.isComplete())
      continue;
    if (!isLong)
      watcher.becomesLong();
    isLong = true;
    awaitPoint(point, watcher);
  }
}

void awaitOwn(const StreamPoint &point, LaunchWatcher &watcher) {
  try {
    awaitPoints({&point, 1}, watcher);
  } catch (const WaitInterrupted &) {
    point.wait();
    throw;
  }
}

void StreamTimeline::wait(uint64_t position) {
  while (!waitFor(position, std::chrono::hours(1)))
    ;
}

void failRetiredStream() {
  throw DeviceError("use a stream", CudaResult::ContextIsDestroyed,
                    "its device was reset after it was made: make a new one");
}

Device::Device(const LaunchLimits &limits, HostArrays hostArrays)
    : reports(std::make_shared<StreamReports>()), launchLimits(limits), policy(hostArrays) {}

void Device::synchronize(LaunchWatcher &watcher) {
  if (diversions.load() != 0)
    failCaptured("wait for the device", adviceOnWaits);
  awaitPoints(unfinished(), watcher);
  reports->tellPrinted(watcher);
  if (const std::exception_ptr failure = takeFailures())
    std::rethrow_exception(failure);
}

void Device::reset() {
  resets.fetch_add(1);
  retireStreams();
  try {
    for (const StreamPoint &point : unfinished())
      point.wait();
  } catch (const DeviceLost &) {
    // Nothing runs any more; the reset makes the device usable again.
  }
  awaitUsers();
  endGeneration();
  reports->clear();
}

void Device::beginStandIn(std::shared_ptr<Stream> stream) {
  defaultStream().last().timeline->watch();
  threadStream()->last().timeline->watch();
  const std::lock_guard lock(standing);
  standIns.push_back({std::this_thread::get_id(), std::move(stream)});
  diversions = standIns.size();
}

void Device::endStandIn(const Stream &stream) {
  std::shared_ptr<Stream> last; // dropped under no lock
  const std::lock_guard lock(standing);
  const auto found = std::ranges::find(standIns.rbegin(), standIns.rend(), &stream,
                                       [](const StandIn &one) { return one.stream.get(); });
  if (found == standIns.rend())
    return;
  defaultStream().last().timeline->unwatch();
  threadStream()->last().timeline->unwatch();
  last = std::move(found->stream);
  standIns.erase(std::next(found).base());
  diversions = standIns.size();
}

/// The latest of the thread's. It lives until its `endStandIn`, which the same thread calls.
Stream *Device::standInOf(std::thread::id thread) {
  const std::lock_guard lock(standing);
  const auto found = std::ranges::find(standIns.rbegin(), standIns.rend(), thread, &StandIn::thread);
  return found == standIns.rend() ? nullptr : found->stream.get();
}

void Device::failOutOfMemory(size_t bytes) {
  throw DeviceError("allocate " + std::to_string(bytes) + " bytes", CudaResult::OutOfMemory, "out of memory");
}

KernelAttributes Kernel::attributes() const {
  return {.registers = image().registers, .sharedBytes = image().sharedBytes, .localBytes = image().localBytes};
}

uint64_t Device::activeBlocks(const Kernel &kernel, const OccupancyQuery &query) const {
  LaunchConfig config;
  config.block[0] = query.threads;
  config.sharedBytes = query.sharedBytes;
  const auto processors = uint64_t(attribute(DeviceAttribute::MultiprocessorCount));
  return std::max<uint64_t>(1, cooperativeBlocks(kernel, config) / processors);
}

PotentialBlock Device::potentialBlock(const Kernel &kernel, const OccupancyQuery &query) const {
  const auto processors = uint64_t(attribute(DeviceAttribute::MultiprocessorCount));
  return {query.threads, activeBlocks(kernel, query) * processors};
}

Kernel::~Kernel() = default;
Module::~Module() = default;
StreamTimeline::~StreamTimeline() = default;
EventState::~EventState() = default;
Stream::~Stream() = default;
Device::~Device() = default;

LoadedCode::~LoadedCode() = default;

std::span<char> Device::allocationAround(char *) const { return {}; }

static UsageError cannotShare(const Device &device) {
  return {UsageError::Kind::NotImplemented, "the " + device.kind() + " device shares no memory with other processes"};
}
SharedHandle Device::share(char *) { throw cannotShare(*this); }
char *Device::openShared(const SharedHandle &, size_t) { throw cannotShare(*this); }
void Device::closeShared(char *) { throw cannotShare(*this); }

std::shared_ptr<LoadedCode> Device::loadCode(const std::string &) {
  throw UsageError(UsageError::Kind::NotImplemented,
                   "the " + kind() + " device runs no PTX of others: write the kernel in Python, under cuda.jit");
}

std::string Device::assemble(const std::string &, const std::string &name) {
  throw UsageError(UsageError::Kind::NotImplemented,
                   "no machine code of a GPU can be made of " + name + ": that takes the CUDA driver of a GPU");
}

} // namespace treadle

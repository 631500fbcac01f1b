// A device for tests, written against the abstract Device alone: the host cannot touch its memory, and its work runs
// later than asked. Its kernels run on a device that it is given. Once loaded it offers itself as
// TREADLE_DEVICE=remote.
#include "border/image.h"
#include "remote_memory.h"
#include "remote_queue.h"

#include "device/device_attribute.h"
#include "device/strided_copy.h"
#include "runtime/open_devices.h"
#include "runtime/runtime.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace remote {

namespace {

using Kind = RemoteQueue::Kind;

struct Moment final : EventState {
  std::chrono::steady_clock::time_point time;
};

/// The executor's host: no caller waits on this thread.
class ExecutorWatcher final : public LaunchWatcher {
public:
  ExecutorWatcher(const RemoteQueue &queue, uint64_t position) : queue(queue), position(position) {}
  void onLongCall() override {}
  bool shouldContinue(Activity) noexcept override { return !queue.isInterrupted(position); }
  void printed(std::string_view text) override { queue.streams->reports->print(text); }

private:
  const RemoteQueue &queue;
  const uint64_t position;
};

class RemoteDevice;

class RemoteStream final : public Stream {
public:
  RemoteStream(RemoteDevice &owner, std::shared_ptr<RemoteQueue> queue, uint64_t number, bool ends);
  ~RemoteStream() override {
    if (ends)
      queue->close();
  }
  LaunchOutcome launch(const LaunchRequest &request, LaunchWatcher &watcher) override;
  void copy(const StridedCopy &copy, const HeldOwners *held, LaunchWatcher &watcher) override;
  void fill(std::span<char> memory, uint8_t value, bool isQueued, LaunchWatcher &watcher) override;
  void run(std::function<void()> function) override {
    queue->push({.run = [function = std::move(function)](uint64_t) { function(); }});
  }
  EventPoint record(bool withTime) override;
  void wait(const StreamPoint &point) override {
    queue->push({.run = [](uint64_t) {}, .after = {point}});
  }
  StreamPoint last() override { return queue->last(); }
  const StreamTimeline *timeline() const override { return queue.get(); }
  void synchronize(LaunchWatcher &watcher) override;
  uint64_t handle() const override { return number; }
  Device &device() const override;

private:
  void await(const StreamPoint &point, LaunchWatcher &watcher);
  /// After a wait: passes on what was printed, and throws what failed on the streams that the host has waited for.
  void tell(LaunchWatcher &watcher);

  RemoteDevice &owner;
  const std::shared_ptr<RemoteQueue> queue;
  const std::shared_ptr<Stream> executor; ///< where its kernels run
  const uint64_t number;
  const bool ends; ///< the queue with this object
};

class RemoteDevice final : public Device, public DeviceMemory, public DeviceCode {
public:
  explicit RemoteDevice(std::unique_ptr<Device> given)
      : Device(limitsOf(*given), {*this, *this}, HostArrays::Staged), executor(std::move(given)),
        memory(executor->memory().memoryCapacity()) {
    streams->interruptExecutor = [this] { executor->defaultStream().last().timeline->interrupt(); };
    legacy = std::make_unique<RemoteStream>(*this, addQueue(Kind::Legacy, false), 0, false);
  }
  std::string kind() const override { return "remote"; }
  std::string name() const override { return "remote device of the tests"; }
  Target target() const override { return executor->target(); }
  int64_t attribute(DeviceAttribute attribute) const override;
  unsigned computeCapability() const override { return executor->computeCapability(); }
  Stream &defaultStream() override { return *legacy; }
  std::shared_ptr<Stream> threadStream() override;
  std::shared_ptr<Stream> makeStream(bool isBlocking) override {
    const std::shared_ptr<RemoteQueue> queue = addQueue(isBlocking ? Kind::Blocking : Kind::NonBlocking, true);
    return std::make_shared<RemoteStream>(*this, queue, reinterpret_cast<uintptr_t>(queue.get()), true);
  }
  std::shared_ptr<Stream> streamOf(uint64_t handle) override {
    for (const std::shared_ptr<RemoteQueue> &queue : streams->all())
      if (reinterpret_cast<uintptr_t>(queue.get()) == handle)
        return std::make_shared<RemoteStream>(*this, queue, handle, false);
    return nullptr;
  }
  std::vector<StreamPoint> unfinished() override;
  StreamPoint runningOnCaller() override { return {}; }
  std::shared_ptr<Module> load(std::shared_ptr<const Image> image, std::span<const uint64_t> captured) override {
    return executor->code().load(std::move(image), captured);
  }
  uint64_t cooperativeBlocks(const Kernel &kernel, const LaunchConfig &config) const override {
    checkSharedMemory(limits(), kernel.image().sharedBytes, config.sharedBytes);
    return executor->code().cooperativeBlocks(kernel, config);
  }
  double elapsed(const EventPoint &begin, const EventPoint &end) const override {
    auto timeOf = [](const EventPoint &event) { return static_cast<const Moment &>(*event.state).time; };
    return std::chrono::duration<double, std::milli>(timeOf(end) - timeOf(begin)).count();
  }
  void *allocate(size_t bytes, MemoryKind kind) override;
  void release(void *given, MemoryKind kind) override;
  void releaseLost(void *given, MemoryKind kind) noexcept override { release(given, kind); }
  bool isHostVisible(MemoryKind kind) const override { return kind != MemoryKind::Device; }
  void registerHost(std::span<char>) override {}
  void unregisterHost(char *) override {}
  size_t memoryCapacity() const override { return executor->memory().memoryCapacity(); }
  std::map<std::string, uint64_t> figures() const override { return executor->figures(); }

  const std::unique_ptr<Device> executor;
  RemoteMemory memory;

private:
  static LaunchLimits limitsOf(const Device &executor) {
    LaunchLimits limits = executor.limits();
    limits.shared = 99 << 10; // not those of the executor
    return limits;
  }
  std::shared_ptr<RemoteQueue> addQueue(Kind kind, bool endsWithReset);
  void retireStreams() override {
    for (const std::shared_ptr<RemoteQueue> &queue : streams->all())
      queue->isRetired = queue->endsWithReset;
  }

  const std::shared_ptr<RemoteStreams> streams = std::make_shared<RemoteStreams>(reports);
  std::unique_ptr<Stream> legacy;
};

RemoteStream::RemoteStream(RemoteDevice &owner, std::shared_ptr<RemoteQueue> queue, uint64_t number, bool ends)
    : owner(owner), queue(std::move(queue)), executor(owner.executor->makeStream(false)), number(number), ends(ends) {}

Device &RemoteStream::device() const { return owner; }

LaunchOutcome RemoteStream::launch(const LaunchRequest &request, LaunchWatcher &watcher) {
  const Image &image = request.kernel->image();
  checkSharedMemory(owner.limits(), image.sharedBytes, request.config.sharedBytes);
  const uint64_t most = image.isCooperative ? owner.cooperativeBlocks(*request.kernel, request.config) : UINT64_MAX;
  if (request.config.blocks() > most)
    failTooManyBlocks(request.config, most);
  const auto *bytes = static_cast<const char *>(request.parameters);
  auto outcome = std::make_shared<LaunchOutcome>(LaunchOutcome::Interrupted);
  auto execute = [device = &owner, kernel = request.kernel, outcome, config = request.config, queue = queue.get(),
                  executor = executor,
                  parameters = std::vector<char>(bytes, bytes + image.parameters.size)](uint64_t position) {
    if (queue->isInterrupted(position))
      return;
    const RemoteMemory::Opened access(device->memory);
    ExecutorWatcher own(*queue, position);
    *outcome = executor->launch({kernel, config, parameters.data(), nullptr}, own);
  };
  if (request.owners) {
    const StreamPoint point = queue->push({.run = std::move(execute), .origin = request.owners->origin()});
    request.owners->queued(point.timeline, point.position);
    return LaunchOutcome::Queued;
  }
  auto failure = std::make_shared<std::exception_ptr>();
  const StreamPoint point = queue->push({.run = [execute = std::move(execute), failure](uint64_t position) {
    try {
      execute(position);
    } catch (...) {
      *failure = std::current_exception();
    }
  }});
  try {
    awaitOwn(point, watcher);
  } catch (const WaitInterrupted &) {
    *outcome = LaunchOutcome::Interrupted;
  }
  if (*failure)
    std::rethrow_exception(*failure);
  tell(watcher);
  return *outcome;
}

void RemoteStream::await(const StreamPoint &point, LaunchWatcher &watcher) {
  awaitOwn(point, watcher);
  tell(watcher);
}

void RemoteStream::copy(const StridedCopy &copy, const HeldOwners *held, LaunchWatcher &watcher) {
  for (const auto &[address, location] :
       {std::pair<const char *, Location>{copy.to, copy.toLocation}, {copy.from, copy.fromLocation}})
    TREADLE_CHECK(!owner.memory.contains(address) || location == Location::Device);
  auto work = [device = &owner, queue = queue.get(), kept = KeptCopy(copy)](uint64_t position) {
    if (queue->isInterrupted(position))
      return;
    const RemoteMemory::Opened access(device->memory);
    kept.run([&] { return !queue->isInterrupted(position); });
  };
  const StreamPoint point = queue->push({.run = std::move(work), .held = held ? *held : HeldOwners{}});
  if (!held)
    await(point, watcher);
}

void RemoteStream::fill(std::span<char> memory, uint8_t value, bool isQueued, LaunchWatcher &watcher) {
  const auto byte = std::make_shared<const char>(char(value));
  const int64_t shape[] = {int64_t(memory.size())}, toStrides[] = {1}, fromStrides[] = {0};
  const HeldOwners held{byte};
  copy({memory.data(), byte.get(), shape, toStrides, fromStrides, 1, Location::Device, Location::Pageable},
       isQueued ? &held : nullptr, watcher);
}

EventPoint RemoteStream::record(bool withTime) {
  const auto moment = withTime ? std::make_shared<Moment>() : nullptr;
  const StreamPoint point = queue->push({.run = [moment](uint64_t) {
    if (moment)
      moment->time = std::chrono::steady_clock::now();
  }});
  return {point, moment};
}

void RemoteStream::synchronize(LaunchWatcher &watcher) {
  if (queue->isRetired)
    failRetiredStream();
  std::vector<StreamPoint> points{queue->last()};
  if (queue->kind == Kind::Legacy)
    for (const std::shared_ptr<RemoteQueue> &other : queue->others())
      points.push_back(other->last());
  awaitPoints(points, watcher);
  tell(watcher);
}

void RemoteStream::tell(LaunchWatcher &watcher) {
  queue->streams->reports->tellPrinted(watcher);
  std::vector<uint64_t> awaited{queue->name};
  for (const std::shared_ptr<RemoteQueue> &other : queue->others())
    awaited.push_back(other->name);
  queue->streams->reports->throwFailures(awaited);
}

int64_t RemoteDevice::attribute(DeviceAttribute attribute) const {
  constexpr auto largestShared = DeviceAttribute(97), integrated = DeviceAttribute(18);
  if (attribute == integrated)
    return 0;
  return attribute == largestShared ? limits().shared : executor->attribute(attribute);
}

std::shared_ptr<Stream> RemoteDevice::threadStream() {
  static thread_local std::map<const RemoteDevice *, std::shared_ptr<Stream>> own;
  std::shared_ptr<Stream> &stream = own[this];
  if (!stream)
    stream = std::make_shared<RemoteStream>(*this, addQueue(Kind::Blocking, false), 2, true);
  return stream;
}

std::shared_ptr<RemoteQueue> RemoteDevice::addQueue(Kind kind, bool endsWithReset) {
  auto queue = std::make_shared<RemoteQueue>(streams, kind, endsWithReset);
  const std::lock_guard lock(streams->mutex);
  std::erase_if(streams->queues, [](const std::weak_ptr<RemoteQueue> &one) { return one.expired(); });
  streams->queues.push_back(queue);
  return queue;
}

std::vector<StreamPoint> RemoteDevice::unfinished() {
  std::vector<StreamPoint> points;
  for (const std::shared_ptr<RemoteQueue> &queue : streams->all())
    if (StreamPoint point = queue->last(); !point.isComplete())
      points.push_back(std::move(point));
  return points;
}

void *RemoteDevice::allocate(size_t bytes, MemoryKind kind) {
  void *const found = kind == MemoryKind::Device ? memory.allocate(bytes) : executor->memory().allocate(bytes, kind);
  if (!found)
    failOutOfMemory(bytes);
  return found;
}

void RemoteDevice::release(void *given, MemoryKind kind) {
  if (kind == MemoryKind::Device)
    TREADLE_CHECK(memory.release(static_cast<char *>(given)));
  else
    executor->memory().release(given, kind);
}

std::vector<std::unique_ptr<Device>> openRemoteDevices() {
  std::vector<std::unique_ptr<Device>> devices;
  for (std::unique_ptr<Device> &executor : openCpuDevices())
    devices.push_back(std::make_unique<RemoteDevice>(std::move(executor)));
  return devices;
}

[[gnu::constructor]] void offer() { Runtime::instance().addDeviceKind("remote", openRemoteDevices); }

} // namespace

} // namespace remote

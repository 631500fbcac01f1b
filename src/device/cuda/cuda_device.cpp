// The CUDA device: attributes, streams, memory, modules.
#include "device/cuda/cuda_device.h"

#include "border/image.h"
#include "device/cuda/code/cuda_code.h"
#include "device/cuda/code/cuda_module.h"
#include "device/cuda/cuda_stream.h"
#include "device/cuda/driver/linker.h"
#include "device/device_attribute.h"
#include "device/thread_streams.h"
#include "support/error.h"

#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <iterator>
#include <optional>

namespace treadle::cuda {

namespace {

int askAttribute(const DriverTable &driver, int attribute, DeviceNumber device) {
  int value = 0;
  if (const Result result = driver.deviceGetAttribute(&value, attribute, device); result != Result::Success)
    throw DeviceError(fmt::format("ask for attribute {} of a device", attribute), CudaResult(result),
                      driver.describe(result));
  return value;
}

LaunchLimits limitsOf(const DriverTable &driver, int ordinal) {
  const DeviceNumber device = deviceNumber(driver, ordinal);
  auto of = [&](int attribute) { return uint32_t(askAttribute(driver, attribute, device)); };
  constexpr int sharedUsual = 8, sharedOptIn = 97, capabilityMajor = 75;
  constexpr uint32_t clusterBlocks = 16; // beyond 8 the driver tells whether the device has room
  return {.threadsPerBlock = of(1),
          .block = {of(2), of(3), of(4)},
          .grid = {of(5), of(6), of(7)},
          .staticShared = of(sharedUsual),
          .shared = std::max(of(sharedUsual), of(sharedOptIn)),
          .clusterBlocks = of(capabilityMajor) >= 9 ? clusterBlocks : 0};
}

size_t totalMemoryOf(const DriverTable &driver, DeviceNumber device) {
  size_t bytes = 0;
  if (const Result result = driver.deviceTotalMem(&bytes, device); result != Result::Success)
    throw DeviceError("ask for the size of a device's memory", CudaResult(result), driver.describe(result));
  return bytes;
}

constexpr unsigned leastCapability = 75;

} // namespace

CudaDevice::CudaDevice(const DriverTable &driver, int ordinal)
    : Device(limitsOf(driver, ordinal), {*this, *this, this, this, this, this, this, this, this}, HostArrays::Staged),
      context(driver, ordinal), unusedModules(context, [this] { return unfinished().empty(); }), copyKernels(context),
      faultSlots(context), captures(context), events(context), runTimes(context, events),
      capability(unsigned(attribute(DeviceAttribute::ComputeCapabilityMajor) * 10 +
                          attribute(DeviceAttribute::ComputeCapabilityMinor))),
      totalMemory(totalMemoryOf(driver, context.device)),
      legacy(std::make_unique<CudaStream>(*this, addTimeline({nullptr, Stream::Kind::Legacy}).timeline)) {}

std::string CudaDevice::name() const {
  char text[256] = {};
  const Result result = context.driver.deviceGetName(text, sizeof text, context.device);
  return result == Result::Success ? text : "CUDA device";
}

std::string CudaDevice::uuid() const {
  Uuid uuid{};
  context.check(context.driver.deviceGetUuid(&uuid, context.device), "ask for a device's UUID");
  std::string text = "GPU-";
  for (size_t i = 0; i < std::size(uuid.bytes); ++i) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02x", uuid.bytes[i]);
    text += (i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "") + std::string(digits);
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> CudaDevice::details() const {
  const int version = context.driver.version;
  return {{"CUDA version of the driver", fmt::format("{}.{}", version / 1000, version % 1000 / 10)},
          {"Memory in MiB", std::to_string(totalMemory >> 20)}};
}

Target CudaDevice::target() const {
  if (capability < leastCapability)
    throw CudaSupportError(fmt::format("{} has compute capability {}.{}, and Treadle's code needs 7.5 or later", name(),
                                       capability / 10, capability % 10));
  Target target;
  target.kind = Target::Kind::Ptx;
  target.computeCapability = capability;
  return target;
}

int64_t CudaDevice::attribute(DeviceAttribute attribute) const {
  return askAttribute(context.driver, int(attribute), context.device);
}

CudaDevice::Added CudaDevice::addTimeline(const Timeline::Options &options) {
  context.checkAlive();
  auto timeline = std::make_shared<Timeline>(StreamHome{context, events, unawaited, captures, reports}, options);
  std::shared_ptr<OwnStream> own;
  if (options.isOwn())
    timeline->belongTo(own = std::make_shared<OwnStream>(timeline));
  if (options.isExternal) {
    timeline->watch();
    captures.expect();
  }
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const std::shared_ptr<Timeline> &one) {
    const bool isOver = one->isClosed() || (one->options.isExternal && one.use_count() == 1);
    return isOver && one->isComplete(one->lastPosition());
  });
  known.push_back(timeline);
  return {std::move(timeline), std::move(own)};
}

std::shared_ptr<Stream> CudaDevice::addStream(const Timeline::Options &options) {
  Added added = addTimeline(options);
  return std::make_shared<CudaStream>(*this, std::move(added.timeline), std::move(added.own));
}

std::vector<std::shared_ptr<Timeline>> CudaDevice::timelines() {
  const std::lock_guard lock(mutex);
  return known;
}

std::shared_ptr<Stream> CudaDevice::threadStream() {
  return threadStreamOf(reports, [this] { return addStream({perThreadStream, Stream::Kind::Blocking, true}); });
}

/// Pushed twice, so that it stays current when `current` ends.
bool CudaDevice::pushSelected() {
  const Current current(context);
  if (current.hasPushed())
    context.check(context.driver.ctxPushCurrent(current.handle), "make the context current");
  return current.hasPushed();
}

std::shared_ptr<Stream> CudaDevice::makeStream(bool isBlocking) {
  const Current current(context);
  StreamHandle handle = nullptr;
  context.check(context.driver.streamCreate(&handle, isBlocking ? 0 : streamNonBlocking), "make a stream");
  const auto kind = isBlocking ? Stream::Kind::Blocking : Stream::Kind::NonBlocking;
  return addStream({handle, kind});
}

/// Only stream handles can be queried: the driver crashes on other values; smaller ones are not addresses.
constexpr uint64_t leastHandle = 1 << 16;

namespace {

/// Of a foreign stream; nothing: not a stream that can be used. A stream under capture must not be queried for its
/// flags, which would invalidate the capture, and is taken for one that does not synchronise with the legacy stream, as
/// that cannot take part in captures.
std::optional<Stream::Kind> kindOf(const DriverTable &driver, StreamHandle handle) {
  auto status = CaptureStatus::None;
  unsigned flags = 0;
  if (driver.streamGetCaptureInfo(handle, &status, nullptr, nullptr, nullptr, nullptr) != Result::Success)
    return std::nullopt;
  if (status != CaptureStatus::None)
    return Stream::Kind::NonBlocking;
  if (driver.streamGetFlags(handle, &flags) != Result::Success)
    return std::nullopt;
  return flags & streamNonBlocking ? Stream::Kind::NonBlocking : Stream::Kind::Blocking;
}

} // namespace

std::shared_ptr<Stream> CudaDevice::streamOf(uint64_t number) {
  const auto handle = reinterpret_cast<StreamHandle>(number);
  context.checkAlive();
  for (const std::shared_ptr<Timeline> &one : timelines())
    if (one->options.handle == handle && !one->isClosed() && !one->isRetired())
      if (Timeline::Held held = one->hold(); held.isThere)
        return std::make_shared<CudaStream>(*this, one, std::move(held.own));
  if (number < leastHandle)
    return nullptr;
  const Current current(context);
  ContextHandle owner = nullptr, own = nullptr;
  if (context.driver.streamGetCtx(handle, &owner) != Result::Success ||
      context.driver.ctxGetCurrent(&own) != Result::Success || owner != own)
    return nullptr;
  const std::optional<Stream::Kind> kind = kindOf(context.driver, handle);
  return kind ? addStream({handle, *kind, false, true}) : nullptr;
}

std::vector<std::shared_ptr<Timeline>> CudaDevice::waitedFor(const Timeline &stream) {
  using Kind = Stream::Kind;
  std::vector<std::shared_ptr<Timeline>> others;
  if (stream.options.kind == Kind::NonBlocking)
    return others;
  const Kind wanted = stream.options.kind == Kind::Legacy ? Kind::Blocking : Kind::Legacy;
  for (std::shared_ptr<Timeline> &one : timelines())
    if (one->options.kind == wanted && !one->isRetired())
      others.push_back(std::move(one));
  return others;
}

/// Includes work of other software on this device. Foreign streams may be destroyed, and querying a destroyed stream's
/// capture state crashes the driver, so foreign streams are not checked.
void CudaDevice::synchronize(LaunchWatcher &watcher) {
  context.checkAlive();
  Device::synchronize(watcher);
  const Current current(context);
  for (const std::shared_ptr<Timeline> &one : timelines())
    if (!one->options.isExternal && one->isCaptured())
      failCaptured("wait for the device", adviceOnWaits);
  {
    std::optional<CaptureRelaxed> relaxed; // for captures on other devices, which this would invalidate
    if (captures.haveBeenAnywhere())
      relaxed.emplace(context.driver);
    context.check(context.driver.ctxSynchronize(), "wait for the device");
  }
  unusedModules.unload();
  captures.dropUnused();
}

std::vector<StreamPoint> CudaDevice::unfinished() {
  std::vector<StreamPoint> points;
  if (!context.isUsable())
    return points;
  for (const std::shared_ptr<Timeline> &one : timelines())
    if (const uint64_t last = one->lastPosition(); !one->isComplete(last))
      points.push_back({one, last});
  return points;
}

void CudaDevice::noteProgress() noexcept {
  if (!context.isUsable())
    return;
  for (const std::shared_ptr<Timeline> &one : timelines())
    one->look();
  unusedModules.unload();
  captures.dropUnused();
}

std::shared_ptr<Module> CudaDevice::load(std::shared_ptr<const Image> image, std::span<const uint64_t> captured) {
  TREADLE_CHECK(image->target.kind == Target::Kind::Ptx);
  unusedModules.unload();
  return std::make_shared<CudaModule>(unusedModules, std::move(image), captured);
}

std::shared_ptr<LoadedCode> CudaDevice::loadCode(const std::string &code) {
  unusedModules.unload();
  return std::make_shared<CudaCode>(unusedModules, code);
}

uint64_t CudaDevice::cooperativeBlocks(const Kernel &kernel, const LaunchConfig &config) const {
  return activeBlocks(kernel, {config.threadsPerBlock(), config.sharedBytes}) *
         uint64_t(attribute(DeviceAttribute::MultiprocessorCount));
}

uint64_t CudaDevice::activeBlocks(const Kernel &kernel, const OccupancyQuery &query) const {
  const auto &loaded = static_cast<const CudaKernel &>(kernel);
  checkSharedMemory(limits(), kernel.image().sharedBytes, query.sharedBytes);
  const Current current(context);
  loaded.prepareShared(query.sharedBytes);
  int blocks = 0;
  context.check(context.driver.occupancyMaxActiveBlocks(&blocks, loaded.function, int(query.threads), query.sharedBytes,
                                                        query.flags),
                "ask how many blocks can run at once");
  return uint64_t(blocks);
}

PotentialBlock CudaDevice::potentialBlock(const Kernel &kernel, const OccupancyQuery &query) const {
  const auto &loaded = static_cast<const CudaKernel &>(kernel);
  checkSharedMemory(limits(), kernel.image().sharedBytes, query.sharedBytes);
  const Current current(context);
  loaded.prepareShared(query.sharedBytes);
  int blocks = 0, threads = 0;
  context.check(context.driver.occupancyMaxPotentialBlockSize(&blocks, &threads, loaded.function, nullptr,
                                                              query.sharedBytes, int(query.threads), query.flags),
                "ask for the best size of a block");
  return {uint32_t(threads), uint64_t(blocks)};
}

void CudaDevice::record(bool isWanted) {
  const Current current(context);
  context.check(isWanted ? context.driver.profilerStart() : context.driver.profilerStop(),
                isWanted ? "start the profiler" : "stop the profiler");
}

std::string CudaDevice::assemble(const std::string &ptx, const std::string &name) {
  const Current current(context);
  return linkCubin(context, ptx, name);
}

/// The points are complete; their events may lag slightly, as other work completed them.
double CudaDevice::elapsed(const EventPoint &begin, const EventPoint &end) const {
  auto handleOf = [](const EventPoint &event) { return static_cast<const PooledEvent &>(*event.state).handle; };
  const Current current(context);
  float milliseconds = 0;
  for (;;) {
    const Result result = context.driver.eventElapsedTime(&milliseconds, handleOf(begin), handleOf(end));
    if (result == Result::Success)
      return milliseconds;
    if (result != Result::NotReady)
      context.fail(result, "measure the time between events");
  }
}

void *CudaDevice::allocate(size_t bytes, MemoryKind kind) {
  const Current current(context);
  const CaptureRelaxed relaxed(context.driver);
  const std::string operation = "allocate " + std::to_string(bytes) + " bytes";
  relaxed.check(context, operation);
  const DriverTable &driver = context.driver;
  const size_t some = std::max<size_t>(bytes, 1);
  DevicePointer address = 0;
  void *host = nullptr;
  Result result;
  switch (kind) {
  case MemoryKind::Device:
    result = driver.memAlloc(&address, some);
    break;
  case MemoryKind::Managed:
    result = driver.memAllocManaged(&address, some, memAttachGlobal);
    break;
  case MemoryKind::Pinned:
    result = driver.memHostAlloc(&host, some, hostAllocPortable);
    break;
  case MemoryKind::Mapped:
    result = driver.memHostAlloc(&host, some, hostAllocPortable | hostAllocMapped);
    break;
  }
  if (result == Result::OutOfMemory)
    failOutOfMemory(bytes);
  context.check(result, operation);
  return host ? host : reinterpret_cast<void *>(address);
}

void CudaDevice::release(void *memory, MemoryKind kind) {
  if (!context.isUsable())
    return;
  const Current current(context);
  const CaptureRelaxed relaxed(context.driver);
  const bool isHosts = kind == MemoryKind::Pinned || kind == MemoryKind::Mapped;
  context.check(isHosts ? context.driver.memFreeHost(memory)
                        : context.driver.memFree(reinterpret_cast<uintptr_t>(memory)),
                "free memory");
}

/// DLPack numbers GPUs, but not memory that all of them can access.
std::optional<dlpack::Device> CudaDevice::exchangePlace(MemoryKind kind) const {
  if (kind == MemoryKind::Device)
    return dlpack::Device{dlpack::Cuda, context.ordinal};
  return dlpack::Device{kind == MemoryKind::Managed ? dlpack::CudaManaged : dlpack::CudaHost, 0};
}

void CudaDevice::registerHost(std::span<char> memory) {
  const Current current(context);
  const CaptureRelaxed relaxed(context.driver);
  const std::string operation = "pin " + std::to_string(memory.size()) + " bytes of the host";
  relaxed.check(context, operation);
  context.check(context.driver.memHostRegister(memory.data(), memory.size(), hostRegisterPortable | hostRegisterMapped),
                operation);
}

/// The memory stays page-locked if work on it may be in progress that cannot be waited for.
void CudaDevice::unregisterHost(char *memory) {
  if (!context.isUsable())
    return;
  const Current current(context);
  const CaptureRelaxed relaxed(context.driver);
  unawaited.settle([this] { context.check(context.driver.ctxSynchronize(), "wait for the device"); });
  context.check(context.driver.memHostUnregister(memory), "unpin memory of the host");
}

/// The driver returns zeros for memory that it does not know.
std::optional<LocatedMemory> CudaDevice::locate(std::span<char> memory) const {
  auto type = MemoryType::Unknown;
  uint64_t address = 0;
  uint32_t isManaged = 0;
  int32_t ordinal = -1;
  constexpr PointerAttribute asked[] = {PointerAttribute::MemoryType, PointerAttribute::DevicePointer,
                                        PointerAttribute::IsManaged, PointerAttribute::DeviceOrdinal};
  void *values[] = {&type, &address, &isManaged, &ordinal};
  {
    const Current current(context);
    context.check(context.driver.pointerGetAttributes(unsigned(std::size(asked)), asked, values,
                                                      reinterpret_cast<DevicePointer>(memory.data())),
                  "ask where memory is");
  }
  if (type == MemoryType::Unknown || address == 0)
    return std::nullopt;
  const MemoryKind kind = isManaged != 0             ? MemoryKind::Managed
                          : type == MemoryType::Host ? MemoryKind::Mapped
                                                     : MemoryKind::Device;
  if (kind == MemoryKind::Device && ordinal != context.ordinal)
    return std::nullopt;
  return LocatedMemory{kind, reinterpret_cast<char *>(address)}; // NOLINT(performance-no-int-to-ptr)
}

DevicePointer CudaDevice::takeBarrierWord() {
  const std::lock_guard lock(keepingWords);
  if (freeWords.empty())
    return 0;
  const DevicePointer word = freeWords.back();
  freeWords.pop_back();
  return word;
}

std::shared_ptr<const void> CudaDevice::keeperOf(DevicePointer word, uint64_t generation) {
  return {nullptr, [this, word, generation](std::nullptr_t) {
            if (!context.isUsable() || context.generation() != generation)
              return;
            const std::lock_guard lock(keepingWords);
            freeWords.push_back(word);
          }};
}

std::optional<size_t> CudaDevice::freeMemory() const {
  const Current current(context);
  size_t free = 0, total = 0;
  context.check(context.driver.memGetInfo(&free, &total), "ask for the free memory");
  return free;
}

void CudaDevice::retireStreams() {
  for (const std::shared_ptr<Timeline> &one : timelines())
    if (!isDefaultStream(*one))
      one->retire();
}

/// Everything made before is void even if the driver reports an error.
void CudaDevice::endGeneration() {
  std::exception_ptr failure;
  try {
    context.reset();
  } catch (const Error &) {
    failure = std::current_exception();
  }
  for (const std::shared_ptr<Timeline> &one : timelines())
    one->abandon();
  {
    const std::lock_guard lock(keepingWords);
    freeWords.clear();
  }
  events.forget();
  runTimes.forget();
  faultSlots.forget();
  copyKernels.forget();
  unusedModules.forget();
  captures.forget();
  if (failure)
    std::rethrow_exception(failure);
}

std::vector<std::unique_ptr<Device>> openDevices() {
  const DriverTable &driver = DriverTable::open();
  int count = 0;
  const Result result = driver.deviceGetCount(&count);
  if (result != Result::Success || count == 0)
    throw CudaSupportError("the CUDA driver finds no device: " + driver.describe(result));
  std::vector<std::unique_ptr<Device>> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal)
    devices.push_back(std::make_unique<CudaDevice>(driver, ordinal));
  return devices;
}

} // namespace treadle::cuda

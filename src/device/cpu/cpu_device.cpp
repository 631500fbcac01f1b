// The CPU device: names, attributes, memory, modules.
#include "device/cpu/cpu_device.h"

#include "border/image.h"
#include "device/cpu/cpu_attributes.h"
#include "device/cpu/cpu_launch.h"
#include "device/cpu/cpu_stream.h"
#include "device/cpu/threads/block_fibers.h"
#include "device/device_attribute.h"
#include "device/thread_streams.h"
#include "support/error.h"

#include <cerrno>
#include <fstream>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

namespace treadle::cpu {

namespace {

class CpuModule final : public Module {
public:
  CpuModule(std::shared_ptr<const Image> image, const NativeCode &code)
      : loaded(std::make_shared<CpuKernel>(std::move(image), reinterpret_cast<KernelFunction>(code.entry), code.keep)) {
  }
  std::shared_ptr<Kernel> kernel() override { return loaded; }

private:
  std::shared_ptr<CpuKernel> loaded;
};

} // namespace

CpuDevice::CpuDevice(CpuOptions options)
    : Device(cpuLimits, {.memory = *this, .code = *this, .sharing = this, .peers = this}), options(options),
      streams(StreamSet::make(options.threads, reports)),
      legacy(std::make_shared<CpuStream>(
          streams, streams->legacyQueue(),
          CpuStream::Options{StreamSet::Kind::Legacy, 0, true, options.inlineNanoseconds, *this})) {}

/// Unfinished work of its streams refers to this device, so that work is finished first.
CpuDevice::~CpuDevice() {
  for (const std::shared_ptr<StreamQueue> &queue : streams->all())
    queue->last().wait();
}

std::shared_ptr<Stream> CpuDevice::makeStream(bool isBlocking) {
  const StreamSet::Kind kind = isBlocking ? StreamSet::Kind::Blocking : StreamSet::Kind::NonBlocking;
  std::shared_ptr<StreamQueue> queue = streams->add(kind, true);
  const auto handle = reinterpret_cast<uintptr_t>(queue.get());
  return std::make_shared<CpuStream>(streams, std::move(queue),
                                     CpuStream::Options{kind, handle, false, options.inlineNanoseconds, *this});
}

std::shared_ptr<Stream> CpuDevice::streamOf(uint64_t handle) {
  const StreamSet::Member member = streams->find(handle);
  std::shared_ptr<StreamQueue> queue = member.queue.lock();
  if (!queue)
    return nullptr;
  return std::make_shared<CpuStream>(
      streams, std::move(queue),
      CpuStream::Options{member.kind, handle, false, options.inlineNanoseconds, *this, true});
}

/// A blocking stream, as in CUDA.
std::shared_ptr<Stream> CpuDevice::threadStream() {
  return threadStreamOf(reports, [this] {
    constexpr StreamSet::Kind kind = StreamSet::Kind::Blocking;
    return std::make_shared<CpuStream>(streams, streams->add(kind, false),
                                       CpuStream::Options{kind, 2, true, options.inlineNanoseconds, *this});
  });
}

std::vector<StreamPoint> CpuDevice::unfinished() {
  std::vector<StreamPoint> points;
  for (const std::shared_ptr<StreamQueue> &queue : streams->all())
    if (StreamPoint point = queue->last(); !point.isComplete())
      points.push_back(std::move(point));
  return points;
}

StreamPoint CpuDevice::runningOnCaller() { return streams->legacyQueue()->runningOnCaller(); }

std::string CpuDevice::name() const {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const size_t colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "CPU";
}

int64_t CpuDevice::attribute(DeviceAttribute attribute) const {
  switch (attribute) {
  case DeviceAttribute::MultiprocessorCount:
    return options.threads;
  case DeviceAttribute::ComputeCapabilityMajor:
    return computeCapability() / 10;
  case DeviceAttribute::ComputeCapabilityMinor:
    return computeCapability() % 10;
  default:
    return constantAttribute(attribute);
  }
}

std::shared_ptr<Module> CpuDevice::load(std::shared_ptr<const Image> image, std::span<const uint64_t> captured) {
  TREADLE_CHECK(image->target.kind == Target::Kind::Cpu);
  const NativeCode code = options.linker.link(*image, captured);
  return std::make_shared<CpuModule>(std::move(image), code);
}

uint64_t CpuDevice::cooperativeBlocks(const Kernel &kernel, const LaunchConfig &config) const {
  checkSharedMemory(limits(), kernel.image().sharedBytes, config.sharedBytes);
  return roomForBlocks(kernel, config);
}

double CpuDevice::elapsed(const EventPoint &begin, const EventPoint &end) const {
  return millisecondsBetween(*begin.state, *end.state);
}

/// GPU-only memory cannot be read here, neither at its beginning nor at its end. Where the system does not let a
/// process check that, the address is trusted.
std::optional<LocatedMemory> CpuDevice::locate(std::span<char> memory) const {
  const LocatedMemory located{MemoryKind::Device, memory.data()};
  if (readable.contains(&memory.front()) && readable.contains(&memory.back())) [[likely]]
    return located;
  char read[2];
  const iovec here{read, sizeof read};
  const iovec there[] = {{&memory.front(), 1}, {&memory.back(), 1}};
  const ssize_t count = process_vm_readv(getpid(), &here, 1, there, 2, 0);
  // One byte: the first was readable, and errno does not describe the last.
  if (count == 0 || count == 1 || (count < 0 && (errno == EFAULT || errno == EIO)))
    return std::nullopt;
  readable.add(&memory.front());
  readable.add(&memory.back());
  return located;
}

/// All kinds are the same, as the device's memory is host memory.
void *CpuDevice::allocate(size_t bytes, MemoryKind) {
  char *const memory = pages.allocate(bytes);
  if (!memory)
    failOutOfMemory(bytes);
  return memory;
}

std::map<std::string, uint64_t> CpuDevice::figures() const {
  return {{"woken workers", streams->pool.get().wakeUps()}, {"split warps", BlockFibers::splits()}};
}

void CpuDevice::release(void *memory, MemoryKind) { pages.release(static_cast<char *>(memory)); }

void CpuDevice::releaseLost(void *memory, MemoryKind) noexcept { pages.release(static_cast<char *>(memory)); }

} // namespace treadle::cpu

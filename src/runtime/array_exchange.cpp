// Locations of memory, producers' streams, and the ordering of an array's consumers.
#include "runtime/array_exchange.h"

#include "interop/tensor_types.h"
#include "memory/use_order.h"
#include "support/error.h"

#include <fmt/core.h>

namespace treadle {

namespace {

[[noreturn]] void failBuffer(const std::string &message) { throw UsageError(UsageError::Kind::Buffer, message); }

} // namespace

DeviceContext *contextIfAny(const dlpack::Device &place) {
  Runtime &runtime = Runtime::instance();
  const auto holds = [&](DeviceContext &context, MemoryKind kind) {
    return context.device->memory().exchangePlace(kind) == std::optional(place);
  };
  const bool isOfHost = place.type == dlpack::CudaHost || place.type == dlpack::CudaManaged;
  const auto reaches = [&](DeviceContext &context) {
    // Memory that the host and all GPUs can access, whatever its device number.
    return holds(context, MemoryKind::Device) ||
           (isOfHost && context.device->memory().exchangePlace(MemoryKind::Mapped).has_value());
  };
  if (DeviceContext &selected = runtime.context(); reaches(selected))
    return &selected;
  for (unsigned i = 0; i < runtime.deviceCount(); ++i)
    if (DeviceContext &context = runtime.contextAt(i); reaches(context))
      return &context;
  return nullptr;
}

DeviceContext &contextAt(const dlpack::Device &place) {
  if (DeviceContext *const found = contextIfAny(place))
    return *found;
  failBuffer("the array is on " + nameOf(place) + ", and no device that TREADLE_DEVICE names has that memory; " +
             (place.type == dlpack::Cpu ? "cuda.to_device(array) copies it" : "copy the array to the host first"));
}

MemoryKind memoryKindAt(const dlpack::Device &place) {
  return place.type == dlpack::CudaManaged ? MemoryKind::Managed
         : place.type == dlpack::CudaHost  ? MemoryKind::Mapped
                                           : MemoryKind::Device;
}

LocatedArray locateMemory(std::span<char> memory) {
  Runtime &runtime = Runtime::instance();
  DeviceContext &selected = runtime.context();
  LocatedArray located{&selected, {MemoryKind::Device, memory.data()}};
  if (memory.empty())
    return located;
  const auto finds = [&](DeviceContext &context) {
    const std::optional<LocatedMemory> found = context.device->memory().locate(memory);
    if (found)
      located = {&context, *found};
    return found.has_value();
  };
  if (finds(selected))
    return located;
  for (unsigned i = 0; i < runtime.deviceCount(); ++i)
    if (DeviceContext &context = runtime.contextAt(i); &context != &selected && finds(context))
      return located;
  const bool isOnCpu = selected.device->memory().isHostVisible(MemoryKind::Device);
  failBuffer(isOnCpu ? "the memory cannot be read by the CPU device: it is a GPU's, or the address is wrong; copy the "
                       "array to the host"
                     : "no GPU knows the memory: it is ordinary memory of the host, or the address is wrong; "
                       "cuda.to_device(array) copies arrays of the host");
}

std::shared_ptr<Stream> producerStream(Device &device, uint64_t handle) {
  if (handle == 2)
    return device.threadStream();
  if (handle == 1)
    return {std::shared_ptr<void>(), &device.defaultStream()}; // lives as long as the device
  std::shared_ptr<Stream> found = device.streamOf(handle);
  if (!found)
    throw UsageError(
        UsageError::Kind::Value,
        fmt::format("the stream of the array's library is {}, which is no stream of the device that has the memory",
                    handle));
  return found;
}

StreamPoint pointAfterProducer(Device &device, const dlpack::Device &place) {
  return hasStreams(place) && device.sharesStreams() ? device.defaultStream().record(false).point : StreamPoint();
}

void comeBehindAll(Stream &consumer, const Buffer &buffer) {
  // A graph may be replayed on a stream other than the one that earlier work is on.
  if (buffer.isUsedOnlyOn(consumer) && &consumer.device() == &buffer.device() && !consumer.isCaptured()) [[likely]]
    return;
  UseOrder(consumer).comeBehind(buffer);
  for (const StreamPoint &use : buffer.uses())
    if (!use.isComplete())
      consumer.wait(use);
}

std::optional<uint64_t> streamForConsumers(const Buffer &buffer, const NamedStream *bound) {
  if (!bound && buffer.isQuiet()) [[likely]]
    return std::nullopt;
  if (!bound && !buffer.isUsedBefore() && buffer.hasNoUses())
    return std::nullopt; // all work is complete, but some has failed
  const NamedStream named = bound ? *bound : NamedStream::ofDefault();
  Stream &shown = named.on(buffer.device());
  comeBehindAll(shown, buffer);
  return named.stream ? shown.handle() : named.isOfThread ? 2 : 1;
}

} // namespace treadle

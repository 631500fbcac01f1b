// Arrays imported from and exported to other libraries: the device of their memory, and the order of its uses.
#pragma once

#include "border/dlpack_abi.h"
#include "memory/buffer.h"
#include "runtime/named_stream.h"
#include "runtime/runtime.h"

#include <memory>
#include <optional>
#include <span>

namespace treadle {

/// The device of that memory: the calling thread's if several qualify. Throws UsageError (Buffer).
TREADLE_API DeviceContext &contextAt(const dlpack::Device &place);
/// The same; null if there is none.
TREADLE_API DeviceContext *contextIfAny(const dlpack::Device &place);
TREADLE_API MemoryKind memoryKindAt(const dlpack::Device &place);
/// Whether work on such memory is queued on streams.
inline bool hasStreams(const dlpack::Device &place) {
  return place.type == dlpack::Cuda || place.type == dlpack::CudaManaged;
}

/// The device of the memory, and the memory's address there.
struct LocatedArray {
  DeviceContext *context;
  LocatedMemory memory;
};

/// The device whose kernels can use the memory: the calling thread's if several qualify or the memory is empty. Throws
/// UsageError (Buffer), DeviceError.
TREADLE_API LocatedArray locateMemory(std::span<char> memory);

/// The stream of the device with that handle. Throws UsageError (Value) if there is none.
TREADLE_API std::shared_ptr<Stream> producerStream(Device &device, uint64_t handle);
/// The work of a producer that names no stream: on a GPU, what is on the legacy default stream now.
TREADLE_API StreamPoint pointAfterProducer(Device &device, const dlpack::Device &place);

/// Orders the consumer's further work on that stream after all work on the memory.
TREADLE_API void comeBehindAll(Stream &consumer, const Buffer &buffer);

/// The handle of the stream that the consumer must synchronise with, after it was made to wait for all others that use
/// the memory; nothing: no work is pending. `bound`: the stream that the array always exports; null: none, as a stream
/// that the array is not bound to may be destroyed before the array.
TREADLE_API std::optional<uint64_t> streamForConsumers(const Buffer &buffer, const NamedStream *bound);

} // namespace treadle

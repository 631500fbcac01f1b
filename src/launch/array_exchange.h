// Arrays that come from other libraries and go to them: which device has their memory, and in whose order it is used.
#pragma once

#include "border/dlpack_abi.h"
#include "launch/named_stream.h"
#include "launch/runtime.h"
#include "memory/buffer.h"

#include <memory>
#include <optional>
#include <span>

namespace treadle {

/// The device in whose memory that place is: the calling thread's where it is one of several. Throws UsageError
/// (Buffer).
TREADLE_API DeviceContext &contextAt(const dlpack::Device &place);
/// The same; null where there is none.
TREADLE_API DeviceContext *contextIfAny(const dlpack::Device &place);
TREADLE_API MemoryKind memoryKindAt(const dlpack::Device &place);
/// Whether work on memory of that place is put on streams.
inline bool hasStreams(const dlpack::Device &place) {
  return place.type == dlpack::Cuda || place.type == dlpack::CudaManaged;
}

/// Which device has the memory, and its address there.
struct LocatedArray {
  DeviceContext *context;
  LocatedMemory memory;
};

/// The device whose kernels can use the memory: the calling thread's where it is one of several, and where the memory
/// is empty. Throws UsageError (Buffer), DeviceError.
TREADLE_API LocatedArray locateMemory(std::span<char> memory);

/// The stream of the device with that handle. Throws UsageError (Value) where there is none.
TREADLE_API std::shared_ptr<Stream> producerStream(Device &device, uint64_t handle);
/// What a producer that names no stream has done: on a GPU, on the legacy default stream, up to now.
TREADLE_API StreamPoint pointBehindProducer(Device &device, const dlpack::Device &place);

/// What the consumer puts on that stream from now on comes behind all work on the memory.
TREADLE_API void comeBehindAll(Stream &consumer, const Buffer &buffer);

/// The handle of the stream whose work the consumer has to come behind, after it was made to wait for all others that
/// use the memory; nothing: no work is pending. `bound`: the stream that the array shows in any case; null: none, as a
/// stream that the array is not bound to may be destroyed while the array lives.
TREADLE_API std::optional<uint64_t> streamForConsumers(const Buffer &buffer, const NamedStream *bound);

} // namespace treadle

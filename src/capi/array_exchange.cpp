// Arrays of other libraries, through the C side of the CUDA Array Interface and through DLPack.
#include "runtime/array_exchange.h"

#include "capi/array_description.h"
#include "capi/sized_struct.h"
#include "interop/described_array.h"
#include "interop/exported_tensor.h"
#include "interop/tensor_reader.h"

#include <cstddef>
#include <fmt/core.h>

using namespace treadle;
using namespace treadle::capi;

static_assert(sizeof(treadle_dl_tensor) == sizeof(dlpack::Tensor) && sizeof(treadle_dl_tensor) == 48 &&
              offsetof(treadle_dl_tensor, ndim) == 16 && offsetof(treadle_dl_tensor, code) == 20 &&
              offsetof(treadle_dl_tensor, shape) == 24 && offsetof(treadle_dl_tensor, byte_offset) == 40);
static_assert(sizeof(treadle_dl_managed) == 64 && offsetof(treadle_dl_managed, deleter) == 56 &&
              sizeof(treadle_dl_versioned) == 80 && offsetof(treadle_dl_versioned, flags) == 24 &&
              offsetof(treadle_dl_versioned, tensor) == 32);

namespace treadle::capi {

namespace {

[[noreturn]] void failBuffer(const std::string &message) { throw ApiError(TREADLE_ERROR_BUFFER, message); }

/// A consumer's reference to a description's owner.
struct RetainedOwner {
  void *owner;
  void (*release)(void *);

  static void drop(const void *kept) {
    const std::unique_ptr<const RetainedOwner> own(static_cast<const RetainedOwner *>(kept));
    own->release(own->owner);
  }
};

/// Null: the memory is borrowed.
KeptMemory retained(const treadle_array_desc &given) {
  if (!given.owner)
    return {};
  if (!given.retain || !given.release)
    failBuffer("desc has an owner, and retain or release is NULL");
  auto kept = std::make_unique<RetainedOwner>(RetainedOwner{given.owner, given.release});
  given.retain(given.owner);
  return {kept.release(), {RetainedOwner::drop}};
}

void checkImportable(const treadle_array_desc &given) {
  if (given.mask || (given.flags & TREADLE_ARRAY_HAS_MASK) != 0)
    failBuffer("desc has a mask: masked arrays are not supported, pass the array and its mask");
  if (given.descr || (given.flags & TREADLE_ARRAY_HAS_DESCR) != 0)
    failBuffer("desc has a descr: records are not supported by this version");
  if (given.event != 0 || (given.flags & TREADLE_ARRAY_HAS_EVENT) != 0)
    failBuffer("desc has an event: this version orders arrays by streams; make a stream wait for the event, and name "
               "that stream");
  if (given.stream_kind < TREADLE_STREAM_NONE || given.stream_kind > TREADLE_STREAM_HANDLE)
    failBuffer(fmt::format("stream_kind is {}; it must be one of TREADLE_STREAM_*", given.stream_kind));
  if (given.stream_kind == TREADLE_STREAM_HANDLE && given.stream <= 2)
    failBuffer(
        fmt::format("stream is {}, which is no handle of a stream: the default streams have a stream_kind of their own",
                    given.stream));
}

std::optional<uint64_t> producerOf(const treadle_array_desc &given) {
  switch (given.stream_kind) {
  case TREADLE_STREAM_LEGACY:
    return 1;
  case TREADLE_STREAM_THREAD:
    return 2;
  case TREADLE_STREAM_HANDLE:
    return given.stream;
  default:
    return std::nullopt;
  }
}

ForeignArray foreignArray(const treadle_array_desc &given) {
  const Type *const element = elementOf(given);
  const std::span<const int64_t> shape = shapeOf(given);
  int64_t packed[maxDimensions];
  std::span<const int64_t> strides(packed, shape.size());
  // The flag is ignored: older producers set the pointer only.
  if (given.byte_strides)
    strides = {given.byte_strides, shape.size()};
  else
    packStrides(shape, element->bytes(), false, {packed, shape.size()});
  return ForeignArray({reinterpret_cast<void *>(given.data), // NOLINT(performance-no-int-to-ptr)
                       {shape, strides, element->bytes()},
                       element,
                       (given.flags & TREADLE_ARRAY_READ_ONLY) != 0});
}

/// A device that contradicts the location of the memory is an error in one of the two.
void checkPlace(const treadle_array_desc &given, const LocatedArray &located) {
  const std::optional<dlpack::Device> place = located.context->device->memory().exchangePlace(located.memory.kind);
  const bool isOnCpu = place && place->type == dlpack::Cpu;
  if (given.device_type != 0 && isOnCpu != (given.device_type == dlpack::Cpu))
    failBuffer(fmt::format("device_type is {}, and the memory is the {} device's", given.device_type,
                           located.context->device->kind()));
}

treadle_array newArray(ForeignArray &&array) {
  return handleOf(std::make_unique<ArrayObject>(std::move(array.view), array.element, array.isReadOnly));
}

/// Another handle to the same object, as arrays are immutable.
treadle_array sharedArray(const ArrayObject &array) {
  array.view.owner->checkAlive();
  return handleOf(Ref(const_cast<ArrayObject &>(array)));
}

treadle_array importDescribed(const treadle_array_desc &given) {
  if (const ArrayObject *const own = ownArray(given))
    return sharedArray(*own);
  checkImportable(given);
  ForeignArray array = foreignArray(given);
  const LocatedArray located = locateMemory(array.memory);
  if (!array.memory.empty())
    checkPlace(given, located);
  MemoryOwner owner{.owner = {}, .kind = located.memory.kind};
  if (const std::optional<uint64_t> producer = producerOf(given))
    owner.producer = producerStream(*located.context->device, *producer);
  owner.owner = retained(given);
  array.own(located.context->memory, located.memory.data, std::move(owner));
  return newArray(std::move(array));
}

/// The consumer may use the array at once: on the host, or on a stream.
void orderOnHost(const ArrayObject &array) {
  array.view.owner->checkAlive();
  if (array.place.type == 0)
    failBuffer("other libraries cannot reach memory of this device (" + array.view.owner->device().kind() + ')');
  if (array.place.type == dlpack::Cpu)
    return awaitUses(*array.view.owner);
  array.view.owner->leaveCache();
}

void showStream(const ArrayObject &array, treadle_stream consumer, treadle_array_desc &filled) {
  const Buffer &buffer = *array.view.owner;
  orderOnHost(array);
  if (array.place.type == dlpack::Cpu)
    return;
  const NamedStream *bound = consumer ? &found<StreamObject>(consumer, "consumer").named : nullptr;
  if (consumer)
    CallStream(consumer, buffer.device(), "consumer");
  const std::optional<uint64_t> shown = streamForConsumers(buffer, bound);
  if (!shown)
    return;
  filled.stream_kind = *shown == 1   ? TREADLE_STREAM_LEGACY
                       : *shown == 2 ? TREADLE_STREAM_THREAD
                                     : TREADLE_STREAM_HANDLE;
  filled.stream = *shown > 2 ? *shown : 0;
}

/// A tensor before ownership passes to the library: on failure the caller keeps it.
struct CheckedTensor {
  ForeignArray array;
  DeviceContext &context;
  MemoryOwner owner;
};

std::shared_ptr<Stream> producerNamed(treadle_stream producer, Device &device) {
  const CallStream checked(producer, device, "producer");
  const NamedStream &named = found<StreamObject>(producer, "producer").named;
  return named.stream ? named.stream : producerStream(device, named.isOfThread ? 2 : 1);
}

CheckedTensor checkedTensor(const dlpack::Tensor &tensor, uint64_t flags, treadle_stream producer) {
  CheckedTensor checked{ForeignArray(TensorReader(tensor, flags).description()),
                        contextAt(tensor.device),
                        {.owner = {}, .kind = memoryKindAt(tensor.device)}};
  if (producer)
    checked.owner.producer = producerNamed(producer, *checked.context.device);
  else
    checked.owner.usedBefore = pointAfterProducer(*checked.context.device, tensor.device);
  return checked;
}

template <typename Managed> treadle_array importTensor(Managed *managed, treadle_stream producer) {
  Managed &given = required(managed, "tensor");
  checkVersion(given);
  CheckedTensor checked = checkedTensor(given.tensor, flagsOf(given), producer);
  // An exception before the handle exists must not release the tensor.
  struct Lent {
    Managed *managed;
    bool isTaken = false;
    static void drop(const void *kept) {
      const std::unique_ptr<const Lent> own(static_cast<const Lent *>(kept));
      if (own->isTaken)
        ownTensor(own->managed).reset();
    }
  };
  auto lent = std::make_unique<Lent>(Lent{&given});
  Lent &state = *lent;
  checked.owner.owner = {lent.release(), {Lent::drop}};
  checked.array.own(checked.context.memory, checked.array.memory.data(), std::move(checked.owner));
  const treadle_array handle = newArray(std::move(checked.array));
  state.isTaken = true;
  return handle;
}

template <typename Managed> Managed *exportAs(const ArrayObject &array, treadle_stream consumer) {
  if (array.tensorType.code == TREADLE_CODE_DESCR)
    failBuffer("DLPack has no type for elements of " + std::string(array.element->name()));
  const TensorExport as{array.tensorType, array.place, array.isReadOnly ? uint64_t(dlpack::ReadOnly) : 0};
  const Buffer &buffer = *array.view.owner;
  const CallStream named(consumer, buffer.device(), "consumer");
  int64_t strides[maxDimensions];
  strideInElements(array.view, strides); // throws before any waiting
  orderOnHost(array);
  Stream &queue = consumer ? named.stream : buffer.device().defaultStream();
  if (array.place.type != dlpack::Cpu)
    comeBehindAll(queue, buffer);
  return exportTensor<Managed>(array.view, as);
}

} // namespace

} // namespace treadle::capi

treadle_status treadle_array_import(const treadle_array_desc *desc, treadle_array *array) {
  return call(__func__, [&] {
    treadle_array &to = required(array, "array");
    to = importDescribed(readDescription(desc));
  });
}

treadle_status treadle_array_export(treadle_array array, treadle_stream consumer, treadle_array_desc *desc) {
  return call(__func__, [&] {
    const ArrayObject &known = found<ArrayObject>(array, "array");
    checkedSize(desc, "desc");
    treadle_array_desc filled = describe(known);
    showStream(known, consumer, filled);
    writeStruct(desc, filled);
  });
}

treadle_status treadle_array_from_dlpack(struct DLManagedTensorVersioned *tensor, treadle_stream producer,
                                         treadle_array *array) {
  return call(__func__, [&] {
    treadle_array &to = required(array, "array");
    to = importTensor(reinterpret_cast<dlpack::ManagedTensorVersioned *>(tensor), producer);
  });
}

treadle_status treadle_array_from_dlpack_legacy(struct DLManagedTensor *tensor, treadle_stream producer,
                                                treadle_array *array) {
  return call(__func__, [&] {
    treadle_array &to = required(array, "array");
    to = importTensor(reinterpret_cast<dlpack::ManagedTensor *>(tensor), producer);
  });
}

treadle_status treadle_array_to_dlpack(treadle_array array, treadle_stream consumer,
                                       struct DLManagedTensorVersioned **tensor) {
  return call(__func__, [&] {
    const ArrayObject &known = found<ArrayObject>(array, "array");
    auto &to = required(tensor, "tensor");
    to = reinterpret_cast<DLManagedTensorVersioned *>(exportAs<dlpack::ManagedTensorVersioned>(known, consumer));
  });
}

treadle_status treadle_array_to_dlpack_legacy(treadle_array array, treadle_stream consumer,
                                              struct DLManagedTensor **tensor) {
  return call(__func__, [&] {
    const ArrayObject &known = found<ArrayObject>(array, "array");
    auto &to = required(tensor, "tensor");
    to = reinterpret_cast<DLManagedTensor *>(exportAs<dlpack::ManagedTensor>(known, consumer));
  });
}

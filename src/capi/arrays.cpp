// Arrays: made by allocation or over memory, and copied.
#include "capi/array_description.h"
#include "capi/sized_struct.h"
#include "interop/interface_types.h"
#include "interop/tensor_types.h"
#include "memory/array_shapes.h"
#include "memory/new_array.h"
#include "runtime/runtime.h"
#include "types/names/type_code.h"

#include <algorithm>
#include <fmt/core.h>

using namespace treadle;
using namespace treadle::capi;

namespace treadle::capi {

namespace {

NumberCode codeOf(const Type *element) {
  const NumberCode number = numberCode(element);
  return number == NumberCode::None ? NumberCode::Other : number;
}

/// A view of no memory yet, with a description's extents.
ArrayView unplaced(std::span<const int64_t> shape, uint32_t itemBytes) {
  ArrayView view(nullptr, nullptr, itemBytes);
  for (const int64_t extent : shape)
    view.addAxis(extent, 0);
  return view;
}

void checkBytes(const ArrayObject &array, uint64_t bytes) {
  const uint64_t own = uint64_t(array.view.count()) * array.view.itemBytes;
  if (bytes != own)
    failArgument(fmt::format("bytes is {}, and the array's elements have {}", bytes, own));
}

ArrayView allocated(DeviceContext &context, MemoryKind kind, const treadle_array_desc &wanted, treadle_stream stream) {
  const CallStream first(stream, *context.device, "stream");
  ArrayView view = unplaced(shapeOf(wanted), elementOf(wanted)->bytes());
  allocateElements(view, {false, stridesOf(wanted)}, {context.memory, first.stream.timeline(), kind, awaitForMemory});
  return view;
}

ArrayView viewOver(const MemoryObject &memory, uint64_t offset, const treadle_array_desc &wanted) {
  const Buffer &buffer = *memory.view.owner;
  buffer.checkAlive();
  const Type *const element = elementOf(wanted);
  const std::span<const int64_t> shape = shapeOf(wanted);
  int64_t packed[maxDimensions];
  packStrides(shape, element->bytes(), false, {packed, shape.size()});
  const std::span<const int64_t> strides = stridesOf(wanted).value_or(std::span<const int64_t>(packed, shape.size()));
  if (offset > buffer.bytes())
    failArgument(fmt::format("offset is {}, and the memory has {} bytes", offset, buffer.bytes()));
  ArrayView view =
      ArrayView::checked({buffer.data(), buffer.bytes()}, int64_t(offset), {shape, strides, element->bytes()});
  if (view.count() != 0 && !areAligned(view.data, view.strided(), element->alignment()))
    failArgument(fmt::format("elements of {} lie at multiples of {} bytes, and offset or byte_strides are none",
                             element->name(), element->alignment()));
  view.owner = memory.view.owner;
  return view;
}

treadle_array newArray(ArrayView view, const Type *element) {
  return handleOf(std::make_unique<ArrayObject>(std::move(view), element, false));
}

} // namespace

ArrayObject::ArrayObject(ArrayView given, const Type *element, bool isReadOnly)
    : view(std::move(given)), element(element), number(codeOf(element)), layout(layoutOf(view.strided())),
      isReadOnly(isReadOnly), isEmpty(view.count() == 0),
      tensorType(tensorTypeOf(element).value_or(dlpack::DataType{TREADLE_CODE_DESCR, 0, 0})),
      place(view.owner->device().memory().exchangePlace(view.owner->kind()).value_or(dlpack::Device{})),
      typestr(typestrOf(element)) {}

void ArrayObject::checkWritable(const char *name) const {
  if (isReadOnly)
    failArgument(std::string(name) + " is read-only: copy it, and write to the copy");
}

} // namespace treadle::capi

treadle_status treadle_array_create(treadle_device device, uint32_t memory_kind, const treadle_array_desc *desc,
                                    treadle_stream stream, treadle_array *array) {
  return call(__func__, [&] {
    DeviceContext &context = found<DeviceObject>(device, "device").context;
    treadle_array &to = required(array, "array");
    const MemoryKind kind = memoryKindOf(memory_kind);
    const treadle_array_desc wanted = readDescription(desc);
    to = newArray(allocated(context, kind, wanted, stream), elementOf(wanted));
  });
}

treadle_status treadle_array_over(treadle_memory memory, uint64_t offset, const treadle_array_desc *desc,
                                  treadle_array *array) {
  return call(__func__, [&] {
    const MemoryObject &known = found<MemoryObject>(memory, "memory");
    treadle_array &to = required(array, "array");
    const treadle_array_desc wanted = readDescription(desc);
    to = newArray(viewOver(known, offset, wanted), elementOf(wanted));
  });
}

treadle_status treadle_array_free(treadle_array array) {
  return call(__func__, [&] { freeHandle<ArrayObject>(array, "array"); });
}

treadle_status treadle_array_write(treadle_array array, const void *from, uint64_t bytes, treadle_stream stream) {
  return call(__func__, [&] {
    const ArrayObject &known = found<ArrayObject>(array, "array");
    known.view.owner->checkAlive();
    known.checkWritable("array");
    checkBytes(known, bytes);
    checkHost(from, bytes, "from");
    writeElements(known.view, from, stream);
  });
}

treadle_status treadle_array_read(treadle_array array, void *to, uint64_t bytes, treadle_stream stream) {
  return call(__func__, [&] {
    const ArrayObject &known = found<ArrayObject>(array, "array");
    known.view.owner->checkAlive();
    checkBytes(known, bytes);
    checkHost(to, bytes, "to");
    readElements(known.view, to, stream);
  });
}

treadle_status treadle_array_copy(treadle_array to, treadle_array from, treadle_stream stream) {
  return call(__func__, [&] {
    const ArrayObject &target = found<ArrayObject>(to, "to"), &source = found<ArrayObject>(from, "from");
    target.view.owner->checkAlive();
    source.view.owner->checkAlive();
    target.checkWritable("to");
    if (target.element != source.element)
      throw ApiError(TREADLE_ERROR_TYPE, "to has elements of " + std::string(target.element->name()) +
                                             ", and from of " + std::string(source.element->name()));
    if (!std::ranges::equal(target.view.extents(), source.view.extents()))
      failArgument("to has shape " + shapeText(target.view.extents()) + ", and from " +
                   shapeText(source.view.extents()));
    copyElements(target.view, source.view, stream);
  });
}

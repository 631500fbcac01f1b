// Reads and writes treadle_array_desc.
#include "capi/array_description.h"

#include "capi/sized_struct.h"
#include "interop/interface_types.h"
#include "interop/tensor_types.h"

#include <cstddef>
#include <cstring>
#include <fmt/core.h>

using D = treadle_array_desc;
static_assert(sizeof(D) == 128 && offsetof(D, struct_size) == 8 && offsetof(D, flags) == 12 &&
              offsetof(D, data) == 16 && offsetof(D, device_type) == 24 && offsetof(D, code) == 32 &&
              offsetof(D, bits) == 33 && offsetof(D, lanes) == 34 && offsetof(D, itemsize) == 36 &&
              offsetof(D, ndim) == 40 && offsetof(D, stream_kind) == 44 && offsetof(D, stream) == 48 &&
              offsetof(D, event) == 56 && offsetof(D, shape) == 64 && offsetof(D, byte_strides) == 72 &&
              offsetof(D, typestr) == 80 && offsetof(D, descr) == 88 && offsetof(D, mask) == 96 &&
              offsetof(D, owner) == 104 && offsetof(D, retain) == 112 && offsetof(D, release) == 120);

namespace treadle::capi {

namespace {

[[noreturn]] void failBuffer(const std::string &message) { throw ApiError(TREADLE_ERROR_BUFFER, message); }

/// Longer texts are not typestrs.
constexpr size_t longestTypestr = 64;

const Type *elementOfText(const char *text) {
  if (!text)
    failBuffer("code is 255 and typestr is NULL, so that nothing says what the elements are");
  const std::string_view typestr(text, strnlen(text, longestTypestr));
  if (const Type *element = elementOfTypestr(typestr))
    return element;
  failBuffer("the elements are of a type that arrays do not have: '" + std::string(typestr) + "'");
}

void checkNdim(const D &given) {
  if (given.ndim < 0 || given.ndim > int32_t(maxDimensions))
    failBuffer(fmt::format("ndim is {}; arrays have 0 to {} dimensions", given.ndim, maxDimensions));
}

} // namespace

D readDescription(const D *given) {
  const D &named = required(given, "desc");
  if (named.abi_major != TREADLE_VERSION_MAJOR)
    throw ApiError(TREADLE_ERROR_UNSUPPORTED, fmt::format("desc: abi_major is {}, and this library reads version {}",
                                                          named.abi_major, TREADLE_VERSION_MAJOR));
  return readStruct(given, "desc");
}

const Type *elementOf(const D &given) {
  const bool isPadded = (given.flags & TREADLE_ARRAY_PADDED) != 0;
  const dlpack::DataType type{given.code, given.bits, given.lanes};
  const Type *const element =
      given.code == TREADLE_CODE_DESCR ? elementOfText(given.typestr) : elementOfTensor(type, isPadded);
  if (!element)
    failBuffer("the elements are of a type that arrays do not have: " + nameOf(type));
  if (given.itemsize != 0 && given.itemsize != element->bytes())
    failBuffer(fmt::format("itemsize is {}, and elements of {} have {} bytes", given.itemsize, element->name(),
                           element->bytes()));
  return element;
}

std::span<const int64_t> shapeOf(const D &given) {
  checkNdim(given);
  if (given.ndim > 0 && !given.shape)
    failBuffer(fmt::format("ndim is {} and shape is NULL", given.ndim));
  return {given.shape, size_t(given.ndim)};
}

std::optional<std::span<const int64_t>> stridesOf(const D &given) {
  checkNdim(given);
  if ((given.flags & TREADLE_ARRAY_HAS_STRIDES) == 0 || given.ndim == 0)
    return std::nullopt;
  if (!given.byte_strides)
    failBuffer("flags has TREADLE_ARRAY_HAS_STRIDES, and byte_strides is NULL");
  return std::span<const int64_t>(given.byte_strides, size_t(given.ndim));
}

namespace {

void retainArray(void *owner) { static_cast<const ArrayObject *>(owner)->retain(); }
void releaseArray(void *owner) { static_cast<const ArrayObject *>(owner)->release(); }

} // namespace

D describe(const ArrayObject &array) {
  const ArrayView &view = array.view;
  D made{};
  made.abi_major = TREADLE_VERSION_MAJOR;
  made.abi_minor = TREADLE_VERSION_MINOR;
  made.flags = TREADLE_ARRAY_HAS_STRIDES | (array.isReadOnly ? TREADLE_ARRAY_READ_ONLY : 0);
  made.data = array.isEmpty ? 0 : reinterpret_cast<uintptr_t>(view.data);
  made.device_type = array.place.type;
  made.device_id = array.place.id;
  made.code = array.tensorType.code;
  made.bits = array.tensorType.bits;
  made.lanes = array.tensorType.lanes;
  if (made.bits < 8)
    made.flags |= TREADLE_ARRAY_PADDED;
  made.itemsize = view.itemBytes;
  made.ndim = view.ndim;
  made.shape = view.ndim ? view.shape : nullptr;
  made.byte_strides = view.ndim ? view.strides : nullptr;
  made.typestr = array.typestr.c_str();
  made.owner = const_cast<ArrayObject *>(&array);
  made.retain = retainArray;
  made.release = releaseArray;
  return made;
}

const ArrayObject *ownArray(const D &given) {
  if (given.retain != retainArray)
    return nullptr;
  const auto *const array = static_cast<const ArrayObject *>(given.owner);
  D own = describe(*array);
  own.struct_size = given.struct_size;
  own.abi_minor = given.abi_minor;
  return std::memcmp(&own, &given, sizeof own) == 0 ? array : nullptr;
}

} // namespace treadle::capi

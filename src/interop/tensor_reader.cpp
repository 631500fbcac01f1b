// Reads a DLTensor. No field is trusted.
#include "interop/tensor_reader.h"

#include "interop/tensor_types.h"

#include <fmt/core.h>

namespace treadle {

namespace {

[[noreturn]] void fail(const std::string &message) { throw UsageError(UsageError::Kind::Buffer, message); }

void packInOrder(std::span<const int64_t> shape, int64_t itemBytes, int64_t *strides) {
  try {
    packStrides(shape, itemBytes, false, {strides, shape.size()});
  } catch (const UsageError &error) {
    fail(error.what());
  }
}

} // namespace

TensorReader::TensorReader(const dlpack::Tensor &tensor, uint64_t flags) {
  array.element = elementOfTensor(tensor.dtype, (flags & dlpack::IsPadded) != 0);
  if (!array.element)
    fail("the tensor's elements are of a type that arrays do not have: " + nameOf(tensor.dtype));
  if (tensor.ndim < 0 || tensor.ndim > int32_t(maxDimensions))
    fail(fmt::format("the tensor has {} dimensions; arrays have 0 to {}", tensor.ndim, maxDimensions));
  const auto ndim = size_t(tensor.ndim);
  if (ndim > 0 && !tensor.shape)
    fail("the tensor has dimensions, but no shape");
  const auto itemBytes = int64_t(array.element->bytes());
  array.extents = {{tensor.shape, ndim}, {strides, ndim}, itemBytes};
  if (!tensor.strides)
    packInOrder(array.extents.shape, itemBytes, strides);
  for (size_t axis = 0; tensor.strides && axis < ndim; ++axis)
    if (__builtin_mul_overflow(tensor.strides[axis], itemBytes, &strides[axis])) {
      if (tensor.shape[axis] > 1)
        fail(fmt::format("strides[{}] is {} elements, beyond the address space", axis, tensor.strides[axis]));
      strides[axis] = itemBytes; // of an axis that is never stepped along
    }
  const auto address = reinterpret_cast<uintptr_t>(tensor.data);
  uintptr_t first = 0;
  if (__builtin_add_overflow(address, tensor.byteOffset, &first))
    fail(fmt::format("byte_offset is beyond the address space: {}", tensor.byteOffset));
  array.data = tensor.data ? reinterpret_cast<void *>(first) : nullptr; // NOLINT(performance-no-int-to-ptr)
  array.isReadOnly = (flags & dlpack::ReadOnly) != 0;
}

void checkVersion(const dlpack::ManagedTensorVersioned &managed) {
  if (managed.version.major != dlpack::ownVersion.major)
    fail(fmt::format("the tensor is one of DLPack {}.{}, and 1.x is what can be read", managed.version.major,
                     managed.version.minor));
}

} // namespace treadle

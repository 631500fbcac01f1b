// One allocation holds a tensor, its extents, its strides and its owner.
#include "interop/exported_tensor.h"

#include "support/error.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <type_traits>

namespace treadle {

namespace {

[[noreturn]] void fail(const char *message) { throw UsageError(UsageError::Kind::Buffer, message); }

} // namespace

/// Most element sizes are a power of 2, and a division would double the time.
void strideInElements(const ArrayView &view, int64_t *strides) {
  const bool isPowerOf2 = std::has_single_bit(view.itemBytes);
  const int shift = std::countr_zero(view.itemBytes);
  for (unsigned axis = 0; axis < view.ndim; ++axis) {
    const int64_t bytes = view.strides[axis];
    strides[axis] = isPowerOf2 ? bytes >> shift : bytes / int64_t(view.itemBytes);
    const bool isWhole = strides[axis] * int64_t(view.itemBytes) == bytes;
    if (!isWhole && view.shape[axis] != 1 && view.count() != 0) [[unlikely]]
      fail("DLPack has strides in whole elements only, and these are not: copy the array");
  }
}

namespace {

template <typename Managed> struct ExportedTensor {
  Managed managed{};
  std::shared_ptr<Buffer> owner; ///< keeps the memory
  int64_t shape[maxDimensions];
  int64_t strides[maxDimensions]; ///< in elements

  explicit ExportedTensor(const ArrayView &view) : owner(view.owner) {
    std::copy_n(view.shape, view.ndim, shape);
    strideInElements(view, strides);
  }
  static void drop(Managed *managed) { delete static_cast<ExportedTensor *>(managed->context); }
};

} // namespace

template <typename Managed> Managed *exportTensor(const ArrayView &view, const TensorExport &as) {
  constexpr bool isVersioned = std::is_same_v<Managed, dlpack::ManagedTensorVersioned>;
  if (!isVersioned && (as.flags & dlpack::ReadOnly) != 0)
    fail("the array is read-only, which the consumer could not know: it asks for DLPack before 1.0 (max_version); copy "
         "the array");
  const bool isPadded = as.type.bits < 8;
  if (!isVersioned && isPadded)
    fail("elements of less than 8 bits have a byte each, which the consumer could not know: it asks for DLPack before "
         "1.0 (max_version)");
  auto made = std::make_unique<ExportedTensor<Managed>>(view);
  made->managed.tensor = {.data = view.count() == 0 ? nullptr : view.data,
                          .device = as.device,
                          .ndim = view.ndim,
                          .dtype = as.type,
                          .shape = made->shape,
                          .strides = made->strides,
                          .byteOffset = 0};
  made->managed.context = made.get();
  made->managed.deleter = ExportedTensor<Managed>::drop;
  if constexpr (isVersioned) {
    made->managed.version = dlpack::ownVersion;
    made->managed.flags = as.flags | (isPadded ? uint64_t(dlpack::IsPadded) : 0);
  }
  return &made.release()->managed;
}

template dlpack::ManagedTensor *exportTensor(const ArrayView &, const TensorExport &);
template dlpack::ManagedTensorVersioned *exportTensor(const ArrayView &, const TensorExport &);

} // namespace treadle

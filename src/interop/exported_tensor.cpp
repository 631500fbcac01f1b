// A tensor, the view that it shows and its strides are one allocation.
#include "interop/exported_tensor.h"

#include "support/error.h"

#include <memory>
#include <type_traits>

namespace treadle {

namespace {

[[noreturn]] void fail(const char *message) { throw UsageError(UsageError::Kind::Buffer, message); }

template <typename Managed> struct ExportedTensor {
  Managed managed{};
  ArrayView view;                 ///< its extents are the tensor's, and its owner keeps the memory
  int64_t strides[maxDimensions]; ///< in elements

  explicit ExportedTensor(const ArrayView &view) : view(view) {}
  static void drop(Managed *managed) { delete static_cast<ExportedTensor *>(managed->context); }
};

} // namespace

void strideInElements(const ArrayView &view, int64_t *strides) {
  const bool hasElements = view.count() != 0;
  for (unsigned axis = 0; axis < view.ndim; ++axis) {
    const bool isWhole = view.strides[axis] % int64_t(view.itemBytes) == 0;
    if (!isWhole && hasElements && view.shape[axis] != 1)
      fail("DLPack has strides in whole elements only, and these are not: copy the array");
    strides[axis] = view.strides[axis] / int64_t(view.itemBytes);
  }
}

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
  strideInElements(made->view, made->strides);
  made->managed.tensor = {.data = view.count() == 0 ? nullptr : view.data,
                          .device = as.device,
                          .ndim = view.ndim,
                          .dtype = as.type,
                          .shape = made->view.shape,
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

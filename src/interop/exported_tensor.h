// Views as DLPack's tensors.
#pragma once

#include "border/dlpack_abi.h"
#include "memory/array_view.h"

namespace treadle {

/// How a view is exported.
struct TensorExport {
  dlpack::DataType type;
  dlpack::Device device;
  uint64_t flags = 0; ///< of dlpack::Flag
};

/// Axes of one element, and those of arrays without elements, have any strides. Throws UsageError (Buffer) where others
/// are no whole elements.
TREADLE_API void strideInElements(const ArrayView &view, int64_t *strides);

/// A tensor that keeps the view's memory alive until its deleter is called, by any thread, with or without a lock of
/// the host's. `Managed`: dlpack::ManagedTensor or ManagedTensorVersioned. Throws UsageError (Buffer) where its strides
/// are no whole numbers of elements, and in a ManagedTensor, which cannot say so, for read-only memory and padded
/// elements.
template <typename Managed> Managed *exportTensor(const ArrayView &view, const TensorExport &as);
extern template TREADLE_API dlpack::ManagedTensor *exportTensor(const ArrayView &, const TensorExport &);
extern template TREADLE_API dlpack::ManagedTensorVersioned *exportTensor(const ArrayView &, const TensorExport &);

} // namespace treadle

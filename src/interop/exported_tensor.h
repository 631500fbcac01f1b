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

/// Strides of axes of one element, and of arrays without elements, are arbitrary. Throws UsageError (Buffer) where
/// others are not whole elements.
TREADLE_API void strideInElements(const ArrayView &view, int64_t *strides);

/// A tensor that keeps the view's memory alive until its deleter is called, on any thread, with or without a host lock.
/// `Managed`: dlpack::ManagedTensor or ManagedTensorVersioned. Throws UsageError (Buffer) where strides are not whole
/// numbers of elements, and, in a ManagedTensor, which has no flags for them, for read-only memory and padded elements.
template <typename Managed> Managed *exportTensor(const ArrayView &view, const TensorExport &as);
extern template TREADLE_API dlpack::ManagedTensor *exportTensor(const ArrayView &, const TensorExport &);
extern template TREADLE_API dlpack::ManagedTensorVersioned *exportTensor(const ArrayView &, const TensorExport &);

} // namespace treadle

// TensorReader: a foreign DLPack tensor as a description.
#pragma once

#include "border/dlpack_abi.h"
#include "interop/described_array.h"

namespace treadle {

/// Refers to the tensor, which outlives it.
class TREADLE_API TensorReader {
public:
  /// Throws UsageError (Buffer) for elements and dimensions that arrays cannot have.
  TensorReader(const dlpack::Tensor &tensor, uint64_t flags);
  TensorReader(const TensorReader &) = delete;
  TensorReader &operator=(const TensorReader &) = delete;

  const ArrayDescription &description() const { return array; }

private:
  ArrayDescription array;
  int64_t strides[maxDimensions]; ///< bytes
};

/// Takes a tensor over from its producer: the result owns it, and calls the deleter on the thread that drops it.
template <typename Managed> KeptMemory ownTensor(Managed *managed) {
  return {managed, {[](const void *kept) {
            auto *const owned = static_cast<Managed *>(const_cast<void *>(kept));
            if (owned->deleter)
              owned->deleter(owned);
          }}};
}

/// Throws UsageError (Buffer) for another major version, of which nothing after the flags may be read.
TREADLE_API void checkVersion(const dlpack::ManagedTensorVersioned &managed);
inline void checkVersion(const dlpack::ManagedTensor &) {}
inline uint64_t flagsOf(const dlpack::ManagedTensorVersioned &managed) { return managed.flags; }
inline uint64_t flagsOf(const dlpack::ManagedTensor &) { return 0; }

} // namespace treadle

// TakenTensor: a DLPack tensor that its producer has handed over, checked.
#pragma once

#include "border/dlpack_abi.h"
#include "python/arrays/device_array_object.h"

#include <memory>

namespace treadle::python {

/// What is asked of a producer beyond the array as it is; null: nothing.
struct TensorWishes {
  PyObject *device = nullptr, *copy = nullptr;
  bool areNone() const { return !device && !copy; }
};

/// Memory of the host is not any device's yet: kernels use it as they use NumPy arrays.
struct TakenTensor {
  std::shared_ptr<const void> owner; ///< of the memory, and of the tensor
  ArrayView view;                    ///< without an owner of its own
  const Type *element = nullptr;
  bool isReadOnly = false;
  dlpack::Device place{};

  /// Throws UsageError (Buffer, Type, Value), and what the producer raises as nanobind::python_error. A tensor that was
  /// taken is deleted then.
  explicit TakenTensor(nanobind::handle producer, const TensorWishes &wishes = {});
  /// Over its memory, on the device that has it. Throws UsageError (Buffer) where none has.
  DeviceArray array() const;

private:
  template <typename Managed> void take(Managed *managed);
};

} // namespace treadle::python

// TakenTensor: a DLPack tensor that its producer has handed over, checked.
#pragma once

#include "border/dlpack_abi.h"
#include "python/arrays/device_array_object.h"

#include <memory>
#include <optional>

namespace treadle::python {

/// What is asked of a producer beyond the array as it is; null: nothing.
struct TensorWishes {
  PyObject *device = nullptr, *copy = nullptr;
  bool areNone() const { return !device && !copy; }
};

/// Memory of the host is not any device's yet: kernels use it as they use NumPy arrays.
struct TakenTensor {
  KeptMemory owner; ///< of the memory, and of the tensor
  ArrayView view;   ///< without an owner of its own
  const Type *element = nullptr;
  bool isReadOnly = false;
  dlpack::Device place{};
  /// Where its library works on it, by CUDA's handle; nothing: on the legacy default stream, up to now.
  std::optional<uint64_t> stream;
  bool isOrdered = true; ///< false: whoever handed it over sees to the order

  /// By the exchange table of its class where that has one and there are no wishes, else by its methods. Throws
  /// UsageError (Buffer, Type, Value), and what the producer raises as nanobind::python_error. A tensor that was taken
  /// is deleted then.
  explicit TakenTensor(nanobind::handle producer, const TensorWishes &wishes = {});
  /// As the exchange table of its class gives it.
  TakenTensor(const dlpack::ExchangeTable &table, nanobind::handle producer) { takeBy(table, producer); }
  /// As that table has lent it: the producer is kept in the tensor's place.
  TakenTensor(const dlpack::Tensor &lent, const dlpack::ExchangeTable &table, nanobind::handle producer);
  /// A tensor that is handed over.
  explicit TakenTensor(dlpack::ManagedTensorVersioned *managed);
  /// Once: over its memory, on the device that has it, and with its owner. Throws UsageError (Buffer) where none has.
  DeviceArray array();

private:
  void read(const dlpack::Tensor &tensor, uint64_t flags);
  template <typename Managed> void take(Managed *managed);
  /// As a tensor that the table gives.
  void takeBy(const dlpack::ExchangeTable &table, nanobind::handle producer);
  /// What its producer's class says beside it.
  void finishBy(const dlpack::ExchangeTable &table, nanobind::handle producer);
  /// Without a capsule. False: the producer is no plain array of NumPy's.
  bool takeNumpys(nanobind::handle producer);
};

/// Costs no allocation. False: that table lends no tensor of the producer's, but may still give one.
bool borrowTensor(const dlpack::ExchangeTable &table, nanobind::handle producer, dlpack::Tensor &lent);

} // namespace treadle::python

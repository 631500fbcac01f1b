// TakenTensor: a DLPack tensor imported from its producer, validated.
#pragma once

#include "border/dlpack_abi.h"
#include "interop/described_array.h"
#include "python/arrays/device_array_object.h"

#include <optional>

namespace treadle::python {

/// Requests to a producer beyond the array as it is; null: none.
struct TensorWishes {
  PyObject *device = nullptr, *copy = nullptr;
  bool areNone() const { return !device && !copy; }
};

/// Host memory does not belong to a device yet: kernels use it as they use NumPy arrays.
struct TakenTensor {
  KeptMemory owner; ///< of the memory, and of the tensor
  ForeignArray foreign;
  dlpack::Device place{};
  /// The stream on which its library works on it, as a CUDA handle; nothing: the legacy default stream, up to now.
  std::optional<uint64_t> stream;
  bool isOrdered = true; ///< false: the producer or the caller ensures the order

  /// Through the exchange table of its class if that has one and there are no wishes, else through its methods. Throws
  /// UsageError (Buffer, Type, Value), and what the producer raises as nanobind::python_error. A consumed tensor is
  /// then deleted.
  explicit TakenTensor(nanobind::handle producer, const TensorWishes &wishes = {});
  /// Through the exchange table of its class.
  TakenTensor(const dlpack::ExchangeTable &table, nanobind::handle producer) { takeBy(table, producer); }
  /// Borrowed through that table: the producer is kept alive in the tensor's place.
  TakenTensor(const dlpack::Tensor &lent, const dlpack::ExchangeTable &table, nanobind::handle producer);
  /// Takes ownership of the tensor.
  explicit TakenTensor(dlpack::ManagedTensorVersioned *managed);
  /// May be called once: over its memory, on its device, and with its owner. Throws UsageError (Buffer) if no device
  /// has it.
  DeviceArray array();

private:
  void read(const dlpack::Tensor &tensor, uint64_t flags);
  template <typename Managed> void take(Managed *managed);
  /// As a tensor exported through the table.
  void takeBy(const dlpack::ExchangeTable &table, nanobind::handle producer);
  /// Adds what its producer's class tells beyond the tensor.
  void finishBy(const dlpack::ExchangeTable &table, nanobind::handle producer);
  /// Without a capsule. False: the producer is not a plain NumPy array.
  bool takeNumpys(nanobind::handle producer);
};

/// Needs no allocation. False: the table cannot borrow the producer's tensor, but may still export it.
bool borrowTensor(const dlpack::ExchangeTable &table, nanobind::handle producer, dlpack::Tensor &lent);

} // namespace treadle::python

// TakenInterface: an array that an object shows by the CUDA Array Interface, checked.
#pragma once

#include "launch/array_exchange.h"
#include "python/arrays/device_array_object.h"

#include <optional>

namespace treadle::python {

/// Where a dictionary comes from, and how much of it counts.
struct InterfaceSource {
  nanobind::handle owner; ///< of the memory: kept as long as anything uses it; none: the caller keeps it
  bool isLasting = true;  ///< the array may become part of a cycle
  bool isOrdered = true;  ///< false: its `stream` is ignored

  /// Of an argument of a launch, which holds it.
  static InterfaceSource ofArgument(nanobind::handle argument);
};

/// Reads `__cuda_array_interface__`, once. Invalid where the object has none; else a dictionary. Throws
/// nanobind::python_error, UsageError (Type).
nanobind::object interfaceOf(nanobind::handle object);

class TakenInterface {
public:
  /// Throws UsageError (Type, Value, Buffer), nanobind::python_error.
  explicit TakenInterface(nanobind::handle dictionary);

  /// Throws UsageError (Buffer) where no device has the memory, DeviceError.
  LocatedArray locate() const;
  /// A device array over the memory, on the device that has it. Throws UsageError (Buffer, Value), DeviceError.
  DeviceArray array(const InterfaceSource &source, const LocatedArray &located) const;
  DeviceArray array(const InterfaceSource &source) const { return array(source, locate()); }

  ArrayView view; ///< without an owner
  const Type *element = nullptr;
  bool isReadOnly = false;
  std::optional<uint64_t> stream;
};

} // namespace treadle::python

// TakenInterface: an array imported through the CUDA Array Interface, validated.
#pragma once

#include "interop/described_array.h"
#include "python/arrays/device_array_object.h"
#include "runtime/array_exchange.h"

#include <optional>

namespace treadle::python {

/// The source of a dictionary, and which parts of it are used.
struct InterfaceSource {
  nanobind::handle owner; ///< of the memory: kept alive as long as the array is used; none: the caller keeps it alive
  bool isLasting = true;  ///< the array may become part of a reference cycle
  bool isOrdered = true;  ///< false: its `stream` is ignored

  /// For an argument of a launch, which keeps it alive.
  static InterfaceSource ofArgument(nanobind::handle argument);
};

/// Reads `__cuda_array_interface__`, once. Invalid if the object has none; else a dictionary. Throws
/// nanobind::python_error, UsageError (Type).
nanobind::object interfaceOf(nanobind::handle object);

class TakenInterface {
public:
  /// Throws UsageError (Type, Value, Buffer), nanobind::python_error.
  explicit TakenInterface(nanobind::handle dictionary);

  /// Throws UsageError (Buffer) if no device has the memory, DeviceError.
  LocatedArray locate() const { return locateMemory(foreign.memory); }
  /// May be called once: over the memory, on the device that has it. Throws UsageError (Buffer, Value), DeviceError.
  DeviceArray array(const InterfaceSource &source, const LocatedArray &located);
  DeviceArray array(const InterfaceSource &source) { return array(source, locate()); }

  ForeignArray foreign;
  std::optional<uint64_t> stream;
};

} // namespace treadle::python

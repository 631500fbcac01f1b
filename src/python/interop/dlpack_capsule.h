// DLPack's capsules: a managed tensor, under one name until a consumer takes it, then under another.
#pragma once

#include "border/dlpack_abi.h"

#include <Python.h>

namespace treadle::python {

struct DeviceArrayObject;

template <typename Managed> inline constexpr const char *capsuleName = "dltensor";
template <> inline constexpr const char *capsuleName<dlpack::ManagedTensorVersioned> = "dltensor_versioned";
template <typename Managed> inline constexpr const char *usedCapsuleName = "used_dltensor";
template <> inline constexpr const char *usedCapsuleName<dlpack::ManagedTensorVersioned> = "used_dltensor_versioned";

/// Of a capsule that was not consumed. A pending Python error stays set.
template <typename Managed> void dropUntaken(PyObject *capsule) {
  if (!PyCapsule_IsValid(capsule, capsuleName<Managed>))
    return;
  auto *const managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule, capsuleName<Managed>));
  if (managed->deleter)
    managed->deleter(managed);
}

/// A new reference. Null with a Python error; the tensor is then deleted.
template <typename Managed> PyObject *makeCapsule(Managed *managed) {
  PyObject *const capsule = PyCapsule_New(managed, capsuleName<Managed>, dropUntaken<Managed>);
  if (!capsule)
    managed->deleter(managed);
  return capsule;
}

/// The tensor, whose ownership passes to the caller. Null if the capsule was consumed, or is of another kind.
template <typename Managed> Managed *takeTensor(PyObject *capsule) {
  if (!PyCapsule_IsValid(capsule, capsuleName<Managed>))
    return nullptr;
  auto *const managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule, capsuleName<Managed>));
  return PyCapsule_SetName(capsule, usedCapsuleName<Managed>) == 0 ? managed : nullptr;
}

/// A tuple of two integers, such as a version or a device. Throws nanobind::python_error (TypeError).
dlpack::Device readPair(PyObject *tuple, const char *name);

/// The location of the array's memory. Throws UsageError (Buffer) if it is not accessible to other libraries.
dlpack::Device placeOf(const DeviceArrayObject &array);

/// The type of its elements. Throws UsageError (Buffer) if DLPack has no type for them.
dlpack::DataType tensorTypeOf(const DeviceArrayObject &array);

/// Part of addDlpack: the methods of device arrays, and `__dlpack_c_exchange_api__`.
void addDlpackMethods();
void addExchangeTable();

} // namespace treadle::python

// The capsules of DLPack's protocol: a managed tensor, under one name until a consumer takes it, then under another.
#pragma once

#include "border/dlpack_abi.h"

#include <Python.h>

namespace treadle::python {

struct DeviceArrayObject;

template <typename Managed> inline constexpr const char *capsuleName = "dltensor";
template <> inline constexpr const char *capsuleName<dlpack::ManagedTensorVersioned> = "dltensor_versioned";
template <typename Managed> inline constexpr const char *usedCapsuleName = "used_dltensor";
template <> inline constexpr const char *usedCapsuleName<dlpack::ManagedTensorVersioned> = "used_dltensor_versioned";

/// Of a capsule that nobody has taken. A pending Python error stays.
template <typename Managed> void dropUntaken(PyObject *capsule) {
  if (!PyCapsule_IsValid(capsule, capsuleName<Managed>))
    return;
  auto *const managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule, capsuleName<Managed>));
  if (managed->deleter)
    managed->deleter(managed);
}

/// A new reference. Null with a Python error; the tensor is dropped then.
template <typename Managed> PyObject *makeCapsule(Managed *managed) {
  PyObject *const capsule = PyCapsule_New(managed, capsuleName<Managed>, dropUntaken<Managed>);
  if (!capsule)
    managed->deleter(managed);
  return capsule;
}

/// The tensor, which is the caller's from now on. Null where the capsule is no fresh one of that kind.
template <typename Managed> Managed *takeTensor(PyObject *capsule) {
  if (!PyCapsule_IsValid(capsule, capsuleName<Managed>))
    return nullptr;
  auto *const managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule, capsuleName<Managed>));
  return PyCapsule_SetName(capsule, usedCapsuleName<Managed>) == 0 ? managed : nullptr;
}

/// Two integers in a tuple, as versions and places are given. Throws nanobind::python_error (TypeError).
dlpack::Device readPair(PyObject *tuple, const char *name);

/// Where the array's memory is. Throws UsageError (Buffer) where no other library can reach it.
dlpack::Device placeOf(const DeviceArrayObject &array);

/// What its elements are. Throws UsageError (Buffer) where DLPack has no type for them.
dlpack::DataType tensorTypeOf(const DeviceArrayObject &array);

/// Of addDlpack: the methods of device arrays, and `__dlpack_c_exchange_api__`.
void addDlpackMethods();
void addExchangeTable();

} // namespace treadle::python

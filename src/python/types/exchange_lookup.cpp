// Finds exchange tables: DLPack 1.3's, and those of 1.2 under another name.
#include "python/types/exchange_lookup.h"

#include "python/host/object_access.h"

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// The newest table of the major version that can be read.
const dlpack::ExchangeTable *readable(const dlpack::ExchangeHeader *header) {
  while (header && header->version.major > dlpack::ownVersion.major)
    header = header->previous;
  if (!header || header->version.major != dlpack::ownVersion.major)
    return nullptr;
  const auto *const table = reinterpret_cast<const dlpack::ExchangeTable *>(header);
  return table->give ? table : nullptr;
}

/// DLPack 1.2 had the address as an int, under another name.
const dlpack::ExchangeHeader *headerIn(const nb::object &found) {
  if (PyCapsule_IsValid(found.ptr(), exchangeCapsule))
    return static_cast<const dlpack::ExchangeHeader *>(PyCapsule_GetPointer(found.ptr(), exchangeCapsule));
  return PyLong_Check(found.ptr()) ? static_cast<const dlpack::ExchangeHeader *>(PyLong_AsVoidPtr(found.ptr()))
                                   : nullptr;
}

} // namespace

const dlpack::ExchangeTable *exchangeTableOf(PyTypeObject *type) {
  for (const char *const name : {"__dlpack_c_exchange_api__", "__c_dlpack_exchange_api__"}) {
    const nb::object found = nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), name));
    if (!found.is_valid() && !forgetError({PyExc_AttributeError}))
      return nullptr;
    if (const dlpack::ExchangeTable *const table = found.is_valid() ? readable(headerIn(found)) : nullptr)
      return table;
  }
  return nullptr;
}

} // namespace treadle::python

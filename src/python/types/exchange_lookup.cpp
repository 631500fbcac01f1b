// Finds exchange tables: DLPack 1.3's, and those of 1.2 under another name.
#include "python/types/exchange_lookup.h"

#include "python/host/object_access.h"
#include "python/types/type_cache.h"

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// More than there will be major versions; a malformed table may be its own predecessor.
constexpr int mostTables = 16;

/// The newest table of the major version that this library reads.
const dlpack::ExchangeTable *readable(const dlpack::ExchangeHeader *header) {
  for (int i = 0; header && header->version.major > dlpack::ownVersion.major; ++i)
    header = i < mostTables ? header->previous : nullptr;
  if (!header || header->version.major != dlpack::ownVersion.major)
    return nullptr;
  const auto *const table = reinterpret_cast<const dlpack::ExchangeTable *>(header);
  return table->give ? table : nullptr;
}

/// The attribute's name, and whether the address may be an int there.
struct Spelling {
  const char *name;
  bool isIntToo;
};
constexpr Spelling spellings[] = {{"__dlpack_c_exchange_api__", false}, {"__c_dlpack_exchange_api__", true}};

/// Null for numbers that are not a table's address: dereferencing any other one would crash.
const dlpack::ExchangeHeader *headerAt(PyObject *number) {
  constexpr uint64_t firstPage = 4096, firstOfKernel = uint64_t(1) << 63;
  const uint64_t address = PyLong_AsUnsignedLongLong(number);
  if (PyErr_Occurred()) {
    forgetError({PyExc_OverflowError});
    return nullptr;
  }
  const bool canBe = address >= firstPage && address < firstOfKernel && address % alignof(dlpack::ExchangeHeader) == 0;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return canBe ? reinterpret_cast<const dlpack::ExchangeHeader *>(address) : nullptr;
}

const dlpack::ExchangeHeader *headerIn(PyObject *found, const Spelling &spelling) {
  if (PyCapsule_IsValid(found, exchangeCapsule))
    return static_cast<const dlpack::ExchangeHeader *>(PyCapsule_GetPointer(found, exchangeCapsule));
  return spelling.isIntToo && PyLong_CheckExact(found) ? headerAt(found) : nullptr;
}

} // namespace

const dlpack::ExchangeTable *exchangeTableOf(PyTypeObject *type) {
  for (const Spelling &spelling : spellings) {
    const nb::object found = nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), spelling.name));
    if (!found.is_valid() && !forgetError({PyExc_AttributeError}))
      return nullptr;
    if (const auto *const table = found.is_valid() ? readable(headerIn(found.ptr(), spelling)) : nullptr)
      return table;
  }
  return nullptr;
}

const dlpack::ExchangeTable *knownExchangeTableOf(PyTypeObject *type) {
  static auto &known = *new TypeCache<const dlpack::ExchangeTable *, 32>;
  if (const auto *const answer = known.find(type)) [[likely]]
    return *answer;
  const dlpack::ExchangeTable *const table = exchangeTableOf(type);
  if (!PyErr_Occurred())
    known.keep(type, table);
  return table;
}

} // namespace treadle::python

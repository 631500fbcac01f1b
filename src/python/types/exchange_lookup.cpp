// Finds exchange tables: DLPack 1.3's, and those of 1.2 under another name.
#include "python/types/exchange_lookup.h"

#include "python/host/object_access.h"
#include "python/types/type_cache.h"

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// There will never be as many major versions, but a table may be its own predecessor.
constexpr int mostTables = 16;

/// The newest table of the major version that can be read.
const dlpack::ExchangeTable *readable(const dlpack::ExchangeHeader *header) {
  for (int i = 0; header && header->version.major > dlpack::ownVersion.major; ++i)
    header = i < mostTables ? header->previous : nullptr;
  if (!header || header->version.major != dlpack::ownVersion.major)
    return nullptr;
  const auto *const table = reinterpret_cast<const dlpack::ExchangeTable *>(header);
  return table->give ? table : nullptr;
}

/// Under which name, and whether the address may be an int there.
struct Spelling {
  const char *name;
  bool isIntToo;
};
constexpr Spelling spellings[] = {{"__dlpack_c_exchange_api__", false}, {"__c_dlpack_exchange_api__", true}};

const dlpack::ExchangeHeader *headerIn(PyObject *found, const Spelling &spelling) {
  void *header = nullptr;
  if (PyCapsule_IsValid(found, exchangeCapsule))
    header = PyCapsule_GetPointer(found, exchangeCapsule);
  else if (spelling.isIntToo && PyLong_CheckExact(found))
    header = PyLong_AsVoidPtr(found);
  if (!header && PyErr_Occurred())
    forgetError({PyExc_OverflowError});
  return static_cast<const dlpack::ExchangeHeader *>(header);
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

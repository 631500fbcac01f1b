// Record types from dtypes.
#include "python/types/record_types.h"

#include "python/host/object_access.h"
#include "python/types/dtype_names.h"

#include <nanobind/nanobind.h>

#include <unordered_map>
#include <vector>

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// Records in records deeper than this are not read.
constexpr unsigned maxDepth = 16;
/// Dtypes whose answers are kept; then it begins anew, as a program may make dtypes without end.
constexpr size_t keptDtypes = 1024;

const Type *readRecord(nb::handle dtype, unsigned depth);

/// What one field's texts and extents need until the type is interned.
struct FieldReading {
  std::string name, dtype;
  std::vector<int64_t> shape;
  const Type *type = types::none();
  uint32_t offset = 0;
};

FieldReading readField(nb::handle name, nb::handle description, unsigned depth) {
  FieldReading field;
  field.name = utf8Of(name);
  nb::object dtype = description[0];
  field.offset = nb::cast<uint32_t>(description[1]);
  for (nb::object inner = nb::getattr(dtype, "subdtype"); !inner.is_none(); inner = nb::getattr(dtype, "subdtype")) {
    for (nb::handle extent : inner[1])
      field.shape.push_back(nb::cast<int64_t>(extent));
    dtype = inner[0];
  }
  const Type *type = nb::getattr(dtype, "names").is_none() ? typeOfDtype(dtype) : readRecord(dtype, depth + 1);
  if (type)
    field.type = type;
  else
    field.dtype = utf8Of(nb::getattr(dtype, "str"));
  return field;
}

const Type *readRecord(nb::handle dtype, unsigned depth) {
  const nb::object names = nb::getattr(dtype, "names"), fields = nb::getattr(dtype, "fields");
  if (names.is_none() || depth > maxDepth)
    return nullptr;
  std::vector<FieldReading> readings;
  for (nb::handle name : names)
    readings.push_back(readField(name, fields[name], depth));
  std::vector<RecordField> list;
  for (const FieldReading &field : readings)
    list.push_back({field.name, field.type, field.offset, field.shape, field.dtype});
  return types::record(list, nb::cast<uint32_t>(nb::getattr(dtype, "itemsize")));
}

} // namespace

const Type *recordTypeOf(const NumpyDescription &description) {
  if (description.kind != 'V')
    return nullptr;
  const nb::object dtype = nb::borrow(reinterpret_cast<PyObject *>(const_cast<NumpyDescription *>(&description)));
  // Assigning `dtype.names` changes the dtype itself, the one thing that can.
  const nb::object names = nb::steal(PyObject_GetAttrString(dtype.ptr(), "names"));
  // References to Python objects cannot be copied as bytes, as fields of other dtypes can.
  const nb::object hasObjects = nb::steal(PyObject_GetAttrString(dtype.ptr(), "hasobject"));
  if (!names.is_valid() || !hasObjects.is(nb::handle(Py_False))) {
    PyErr_Clear();
    return nullptr;
  }
  struct Known {
    nb::object dtype, names;
    const Type *type;
  };
  static auto &known = *new std::unordered_map<const NumpyDescription *, Known>;
  if (const auto found = known.find(&description); found != known.end() && found->second.names.is(names))
    return found->second.type;
  const Type *type = nullptr;
  try {
    type = readRecord(dtype, 0);
  } catch (nb::python_error &error) {
    error.discard_as_unraisable("a structured dtype");
  } catch (const std::exception &) {
    return nullptr;
  }
  if (known.size() >= keptDtypes)
    known.clear();
  known.insert_or_assign(&description, Known{dtype, names, type});
  return type;
}

} // namespace treadle::python

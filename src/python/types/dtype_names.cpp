// Types by treadle/dtypes.py, and the answers for dtypes seen before.
#include "python/types/dtype_names.h"

#include "interop/opaque_types.h"
#include "launch/number_code.h"
#include "launch/type_names.h"
#include "python/host/errors.h"
#include "python/host/module_parts.h"
#include "python/host/object_access.h"
#include "python/types/type_objects.h"
#include "support/error.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <unordered_map>
#include <vector>

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// Dtypes of records whose answers are kept; then it begins anew, as a program may make dtypes without end.
constexpr size_t keptDtypes = 1024;

/// What a function of treadle/dtypes.py answers; null for None.
const Type *typeFrom(const char *function, nb::handle argument) {
  const nb::object type = memberOf("treadle.dtypes", function)(argument);
  return type.is_none() ? nullptr : nb::cast<const Type *>(type);
}

/// Types of dtypes that were seen before. A slot holds a reference to its object, so that no other gets its address.
/// Only what never changes is kept: types, text, and dtypes of numbers.
struct DtypeCache {
  static constexpr size_t size = 64;
  struct Slot {
    PyObject *dtype;
    const Type *type;
  };
  Slot slots[size] = {};

  static DtypeCache &instance() {
    static DtypeCache *const cache = new DtypeCache;
    return *cache;
  }
  Slot &at(PyObject *dtype) { return slots[(reinterpret_cast<uintptr_t>(dtype) >> 4) % size]; }
};

const Type *resolveDtype(PyObject *dtype) {
  try {
    return typeFrom("element_type_of", dtype);
  } catch (...) {
    raisePython(std::current_exception());
  }
  return nullptr;
}

/// `fields`: as Type._fields has them.
const Type *recordFrom(const nb::list &fields, uint32_t bytes) {
  struct Held {
    std::string name;
    std::vector<int64_t> shape;
  };
  std::vector<Held> held;
  std::vector<RecordField> list;
  held.reserve(nb::len(fields));
  for (nb::handle field : fields) {
    Held &one = held.emplace_back(Held{utf8Of(field[0]), {}});
    for (nb::handle extent : nb::tuple(field[3]))
      one.shape.push_back(nb::cast<int64_t>(extent));
    list.push_back({one.name, nb::cast<const Type *>(field[1]), nb::cast<uint32_t>(field[2]), one.shape});
  }
  return types::record(list, bytes);
}

const Type *elementTypeOrThrow(nb::handle dtype) {
  if (const Type *type = elementTypeOf(dtype.ptr()))
    return type;
  throw nb::python_error();
}

} // namespace

const Type *typeOfDtypeName(std::string_view text) { return typeFrom("type_of_text", decodedText(text)); }

const Type *typeNamedBy(PyObject *object) { return typeFrom("type_named_by", object); }

const Type *elementTypeOf(PyObject *dtype) {
  DtypeCache::Slot &slot = DtypeCache::instance().at(dtype);
  if (slot.dtype == dtype) [[likely]]
    return slot.type;
  const Type *type = resolveDtype(dtype);
  if (!type || !type->isNumber() || PyList_Check(dtype) || PyDict_Check(dtype))
    return type;
  PyObject *replaced = slot.dtype;
  slot = {Py_NewRef(dtype), type};
  Py_XDECREF(replaced);
  return type;
}

const Type *otherTypeOf(const NumpyDescription &description) {
  if (numberOfNumpyType(description.typeNumber) != NumberCode::None)
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
    type = typeFrom("other_type_from", dtype);
  } catch (nb::python_error &error) {
    error.discard_as_unraisable("a dtype");
  } catch (const std::exception &) {
    return nullptr;
  }
  if (known.size() >= keptDtypes)
    known.clear();
  known.insert_or_assign(&description, Known{dtype, names, type});
  return type;
}

void addDtypeFunctions(nb::module_ &module) {
  module.def("number_named", [](std::string_view dtype) { return typeObject(numberNamed(dtype)); });
  module.def("record_type",
             [](const nb::list &fields, uint32_t bytes) { return typeObject(recordFrom(fields, bytes)); });
  module.def("other_type_of", [](nb::handle dtype) {
    return typeObject(otherTypeOf(*reinterpret_cast<const NumpyDescription *>(dtype.ptr())));
  });
  module.def("opaque_type", [](std::string_view dtype, uint32_t bytes, unsigned alignment) {
    return typeObject(types::opaque(dtype, bytes, alignment));
  });
  module.def("opaque_named", [](std::string_view name) { return typeObject(opaqueNamed(name)); });
  module.def(
      "element_type", [](nb::handle dtype) { return typeObject(elementTypeOrThrow(dtype)); }, nb::arg("dtype").none(),
      "The type that a dtype of any spelling names for elements of arrays.");
}

} // namespace treadle::python

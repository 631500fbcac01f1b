// Types from treadle/typing/dtypes.py, and a cache of dtypes.
#include "python/types/dtype_names.h"

#include "interop/opaque_types.h"
#include "python/host/errors.h"
#include "python/host/module_parts.h"
#include "python/host/object_access.h"
#include "python/types/type_objects.h"
#include "python/types/value_kinds.h"
#include "support/error.h"
#include "types/names/number_code.h"
#include "types/names/type_names.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <unordered_map>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// The size at which the cache of record dtypes is cleared, as a program may make dtypes without end.
constexpr size_t keptDtypes = 1024;

/// The result of a function of treadle/typing/dtypes.py; null for None.
const Type *typeFrom(const char *function, nb::handle argument) {
  const nb::object type = memberOf("treadle.typing.dtypes", function)(argument);
  return type.is_none() ? nullptr : nb::cast<const Type *>(type);
}

/// A cache of dtypes' types. A slot holds a reference to its object, so that its address is not reused. Contains only
/// immutable objects: text, NumPy's and Python's own number classes, and number dtypes.
struct DtypeCache {
  static constexpr size_t size = 64;
  struct Slot {
    nb::object dtype;
    const Type *type = nullptr;
  };
  Slot slots[size] = {};

  static DtypeCache &instance() {
    static DtypeCache *const cache = new DtypeCache;
    return *cache;
  }
  Slot &at(PyObject *dtype) { return slots[(reinterpret_cast<uintptr_t>(dtype) >> 4) % size]; }
};

/// Other classes and objects have an attribute `dtype`, which may change.
bool neverChanges(PyObject *dtype) {
  PyTypeObject *const type = Py_TYPE(dtype);
  if (PyType_Check(dtype))
    return !PyType_HasFeature(reinterpret_cast<PyTypeObject *>(dtype), Py_TPFLAGS_HEAPTYPE);
  return PyUnicode_CheckExact(dtype) || nb::isinstance<Type>(dtype) || derivesFromClass(type, "numpy", "dtype");
}

const Type *resolveDtype(PyObject *dtype) {
  try {
    return typeFrom("element_type_of", dtype);
  } catch (...) {
    raisePython(std::current_exception());
  }
  return nullptr;
}

/// `fields`: in the form of Type._fields.
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
  if (slot.dtype.ptr() == dtype) [[likely]]
    return slot.type;
  const Type *type = resolveDtype(dtype);
  if (!type || !type->isNumber() || !neverChanges(dtype))
    return PyErr_Occurred() ? nullptr : type;
  const nb::object replaced = std::exchange(slot.dtype, nb::borrow(dtype)); // dropped when the slot is complete
  slot.type = type;
  return type;
}

const Type *otherTypeOf(const NumpyDescription &description) {
  if (numberOfNumpyType(description.typeNumber) != NumberCode::None)
    return nullptr;
  const nb::object dtype = nb::borrow(reinterpret_cast<PyObject *>(const_cast<NumpyDescription *>(&description)));
  // Assigning `dtype.names` changes the dtype itself, and is the only thing that can.
  const nb::object names = nb::steal(PyObject_GetAttrString(dtype.ptr(), "names"));
  // References to Python objects cannot be copied as bytes, unlike fields of other dtypes.
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
  std::unordered_map<const NumpyDescription *, Known>
      dropped; // dropping a dtype may run code that reenters this function
  if (known.size() >= keptDtypes)
    dropped.swap(known);
  Known &kept = known[&description];
  const Known replaced = std::exchange(kept, Known{dtype, names, type});
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

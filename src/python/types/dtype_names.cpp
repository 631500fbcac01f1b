// Names of types, by table and by asking NumPy; and the types of dtypes seen before.
#include "python/types/dtype_names.h"

#include "launch/type_code.h"
#include "launch/type_names.h"
#include "python/host/errors.h"
#include "python/host/object_access.h"
#include "python/types/record_types.h"
#include "support/error.h"

#include <algorithm>
#include <iterator>

namespace nb = nanobind;

namespace treadle::python {

namespace {

bool isSubclass(nb::handle type, const nb::object &base) {
  if (!base.is_valid())
    return false;
  const int answer = PyObject_IsSubclass(type.ptr(), base.ptr());
  if (answer < 0)
    throw nb::python_error();
  return answer == 1;
}

/// NumPy's classes of types have no dtype; asking for one warns or fails.
bool isAbstract(nb::handle type) {
  const std::string_view name = reinterpret_cast<PyTypeObject *>(type.ptr())->tp_name;
  constexpr std::string_view abstract[] = {
      "numpy.generic", "numpy.number",          "numpy.integer",  "numpy.signedinteger", "numpy.unsignedinteger",
      "numpy.inexact", "numpy.complexfloating", "numpy.floating", "numpy.flexible",      "numpy.character",
  };
  return std::find(std::begin(abstract), std::end(abstract), name) != std::end(abstract);
}

/// What NumPy makes of it; invalid where that is an error.
nb::object dtypeFrom(const nb::object &dtypeClass, nb::handle description) {
  nb::object dtype = nb::steal(PyObject_CallOneArg(dtypeClass.ptr(), description.ptr()));
  if (!dtype.is_valid() && !forgetError({PyExc_TypeError, PyExc_ValueError, PyExc_SyntaxError, PyExc_OverflowError}))
    throw nb::python_error();
  return dtype;
}

std::string representation(nb::handle object) { return nb::cast<std::string>(nb::repr(object)); }

std::string whyNoElements(nb::handle dtype) {
  if (utf8Of(nb::getattr(dtype, "str")).substr(1) == "f2")
    return whyNoType("float16");
  const bool isForeign = nb::getattr(dtype, "names").is_none() && !nb::cast<bool>(nb::getattr(dtype, "isnative"));
  return "arrays hold numbers or records, found " + representation(dtype) +
         (isForeign ? ", which is not in this machine's byte order" : "");
}

} // namespace

const Type *typeOfDtypeName(std::string_view text) {
  if (const Type *named = numberNamed(text))
    return named;
  // Of several fields, and what later versions of NumPy may have. Nothing else needs NumPy.
  const nb::object dtypeClass = numpyMember("dtype");
  const nb::object dtype =
      dtypeClass.is_valid() ? dtypeFrom(dtypeClass, nb::str(text.data(), text.size())) : nb::object();
  return dtype.is_valid() ? typeOfDtype(dtype) : nullptr;
}

const Type *typeOfDtype(nb::handle dtype) {
  if (const Type *record = recordTypeOf(dtype.ptr()))
    return record;
  if (!nb::cast<bool>(nb::getattr(dtype, "isnative")))
    return nullptr;
  const std::string kind = utf8Of(nb::getattr(dtype, "kind"));
  const NumberCode number = numberWith(kind[0], nb::cast<size_t>(nb::getattr(dtype, "itemsize")));
  return number == NumberCode::None ? nullptr : typeOf(number);
}

const Type *typeNamedBy(PyObject *object) {
  if (const nb::object type = declaredAttribute(object, "__treadle_type__"); type.is_valid()) {
    if (!nb::isinstance<Type>(type))
      throw UsageError(UsageError::Kind::Type,
                       "__treadle_type__ must be one of Treadle's types, found " + representation(type));
    return nb::cast<const Type *>(type);
  }
  if (object == reinterpret_cast<PyObject *>(&PyBool_Type))
    return types::boolean();
  if (object == reinterpret_cast<PyObject *>(&PyLong_Type))
    return types::int64();
  if (object == reinterpret_cast<PyObject *>(&PyFloat_Type))
    return types::float64();
  if (object == reinterpret_cast<PyObject *>(&PyComplex_Type))
    return types::complex128();
  const nb::object dtypeClass = numpyMember("dtype");
  if (!dtypeClass.is_valid())
    return nullptr;
  if (PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject *>(dtypeClass.ptr())))
    return typeOfDtype(object);
  if (PyType_Check(object) && isSubclass(object, numpyMember("generic")) && !isAbstract(object)) {
    const nb::object dtype = dtypeFrom(dtypeClass, object);
    if (dtype.is_valid() && nb::getattr(dtype, "type").ptr() == object)
      return typeOfDtype(dtype);
  }
  return nullptr;
}

namespace {

/// Throws UsageError.
const Type *elementTypeNamedBy(PyObject *object) {
  const nb::handle dtype(object);
  const bool isText = PyUnicode_Check(dtype.ptr()) != 0;
  const Type *type = isText ? typeOfDtypeName(utf8Of(dtype)) : typeNamedBy(dtype.ptr());
  if (type != nullptr && (type->isNumber() || type->isRecord()))
    return type;
  if (type != nullptr)
    throw UsageError(UsageError::Kind::Type, "arrays hold numbers or records, found dtype " + representation(dtype));
  const nb::object found = dtypeFrom(nb::module_::import_("numpy").attr("dtype"), dtype);
  if (!found.is_valid())
    throw UsageError(UsageError::Kind::Type, "there is no dtype " + representation(dtype));
  type = typeOfDtype(found);
  if (type == nullptr)
    throw UsageError(UsageError::Kind::Type, whyNoElements(found));
  return type;
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
    return elementTypeNamedBy(dtype);
  } catch (...) {
    raisePython(std::current_exception());
  }
  return nullptr;
}

} // namespace

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

} // namespace treadle::python

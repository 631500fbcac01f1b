// The kinds of objects a kernel may capture, asked for in one order: exact Python values, what says of itself what it
// is, NumPy's, subclasses, functions, arrays.
#include "python/names/captured_value.h"

#include "python/arrays/device_array_object.h"
#include "python/host/object_access.h"
#include "python/names/captured_array.h"
#include "python/types/dtype_names.h"
#include "python/types/value_kinds.h"

#include <utility>

namespace nb = nanobind;

namespace treadle::python {

nb::handle HandleTable::find(uint64_t handle) const {
  const auto found = objects.find(handle);
  return found == objects.end() ? nb::handle() : nb::handle(found->second);
}

int HandleTable::traverse(visitproc visit, void *arg) const {
  for (const auto &[handle, object] : objects)
    Py_VISIT(object.ptr());
  return 0;
}

/// What an object's end runs may come here again.
void HandleTable::drop() { const auto dropped = std::exchange(objects, {}); }

nb::object functionIn(nb::handle object) {
  if (PyFunction_Check(object.ptr()))
    return nb::borrow(object);
  const bool isStatic = Py_TYPE(object.ptr()) == &PyStaticMethod_Type;
  nb::object inner = attributeIfAny(object, isStatic ? "__func__" : "py_func");
  if (!inner.is_valid())
    return {};
  if (isStatic)
    return functionIn(inner);
  return PyFunction_Check(inner.ptr()) ? inner : nb::object();
}

namespace {

std::string nameOf(nb::handle object, const char *attribute, std::string_view otherwise) {
  const nb::object name = attributeIfAny(object, attribute);
  return name.is_valid() && PyUnicode_Check(name.ptr()) ? utf8Of(name) : std::string(otherwise);
}

/// A member of a module, if the program has imported it; else invalid.
nb::object memberOf(const char *module, const char *name) {
  PyObject *found = PyDict_GetItemString(PyImport_GetModuleDict(), module);
  return found == nullptr ? nb::object() : attributeIfAny(found, name);
}

bool isInstance(nb::handle object, const nb::object &type) {
  if (!type.is_valid())
    return false;
  const int answer = PyObject_IsInstance(object.ptr(), type.ptr());
  if (answer < 0)
    throw nb::python_error();
  return answer == 1;
}

CapturedValue typed(const Type *type) {
  CapturedValue value;
  value.type = type;
  return value;
}

class Capture {
public:
  Capture(nb::handle object, std::string_view name, HandleTable &handles)
      : object(object), name(name), handles(handles) {}

  CapturedValue value() {
    CapturedValue result;
    if (scalar(result) || declared(result) || module(result) || builtin(result) || numpy(result) ||
        enumeration(result) || subclass(result) || function(result))
      return result;
    if (array(result)) {
      // The code uses its memory, also when the name that it was captured by means something else.
      if (result.devicePointer) {
        handles.keep(object);
        handles.capture(reinterpret_cast<const DeviceArrayObject *>(object.ptr())->view.owner);
      }
      return result;
    }
    return typed(types::object(handles.keep(object), objectName()));
  }

private:
  bool scalar(CapturedValue &result) {
    PyObject *o = object.ptr();
    if (o == Py_None)
      result.type = types::none();
    else if (o == Py_Ellipsis)
      result.type = types::ellipsis();
    else if (PyBool_Check(o))
      setInteger(result, types::boolean(), o == Py_True);
    else if (PyLong_CheckExact(o))
      pythonInteger(result);
    else if (PyFloat_CheckExact(o))
      setReal(result, types::float64(), PyFloat_AS_DOUBLE(o), 0);
    else if (PyComplex_CheckExact(o))
      setReal(result, types::complex128(), PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o));
    else if (PyUnicode_CheckExact(o))
      result.type = types::string(utf8Of(object));
    else if (PyTuple_CheckExact(o))
      tuple(result);
    return result.type != nullptr;
  }

  bool array(CapturedValue &result) {
    if (!captureArray(object, result))
      return false;
    result.object = {Py_NewRef(object.ptr()), [](PyObject *held) { Py_DECREF(held); }};
    return true;
  }

  static void setInteger(CapturedValue &result, const Type *type, int64_t integer) {
    result.type = type;
    result.isLiteral = true;
    result.integer = integer;
  }

  static void setReal(CapturedValue &result, const Type *type, double real, double imag) {
    result.type = type;
    result.isLiteral = true;
    result.real = real;
    result.imag = imag;
  }

  void pythonInteger(CapturedValue &result) {
    int overflow = 0;
    const int64_t value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    if (overflow == 0)
      return setInteger(result, types::int64(), value);
    const uint64_t bits = PyLong_AsUnsignedLongLong(object.ptr());
    if (!PyErr_Occurred())
      return setInteger(result, types::uint64(), int64_t(bits));
    PyErr_Clear();
    // Inference says where it is used, and that no number can be made of it.
    result.type = types::object(handles.keep(object), "int beyond 64 bits");
  }

  void tuple(CapturedValue &result) {
    std::vector<const Type *> items;
    for (nb::handle item : nb::borrow<nb::tuple>(object)) {
      result.items.push_back(Capture(item, name, handles).value());
      items.push_back(result.items.back().type);
    }
    const nb::object fields = declaredAttribute(object, "_fields");
    if (!fields.is_valid() || !PyTuple_Check(fields.ptr()) || nb::len(fields) != items.size()) {
      result.type = types::tuple(items);
      return;
    }
    std::vector<std::string> texts;
    for (nb::handle field : fields)
      texts.push_back(utf8Of(field));
    const std::vector<std::string_view> names(texts.begin(), texts.end());
    const nb::handle type = object.type();
    result.type = types::namedTuple(handles.keep(type), nameOf(type, "__name__", "tuple"), items, names);
  }

  bool declared(CapturedValue &result) {
    if (const nb::object key = declaredAttribute(object, "__treadle_key__"); key.is_valid())
      result.type = types::builtin(utf8Of(key));
    else if (declaredAttribute(object, "__treadle_type__").is_valid())
      result.type = types::typeObject(typeNamedBy(object.ptr()));
    return result.type != nullptr;
  }

  bool module(CapturedValue &result) {
    if (!PyModule_Check(object.ptr()))
      return false;
    result.type = types::module(handles.keep(object), nameOf(object, "__name__", name));
    return true;
  }

  /// Functions of math, cmath and operator, and Python's own functions and classes, by the module they say they are of.
  bool builtin(CapturedValue &result) {
    if (!PyCFunction_Check(object.ptr()) && !PyType_Check(object.ptr()))
      return false;
    std::string module = nameOf(object, "__module__", "");
    const std::string ownName = nameOf(object, "__name__", "");
    if (PyType_Check(object.ptr()) && ownName == "prange" && module.starts_with("numba"))
      module = "builtins";
    const bool isException =
        PyType_Check(object.ptr()) && PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(object.ptr()),
                                                       reinterpret_cast<PyTypeObject *>(PyExc_BaseException)) != 0;
    if (isException)
      return false;
    if (module == "builtins")
      result.type = types::builtin(ownName);
    else if (module == "math" || module == "cmath")
      result.type = types::builtin(module + "." + ownName);
    else if (module == "_operator")
      result.type = types::builtin("operator." + ownName);
    return result.type != nullptr;
  }

  bool numpy(CapturedValue &result) {
    if (const Type *named = typeNamedBy(object.ptr())) {
      result.type = types::typeObject(named);
      return true;
    }
    if (isInstance(object, numpyMember("generic")))
      return numpyScalar(result);
    const bool isFunction = isInstance(object, numpyMember("ufunc")) ||
                            (PyCallable_Check(object.ptr()) && !PyFunction_Check(object.ptr()) &&
                             !PyType_Check(object.ptr()) && nameOf(object, "__module__", "") == "numpy");
    if (isFunction)
      result.type = types::builtin("numpy." + nameOf(object, "__name__", name));
    return isFunction;
  }

  /// Its type is its dtype's: it is no literal.
  bool numpyScalar(CapturedValue &result) {
    const Type *type = typeOfDtype(nb::getattr(object, "dtype"));
    if (type == nullptr)
      return false;
    if (type->isRecord())
      return array(result);
    result = Capture(object.attr("item")(), name, handles).value();
    result.type = type;
    result.isLiteral = false;
    result.isNumpy = true;
    return true;
  }

  /// Members of an IntEnum are integers; of others only `.value` and identity mean something.
  bool enumeration(CapturedValue &result) {
    if (!isInstance(object, memberOf("enum", "Enum")) || PyLong_Check(object.ptr()))
      return false;
    result.type = types::object(handles.keep(object),
                                nameOf(object.type(), "__name__", "Enum") + "." + nameOf(object, "name", name));
    return true;
  }

  bool subclass(CapturedValue &result) {
    PyObject *o = object.ptr();
    if (PyLong_Check(o))
      pythonInteger(result);
    else if (PyFloat_Check(o))
      setReal(result, types::float64(), PyFloat_AS_DOUBLE(o), 0);
    else if (PyComplex_Check(o))
      setReal(result, types::complex128(), PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o));
    else if (PyUnicode_Check(o))
      result.type = types::string(utf8Of(object));
    else if (PyTuple_Check(o))
      tuple(result);
    return result.type != nullptr;
  }

  /// Dispatchers, ours and those of other libraries. An undecorated function stays an Object: calling it is an error.
  bool function(CapturedValue &result) {
    if (PyFunction_Check(object.ptr()) || PyType_Check(object.ptr()))
      return false;
    if (Py_TYPE(object.ptr()) == &PyStaticMethod_Type) {
      result = Capture(object.attr("__func__"), name, handles).value();
      return true;
    }
    const nb::object inner = functionIn(object);
    if (inner.is_valid())
      result.type = types::function(handles.keep(object), nameOf(inner, "__name__", name));
    return inner.is_valid();
  }

  std::string objectName() const {
    if (PyType_Check(object.ptr()) || PyCallable_Check(object.ptr()))
      return nameOf(object, "__qualname__", Py_TYPE(object.ptr())->tp_name);
    const bool isArray = isInstance(object, numpyMember("ndarray"));
    return Py_TYPE(object.ptr())->tp_name + (isArray ? " of dtype " + describeDtype(object.ptr()) : std::string());
  }

  nb::handle object;
  std::string_view name;
  HandleTable &handles;
};

} // namespace

CapturedValue capture(nb::handle object, std::string_view name, HandleTable &handles) {
  return Capture(object, name, handles).value();
}

} // namespace treadle::python

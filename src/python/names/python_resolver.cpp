// Looks names up the way Python does: closure, globals, builtins; then says what the objects mean.
#include "python/names/python_resolver.h"

#include "python/host/object_access.h"
#include "python/source/syntax_from_ast.h"
#include "python/types/dtype_names.h"
#include "support/error.h"

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// A value in a dict; invalid where it has none.
nb::object find(nb::handle dict, const nb::object &key) {
  PyObject *value = PyDict_GetItemWithError(dict.ptr(), key.ptr());
  if (value == nullptr && PyErr_Occurred())
    throw nb::python_error();
  return value == nullptr ? nb::object() : nb::borrow(value);
}

/// The position of a name in a tuple of names, or its length.
Py_ssize_t positionOf(nb::handle names, const nb::object &name) {
  const Py_ssize_t count = PyTuple_GET_SIZE(names.ptr());
  for (Py_ssize_t i = 0; i < count; ++i)
    if (PyUnicode_Compare(PyTuple_GET_ITEM(names.ptr(), i), name.ptr()) == 0)
      return i;
  return count;
}

/// The captured variable's value; invalid where there is no such variable, or it has none yet.
nb::object closureValue(nb::handle function, const nb::object &name) {
  PyObject *closure = PyFunction_GET_CLOSURE(function.ptr());
  if (closure == nullptr)
    return {};
  const nb::object names = nb::getattr(PyFunction_GET_CODE(function.ptr()), "co_freevars");
  const Py_ssize_t position = positionOf(names, name);
  if (position == PyTuple_GET_SIZE(closure))
    return {};
  return nb::steal(PyCell_Get(PyTuple_GET_ITEM(closure, position)));
}

nb::object lookUp(nb::handle function, const nb::object &name) {
  if (nb::object value = closureValue(function, name); value.is_valid())
    return value;
  if (nb::object value = find(PyFunction_GET_GLOBALS(function.ptr()), name); value.is_valid())
    return value;
  return find(nb::getattr(function, "__builtins__"), name);
}

std::vector<const Type *> signatureOf(nb::handle types) {
  std::vector<const Type *> result;
  for (nb::handle type : types)
    result.push_back(typeNamedBy(type.ptr()));
  return result;
}

class Resolver final : public PythonResolver {
public:
  CapturedValue resolve(uint64_t function, std::string_view name) override {
    const nb::object asking = functionOf(function);
    const nb::object found = lookUp(asking, decodedText(name));
    if (!found.is_valid())
      return undefined(function, asking, name);
    // While a function asks, it and its dispatcher are one: that makes recursion.
    const nb::object callee = functionIn(found);
    if (callee.is_valid() && callee.is(asking))
      return itself(function, asking);
    return capture(found, name, handles);
  }

  CapturedValue attribute(uint64_t handle, std::string_view name) override {
    const nb::handle object = objectOf(handle);
    const nb::object value = nb::steal(PyObject_GetAttr(object.ptr(), decodedText(name).ptr()));
    if (value.is_valid())
      return capture(value, name, handles);
    if (!PyErr_ExceptionMatches(PyExc_AttributeError))
      throw nb::python_error();
    PyErr_Clear();
    CapturedValue missing;
    // The one name of the CUDA Python specification that Python's math has not.
    if (PyModule_Check(object.ptr()) && name == "arctan" && std::string_view(PyModule_GetName(object.ptr())) == "math")
      missing.type = types::builtin("math.arctan");
    return missing;
  }

  CalledFunction function(uint64_t handle) override {
    CalledFunction called;
    called.handle = handle;
    called.syntax = syntaxFromPython(functionOf(handle).ptr());
    readOptions(objectOf(handle), called);
    return called;
  }

  std::string qualifiedName(uint64_t handle) override {
    const nb::handle object = handles.find(handle);
    if (!object.is_valid() || !PyType_Check(object.ptr()))
      return {};
    const nb::object module = nb::getattr(object, "__module__", nb::none());
    const nb::object name = nb::getattr(object, "__qualname__", nb::none());
    return PyUnicode_Check(module.ptr()) && PyUnicode_Check(name.ptr()) ? utf8Of(module) + ":" + utf8Of(name)
                                                                        : std::string();
  }

  CapturedValue parameterDefault(uint64_t handle, std::string_view name) override {
    const nb::object function = functionOf(handle);
    const nb::object key = decodedText(name);
    nb::object value;
    if (PyObject *keywords = PyFunction_GET_KW_DEFAULTS(function.ptr()))
      value = find(keywords, key);
    if (PyObject *defaults = PyFunction_GET_DEFAULTS(function.ptr()); !value.is_valid() && defaults != nullptr) {
      const nb::object code = nb::borrow(PyFunction_GET_CODE(function.ptr()));
      const auto count = nb::cast<Py_ssize_t>(nb::getattr(code, "co_argcount"));
      // Defaults belong to the last positional parameters.
      const Py_ssize_t position = positionOf(nb::getattr(code, "co_varnames"), key);
      const Py_ssize_t at = position - (count - PyTuple_GET_SIZE(defaults));
      if (position < count && at >= 0)
        value = nb::borrow(PyTuple_GET_ITEM(defaults, at));
    }
    return value.is_valid() ? capture(value, name, handles) : CapturedValue();
  }

  std::string_view undecoratedFunction(uint64_t handle) override {
    nb::handle object = objectOf(handle);
    if (PyMethod_Check(object.ptr()))
      object = PyMethod_GET_FUNCTION(object.ptr());
    if (!PyFunction_Check(object.ptr()))
      return {};
    std::string &name = functionNames[handle];
    name = utf8Of(nb::getattr(object, "__name__"));
    return name;
  }

  const Type *dtypeNamed(std::string_view text) override { return typeOfDtypeName(text); }

private:
  nb::handle objectOf(uint64_t handle) const {
    const nb::handle object = handles.find(handle);
    TREADLE_CHECK(object.is_valid());
    return object;
  }

  nb::object functionOf(uint64_t handle) const {
    nb::object function = functionIn(objectOf(handle));
    TREADLE_CHECK(function.is_valid());
    return function;
  }

  /// A function compiled while it is being decorated has no name yet, but may call itself by it.
  CapturedValue undefined(uint64_t handle, const nb::object &asking, std::string_view name) {
    if (utf8Of(nb::getattr(asking, "__name__")) == name)
      return itself(handle, asking);
    CapturedValue value;
    if (name == "xrange")
      value.type = types::builtin("xrange");
    return value;
  }

  static CapturedValue itself(uint64_t handle, const nb::object &asking) {
    CapturedValue value;
    value.type = types::function(handle, utf8Of(nb::getattr(asking, "__name__")));
    return value;
  }

  static void readOptions(nb::handle dispatcher, CalledFunction &called) {
    const nb::object declared = declaredAttribute(dispatcher, "__treadle_options__");
    if (!declared.is_valid())
      return;
    const auto options = nb::borrow<nb::dict>(declared);
    auto isOn = [&](const char *name) { return options.contains(name) && nb::cast<bool>(options[name]); };
    if (options.contains("rules"))
      called.rules = ruleSetNamed(utf8Of(options["rules"]));
    called.forceInline = isOn("force_inline");
    called.neverInline = isOn("never_inline");
    if (options.contains("signatures"))
      for (nb::handle signature : options["signatures"])
        called.signatures.push_back(signatureOf(signature));
  }

  std::unordered_map<uint64_t, std::string> functionNames;
};

} // namespace

std::shared_ptr<PythonResolver> makePythonResolver() { return std::make_shared<Resolver>(); }

} // namespace treadle::python

// Looks up names through treadle/source/names.py, and converts the objects.
#include "python/names/python_resolver.h"

#include "python/host/object_access.h"
#include "python/names/evaluation.h"
#include "python/source/syntax_from_ast.h"
#include "python/types/dtype_names.h"
#include "python/types/value_kinds.h"
#include "support/error.h"
#include "types/names/type_names.h"

namespace nb = nanobind;

namespace treadle::python {

namespace {

std::vector<const Type *> typesOf(nb::handle list) {
  std::vector<const Type *> types;
  for (nb::handle type : list)
    types.push_back(nb::cast<const Type *>(type));
  return types;
}

class Resolver final : public PythonResolver {
public:
  CapturedValue resolve(uint64_t function, std::string_view name) override {
    const nb::object asking = functionOf(function);
    const auto found = nb::cast<nb::tuple>(inNames("found")(asking, decodedText(name)));
    if (found.empty())
      return typed(name == "xrange" ? types::builtin("xrange") : nullptr);
    // While a function is being inferred, it and its dispatcher are identical, which is how recursion is found.
    if (functionIn(found[0]).is(asking))
      return typed(types::function(function, utf8Of(nb::getattr(asking, "__name__"))));
    return capture(found[0], name, handles);
  }

  CapturedValue attribute(uint64_t handle, std::string_view name) override {
    const nb::handle object = objectOf(handle);
    const nb::object value = found(object, name);
    if (value.is_valid())
      return capture(value, name.substr(name.rfind('.') + 1), handles);
    if (!PyErr_ExceptionMatches(PyExc_AttributeError))
      throw nb::python_error();
    PyErr_Clear();
    // The only name of the CUDA Python specification that Python's math module lacks.
    const bool isArctan =
        PyModule_Check(object.ptr()) && name == "arctan" && std::string_view(PyModule_GetName(object.ptr())) == "math";
    return typed(isArctan ? types::builtin("math.arctan") : nullptr);
  }

  CapturedValue members(uint64_t handle) override {
    nb::handle object = handles.find(handle);
    if (!object.is_valid())
      object = enumerationWithHandle(handle); // an argument's enumeration
    const nb::object members = object.is_valid() ? inNames("members_of")(object) : nb::none();
    return members.is_none() ? typed(nullptr) : capture(members, "members", handles);
  }

  CalledFunction function(uint64_t handle) override {
    CalledFunction called = described(handle);
    called.syntax = syntaxFromPython(functionOf(handle).ptr());
    return called;
  }

  CalledFunction described(uint64_t handle) override {
    CalledFunction called;
    called.handle = handle;
    const auto options = nb::cast<nb::tuple>(inNames("options_of")(objectOf(handle)));
    called.rules = ruleSetNamed(utf8Of(options[0]));
    called.forceInline = nb::cast<bool>(options[1]);
    called.neverInline = nb::cast<bool>(options[2]);
    for (nb::handle signature : nb::list(options[3]))
      called.signatures.push_back(typesOf(signature));
    called.libraryName = utf8Of(options[4]);
    called.isElementwise = nb::cast<bool>(options[5]);
    called.into = utf8Of(options[6]);
    return called;
  }

  std::string sourceKey(uint64_t handle) override {
    const auto key = nb::cast<nb::bytes>(memberOf("treadle.source.keys", "key_of")(functionOf(handle)));
    return {key.c_str(), key.size()};
  }

  std::string qualifiedName(uint64_t handle) override {
    const nb::handle object = handles.find(handle);
    return object.is_valid() ? utf8Of(inNames("path_of")(object)) : std::string();
  }

  CapturedValue parameterDefault(uint64_t handle, std::string_view name) override {
    const auto found = nb::cast<nb::tuple>(inNames("default_of")(functionOf(handle), decodedText(name)));
    return found.empty() ? CapturedValue() : capture(found[0], name, handles);
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

  Advice adviceOn(uint64_t handle, std::string_view attribute) override {
    const nb::handle object = handles.find(handle);
    if (!object.is_valid())
      return {};
    const auto texts = nb::cast<nb::tuple>(memberOf("treadle.source.advice", "on")(object, decodedText(attribute)));
    return {std::string(utf8Of(texts[0])), std::string(utf8Of(texts[1]))};
  }

  CapturedValue dtypeNamed(std::string_view text) override { return typed(typeOfDtypeName(text)); }

  CapturedValue libraryFunction(std::string_view key) override {
    const nb::object found = inNames("library_function")(decodedText(key));
    return found.is_none() ? typed(nullptr) : capture(found, key, handles);
  }

  ConstevalResult evaluate(uint64_t function, const ConstevalRequest &request) override {
    return evaluated(functionOf(function), request, handles);
  }

private:
  /// Follows a path of names; invalid with a Python error.
  static nb::object found(nb::handle object, std::string_view path) {
    const size_t dot = path.find('.');
    nb::object value = nb::steal(PyObject_GetAttr(object.ptr(), decodedText(path.substr(0, dot)).ptr()));
    return dot == path.npos || !value.is_valid() ? value : found(value, path.substr(dot + 1));
  }

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

  std::unordered_map<uint64_t, std::string> functionNames;
};

} // namespace

std::shared_ptr<PythonResolver> makePythonResolver() { return std::make_shared<Resolver>(); }

} // namespace treadle::python

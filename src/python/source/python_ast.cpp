// Fields of ast nodes, read as Python attributes.
#include "python/source/python_ast.h"

#include "python/host/held_reference.h"
#include "python/host/object_access.h"

namespace nb = nanobind;

namespace treadle::python {

namespace {

PyObject *objectOf(AstNode node) { return static_cast<PyObject *>(const_cast<void *>(node)); }

/// A node's attribute dict. A walk reads about ten attributes per node, and PyObject_GetAttr searches the classes
/// first.
nb::object attributesOf(AstNode node) {
  nb::object attributes = nb::steal(PyObject_GenericGetDict(objectOf(node), nullptr));
  if (!attributes.is_valid())
    throw nb::python_error();
  return attributes;
}

/// Borrowed; null if the node has none. Absent optional attributes are on the class.
PyObject *find(AstNode node, const nb::object &attributes, const nb::object &name) {
  if (PyObject *const value = PyDict_GetItemWithError(attributes.ptr(), name.ptr())) [[likely]]
    return value;
  const nb::object value = nb::steal(PyObject_GetAttr(objectOf(node), name.ptr()));
  if (!value.is_valid())
    forgetError({PyExc_AttributeError});
  return value.ptr();
}

PyObject *attribute(AstNode node, const nb::object &attributes, const nb::object &name) {
  PyObject *const value = find(node, attributes, name);
  if (!value)
    nb::raise("an ast.%s has no %s", Py_TYPE(objectOf(node))->tp_name, nb::str(name).c_str());
  return value;
}

uint32_t position(AstNode node, const nb::object &attributes, const nb::object &name) {
  const long number = PyLong_AsLong(attribute(node, attributes, name));
  if (number == -1 && PyErr_Occurred())
    throw nb::python_error();
  return uint32_t(number);
}

AstConstant integer(PyObject *value) {
  AstConstant constant;
  constant.kind = AstConstant::Kind::Int;
  int overflow = 0;
  constant.integer = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow == 0)
    return constant;
  constant.integer = int64_t(PyLong_AsUnsignedLongLong(value));
  constant.tooLarge = PyErr_Occurred() != nullptr;
  constant.isUnsigned = !constant.tooLarge;
  PyErr_Clear();
  return constant;
}

} // namespace

std::string_view PythonAst::className(AstNode node) const {
  const std::string_view name = Py_TYPE(objectOf(node))->tp_name;
  return name.substr(name.rfind('.') + 1);
}

AstNode PythonAst::field(AstNode node, AstField field) const {
  PyObject *const value = attribute(node, attributesOf(node), fieldNames[size_t(field)]);
  return value == Py_None ? nullptr : value;
}

std::vector<AstNode> PythonAst::list(AstNode node, AstField field) const {
  PyObject *const value = find(node, attributesOf(node), fieldNames[size_t(field)]);
  if (!value)
    return {};
  if (!PyList_Check(value))
    nb::raise_type_error("a list of nodes is needed, found %s", Py_TYPE(value)->tp_name);
  std::vector<AstNode> items(size_t(PyList_GET_SIZE(value)));
  for (size_t i = 0; i < items.size(); ++i) {
    PyObject *const item = PyList_GET_ITEM(value, Py_ssize_t(i));
    items[i] = item == Py_None ? nullptr : item;
  }
  return items;
}

SourceSpan PythonAst::span(AstNode node) const {
  const nb::object attributes = attributesOf(node);
  return {position(node, attributes, line), position(node, attributes, column), position(node, attributes, endLine),
          position(node, attributes, endColumn)};
}

AstConstant PythonAst::constant(AstNode node) const {
  using Kind = AstConstant::Kind;
  PyObject *const object = attribute(node, attributesOf(node), fieldNames[size_t(AstField::Value)]);
  if (PyBool_Check(object))
    return {Kind::Bool, false, false, object == Py_True, 0};
  if (PyLong_Check(object))
    return integer(object);
  if (PyFloat_Check(object))
    return {Kind::Float, false, false, 0, PyFloat_AS_DOUBLE(object)};
  if (PyComplex_Check(object))
    return {Kind::Complex, false, false, 0, PyComplex_ImagAsDouble(object)};
  const Kind kind = object == Py_None         ? Kind::None
                    : object == Py_Ellipsis   ? Kind::Ellipsis
                    : PyUnicode_Check(object) ? Kind::String
                    : PyBytes_Check(object)   ? Kind::Bytes
                                              : Kind::Other;
  return {kind, false, false, 0, 0};
}

int PythonAst::conversion(AstNode node) const {
  const long character = PyLong_AsLong(attribute(node, attributesOf(node), fieldNames[size_t(AstField::Conversion)]));
  if (character == -1 && PyErr_Occurred())
    throw nb::python_error();
  return int(character);
}

std::optional<std::string_view> PythonAst::text(AstNode text) const {
  if (PyObject *const object = objectOf(text); PyBytes_Check(object))
    return std::string_view(PyBytes_AS_STRING(object), size_t(PyBytes_GET_SIZE(object)));
  Py_ssize_t size = 0;
  if (const char *characters = PyUnicode_AsUTF8AndSize(objectOf(text), &size))
    return std::string_view(characters, size_t(size));
  PyErr_Clear();
  return std::nullopt;
}

namespace {

std::vector<AstNode> textsIn(nb::handle tuple) {
  std::vector<AstNode> texts;
  for (nb::handle text : nb::borrow<nb::tuple>(tuple))
    texts.push_back(text.ptr());
  return texts;
}

} // namespace

AstCode PythonAst::code(AstNode node, std::string_view className) const {
  const nb::object made =
      memberOf("treadle.source.compile_time", "Code")(nb::handle(objectOf(node)), decodedText(className));
  AstCode code;
  code.object = heldReference(made.ptr());
  code.reads = textsIn(made.attr("reads"));
  code.binds = textsIn(made.attr("binds"));
  code.problem = utf8Of(made.attr("problem"));
  code.line = nb::cast<uint32_t>(made.attr("line"));
  return code;
}

} // namespace treadle::python

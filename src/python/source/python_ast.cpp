// Fields of ast nodes, read as Python's attributes.
#include "python/source/python_ast.h"

namespace nb = nanobind;

namespace treadle::python {

namespace {

PyObject *objectOf(AstNode node) { return static_cast<PyObject *>(const_cast<void *>(node)); }

nb::object attribute(AstNode node, const nb::object &name) {
  nb::object value = nb::steal(PyObject_GetAttr(objectOf(node), name.ptr()));
  if (!value.is_valid())
    throw nb::python_error();
  return value;
}

uint32_t position(AstNode node, const nb::object &name) {
  const long number = PyLong_AsLong(attribute(node, name).ptr());
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
  const nb::object value = attribute(node, fieldNames[size_t(field)]);
  return value.is_none() ? nullptr : value.ptr();
}

std::vector<AstNode> PythonAst::list(AstNode node, AstField field) const {
  if (!PyObject_HasAttr(objectOf(node), fieldNames[size_t(field)].ptr()))
    return {};
  std::vector<AstNode> items;
  for (nb::handle item : nb::cast<nb::list>(attribute(node, fieldNames[size_t(field)])))
    items.push_back(item.is_none() ? nullptr : item.ptr());
  return items;
}

SourceSpan PythonAst::span(AstNode node) const {
  return {position(node, line), position(node, column), position(node, endLine), position(node, endColumn)};
}

AstConstant PythonAst::constant(AstNode node) const {
  using Kind = AstConstant::Kind;
  const nb::object value = attribute(node, fieldNames[size_t(AstField::Value)]);
  PyObject *object = value.ptr();
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
                                              : Kind::Other;
  return {kind, false, false, 0, 0};
}

std::optional<std::string_view> PythonAst::text(AstNode text) const {
  Py_ssize_t size = 0;
  if (const char *characters = PyUnicode_AsUTF8AndSize(objectOf(text), &size))
    return std::string_view(characters, size_t(size));
  PyErr_Clear();
  return std::nullopt;
}

} // namespace treadle::python

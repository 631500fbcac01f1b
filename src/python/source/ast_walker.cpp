// The walk in general: positions, identifiers, depth, errors; functions and their parameters.
#include "python/source/ast_walker.h"

#include "python/source/syntax_from_ast.h"

namespace nb = nanobind;

namespace treadle::python {

using namespace syntax;

namespace {

long longOf(nb::handle value) {
  const long number = PyLong_AsLong(value.ptr());
  if (number == -1 && PyErr_Occurred())
    throw nb::python_error();
  return number;
}

std::string_view utf8(nb::handle text) {
  Py_ssize_t size = 0;
  const char *characters = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (characters == nullptr) {
    PyErr_Clear();
    return {};
  }
  return {characters, static_cast<size_t>(size)};
}

} // namespace

std::string_view astClass(nb::handle node) {
  const std::string_view name = Py_TYPE(node.ptr())->tp_name;
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

nb::object AstWalker::field(Node node, const nb::object &name) const {
  PyObject *value = PyObject_GetAttr(node.ptr(), name.ptr());
  if (value == nullptr)
    throw nb::python_error();
  return nb::steal(value);
}

std::vector<nb::object> AstWalker::list(Node node, const nb::object &name) const {
  const nb::object items = field(node, name);
  std::vector<nb::object> result;
  for (nb::handle item : nb::borrow<nb::list>(items))
    result.push_back(nb::borrow(item));
  return result;
}

SourceSpan AstWalker::span(Node node) const {
  auto line = [&](const nb::object &name) {
    return static_cast<uint32_t>(longOf(field(node, name)) + origin.lineOffset);
  };
  auto column = [&](const nb::object &name) { return static_cast<uint32_t>(longOf(field(node, name))); };
  return {line(fields.lineno), column(fields.column), line(fields.endLine), column(fields.endColumn)};
}

SourceSpan AstWalker::headerSpan(Node node, Node lastOfHeader) const {
  SourceSpan header = span(node);
  const SourceSpan last = span(lastOfHeader);
  header.endLine = last.endLine;
  header.endColumn = last.endColumn;
  return header;
}

/// From `def` up to the colon; where the header takes several lines, to the end of its first.
SourceSpan AstWalker::definitionSpan(Node node) const {
  SourceSpan header = span(node);
  std::string_view line = origin.source->line(header.line);
  const std::vector<nb::object> body = list(node, fields.body);
  const SourceSpan first = body.empty() ? SourceSpan() : span(body.front());
  if (first.line == header.line)
    line = line.substr(0, first.column);
  const size_t colon = line.rfind(':');
  header.endLine = header.line;
  header.endColumn = static_cast<uint32_t>(colon == std::string_view::npos ? line.size() : colon);
  return header;
}

/// Inside a class Python renames `__x` to `_Class__x`, in attributes and keywords too.
std::string_view AstWalker::identifier(Node text) {
  const std::string_view id = utf8(text);
  if (origin.className.empty() || !id.starts_with("__") || id.ends_with("__") || id.find('.') != std::string_view::npos)
    return nodes.text(id);
  return nodes.text("_" + origin.className + std::string(id));
}

std::string_view AstWalker::text(Node text, const SourceSpan &at) {
  Py_ssize_t size = 0;
  const char *characters = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (characters != nullptr)
    return nodes.text({characters, static_cast<size_t>(size)});
  PyErr_Clear();
  fail(CompileErrorKind::Unsupported, at, "a string with half of a surrogate pair cannot be used in a kernel",
       "write the character as \\UXXXXXXXX");
}

void AstWalker::fail(CompileErrorKind kind, const SourceSpan &at, std::string_view message,
                     std::string_view remedy) const {
  Diagnostic diagnostic;
  diagnostic.kind = kind;
  diagnostic.message = message;
  diagnostic.span = at;
  diagnostic.source = origin.source;
  diagnostic.remedy = remedy;
  throw CompileError(std::move(diagnostic));
}

void AstWalker::unsupported(Node node, std::string_view className) const {
  const Construct construct = unsupportedConstruct(className);
  fail(CompileErrorKind::Unsupported, span(node), std::string(construct.name) + " cannot be used in a kernel",
       construct.remedy);
}

void AstWalker::enter(Node node) {
  if (++depth <= maxDepth)
    return;
  fail(CompileErrorKind::Limit, span(node),
       "expressions and statements are nested more than " + std::to_string(maxDepth) + " deep",
       "assign parts of the expression to variables, or move parts into device functions");
}

const Function *AstWalker::function(nb::handle node) { return function(node, Defaults::Marked); }

const Function *AstWalker::function(Node node, Defaults defaults) {
  const std::string_view className = astClass(node);
  if (className != "FunctionDef" && className != "Lambda")
    unsupported(node, className);
  const bool isLambda = className == "Lambda";
  const std::vector<Parameter> declared = parameters(field(node, fields.args), defaults);
  if (isLambda) {
    Expr *value = expression(field(node, fields.body));
    Stmt *body = nodes.make<Return>(Stmt{StmtKind::Return, value->span}, value);
    return nodes.make<Function>("<lambda>", span(node), nodes.list(declared),
                                Body(nodes.list(std::vector<Stmt *>{body})), true);
  }
  const nb::object typeParameters = nb::steal(PyObject_GetAttr(node.ptr(), fields.typeParameters.ptr()));
  if (!typeParameters.is_valid())
    PyErr_Clear();
  else if (PyList_GET_SIZE(typeParameters.ptr()) != 0)
    unsupported(PyList_GET_ITEM(typeParameters.ptr(), 0), "TypeParameters");
  // Users know a method by the name they gave it; a nested function's is a local variable.
  const nb::object given = field(node, fields.name);
  const std::string_view name = defaults == Defaults::Marked ? nodes.text(utf8(given)) : identifier(given);
  const SourceSpan at = definitionSpan(node);
  return nodes.make<Function>(name, at, nodes.list(declared), statements(node, fields.body), false);
}

std::vector<Parameter> AstWalker::parameters(Node arguments, Defaults defaults) {
  std::vector<Parameter> result;
  auto setDefault = [&](Parameter &parameter, Node value) {
    parameter.hasDefault = true;
    if (defaults == Defaults::Walked)
      parameter.defaultValue = expression(value);
  };
  for (const nb::object *name : {&fields.positionalOnly, &fields.args})
    for (const nb::object &node : list(arguments, *name))
      result.push_back(parameter(node, ParameterKind::Plain));
  // Defaults belong to the last plain parameters.
  const std::vector<nb::object> values = list(arguments, fields.defaults);
  const size_t first = result.size() - values.size();
  for (size_t i = 0; i < values.size(); ++i)
    setDefault(result[first + i], values[i]);
  if (const nb::object star = field(arguments, fields.vararg); !star.is_none())
    result.push_back(parameter(star, ParameterKind::Star));
  const std::vector<nb::object> keywordDefaults = list(arguments, fields.keywordDefaults);
  size_t position = 0;
  for (const nb::object &node : list(arguments, fields.keywordOnly)) {
    result.push_back(parameter(node, ParameterKind::KeywordOnly));
    if (const nb::object &value = keywordDefaults[position++]; !value.is_none())
      setDefault(result.back(), value);
  }
  if (const nb::object star = field(arguments, fields.kwarg); !star.is_none())
    result.push_back(parameter(star, ParameterKind::DoubleStar));
  return result;
}

/// The annotation is no part of the parameter: what stands there need not exist on the device.
Parameter AstWalker::parameter(Node node, ParameterKind kind) {
  SourceSpan at = span(node);
  const nb::object name = field(node, fields.arg);
  at.endLine = at.line;
  at.endColumn = at.column + static_cast<uint32_t>(utf8(name).size());
  return {identifier(name), at, kind, nullptr, false};
}

} // namespace treadle::python

// Finds a function's ast by treadle/source.py and has it walked; keeps the tree with the function's code object.
#include "python/source/syntax_from_ast.h"

#include "python/host/object_access.h"
#include "python/source/python_ast.h"
#include "syntax/ast_walker.h"

namespace nb = nanobind;

namespace treadle::python {

namespace {

using TreeRef = std::shared_ptr<const SyntaxFunction>;
constexpr const char *capsuleName = "treadle.syntax";

/// The function's name with those of the scopes around it. That of the code is preferred: decorators overwrite the
/// function's.
std::string qualifiedName(nb::handle function, nb::handle code) {
  nb::object name = nb::steal(PyObject_GetAttrString(code.ptr(), "co_qualname"));
  if (!name.is_valid()) {
    PyErr_Clear();
    name = nb::getattr(function, "__qualname__");
  }
  return utf8Of(name);
}

[[noreturn]] void throwNotFound(const nb::python_error &error, const SourceRef &source) {
  const nb::object arguments = nb::getattr(error.value(), "args");
  Diagnostic diagnostic;
  diagnostic.kind = CompileErrorKind::Source;
  diagnostic.source = source;
  diagnostic.message = utf8Of(arguments[0]);
  diagnostic.remedy = utf8Of(arguments[1]);
  throw CompileError(std::move(diagnostic));
}

[[noreturn]] void throwTooDeep(const SourceRef &source) {
  Diagnostic diagnostic;
  diagnostic.kind = CompileErrorKind::Limit;
  diagnostic.source = source;
  diagnostic.message = "'" + source->function + "' is nested too deep for Python's parser";
  diagnostic.remedy = "assign parts of the expression to variables, or move parts into device functions";
  throw CompileError(std::move(diagnostic));
}

/// The tuple that source.locate returns. `unknown` says where the function claims to be, for errors.
nb::tuple locate(nb::handle module, nb::handle function, const SourceRef &unknown) {
  try {
    return nb::cast<nb::tuple>(module.attr("locate")(function));
  } catch (nb::python_error &error) {
    if (error.matches(module.attr("NotFoundError")))
      throwNotFound(error, unknown);
    if (error.matches(PyExc_RecursionError))
      throwTooDeep(unknown);
    throw;
  }
}

TreeRef make(nb::handle module, nb::handle function, nb::handle code) {
  SourceText text;
  text.file = utf8Of(nb::getattr(code, "co_filename"));
  text.function = qualifiedName(function, code);
  text.firstLine = nb::cast<uint32_t>(nb::getattr(code, "co_firstlineno"));
  const nb::tuple found = locate(module, function, std::make_shared<const SourceText>(text));
  text.text = utf8Of(found[1]);
  text.firstLine = nb::cast<uint32_t>(found[2]);
  AstOrigin origin;
  origin.className = utf8Of(found[4]);
  origin.source = std::make_shared<const SourceText>(std::move(text));
  origin.lineOffset = nb::cast<int>(found[3]);
  return syntaxFromAst(PythonAst(), found[0].ptr(), std::move(origin));
}

void destroyTree(PyObject *capsule) { delete static_cast<TreeRef *>(PyCapsule_GetPointer(capsule, capsuleName)); }

} // namespace

std::shared_ptr<const SyntaxFunction> syntaxFromPython(PyObject *function) {
  if (!PyFunction_Check(function))
    throw UsageError(UsageError::Kind::Type,
                     std::string("a Python function is needed, found ") + Py_TYPE(function)->tp_name);
  const nb::object module = nb::module_::import_("treadle.source");
  const nb::object code = nb::borrow(PyFunction_GET_CODE(function));
  if (const nb::object kept = module.attr("kept")(code); !kept.is_none())
    return *static_cast<TreeRef *>(PyCapsule_GetPointer(kept.ptr(), capsuleName));
  auto tree = std::make_unique<TreeRef>(make(module, function, code));
  const nb::object capsule = nb::steal(PyCapsule_New(tree.get(), capsuleName, destroyTree));
  if (!capsule.is_valid())
    throw nb::python_error();
  TreeRef result = *tree.release();
  module.attr("keep")(code, capsule);
  return result;
}

} // namespace treadle::python

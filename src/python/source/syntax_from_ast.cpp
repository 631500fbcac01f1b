// Finds a function's ast through treadle/source/functions.py and walks it; caches the tree with the code object.
#include "python/source/syntax_from_ast.h"

#include "python/host/object_access.h"
#include "python/source/python_ast.h"
#include "runtime/code_cache.h"
#include "runtime/runtime.h"
#include "syntax/ast_walker.h"

namespace nb = nanobind;

namespace treadle::python {

namespace {

using TreeRef = std::shared_ptr<const SyntaxFunction>;
constexpr const char *capsuleName = "treadle.syntax";

/// `why`: the kind of error, its message and the remedy.
[[noreturn]] void throwNotFound(const nb::tuple &why, const SourceRef &source) {
  Diagnostic diagnostic;
  diagnostic.kind = utf8Of(why[0]) == "limit" ? CompileErrorKind::Limit : CompileErrorKind::Source;
  diagnostic.source = source;
  diagnostic.message = utf8Of(why[1]);
  diagnostic.remedy = utf8Of(why[2]);
  throw CompileError(std::move(diagnostic));
}

/// Empty if no program can have named it: it costs a look-up for each call in the function.
std::function<bool(AstNode)> recogniser(nb::handle function) {
  if (!nb::cast<bool>(memberOf("treadle.source.functions", "may_say")(function, "consteval")))
    return {};
  return [function](AstNode callee) {
    const nb::handle node(static_cast<PyObject *>(const_cast<void *>(callee)));
    return nb::cast<bool>(memberOf("treadle.source.compile_time", "is_meant")(node, function));
  };
}

TreeRef make(nb::handle function, nb::handle code) {
  const auto answer = nb::cast<nb::tuple>(memberOf("treadle.source.functions", "found")(function));
  const nb::object found = answer[1];
  SourceText text;
  text.file = utf8Of(nb::getattr(code, "co_filename"));
  text.function = utf8Of(answer[0]);
  text.firstLine = nb::cast<uint32_t>(nb::getattr(code, "co_firstlineno"));
  if (found.is_none())
    throwNotFound(nb::cast<nb::tuple>(answer[2]), std::make_shared<const SourceText>(std::move(text)));
  text.text = utf8Of(found[1]);
  text.firstLine = nb::cast<uint32_t>(found[2]);
  AstOrigin origin;
  origin.className = utf8Of(found[4]);
  origin.source = std::make_shared<const SourceText>(std::move(text));
  origin.lineOffset = nb::cast<int>(found[3]);
  origin.hasAsserts = nb::cast<bool>(found[5]);
  origin.isConsteval = recogniser(function);
  return syntaxFromAst(PythonAst::instance(), found[0].ptr(), std::move(origin));
}

void destroyTree(PyObject *capsule) { delete static_cast<TreeRef *>(PyCapsule_GetPointer(capsule, capsuleName)); }

} // namespace

std::shared_ptr<const SyntaxFunction> syntaxFromPython(PyObject *function) {
  if (!PyFunction_Check(function))
    throw UsageError(UsageError::Kind::Type,
                     std::string("a Python function is needed, found ") + Py_TYPE(function)->tp_name);
  const nb::object code = nb::borrow(PyFunction_GET_CODE(function));
  if (const nb::object kept = memberOf("treadle.source.functions", "kept")(code); !kept.is_none())
    return *static_cast<TreeRef *>(PyCapsule_GetPointer(kept.ptr(), capsuleName));
  // The key is of the current text: later it can no longer be determined.
  if (Runtime::instance().codeCache().isUsed())
    (void)memberOf("treadle.source.keys", "key_of")(nb::handle(function));
  auto tree = std::make_unique<TreeRef>(make(function, code));
  const nb::object capsule = nb::steal(PyCapsule_New(tree.get(), capsuleName, destroyTree));
  if (!capsule.is_valid())
    throw nb::python_error();
  TreeRef result = *tree.release();
  memberOf("treadle.source.functions", "keep")(code, capsule);
  return result;
}

} // namespace treadle::python

// PythonAst: the nodes of Python's ast module, for the walk that converts them to a syntax tree.
#pragma once

#include "syntax/ast_source.h"

#include <nanobind/nanobind.h>

#include <array>

namespace treadle::python {

/// Nodes are borrowed PyObject pointers: a reference to the root of an ast keeps all of it alive, as the ast is
/// constant between parsing and the walk. Throws nanobind::python_error if Python fails. Needs the GIL.
class PythonAst final : public AstSource {
public:
  /// A process-wide instance; its only state is names.
  static const PythonAst &instance() {
    static const PythonAst &ast = *new PythonAst;
    return ast;
  }

  std::string_view className(AstNode node) const override;
  AstNode field(AstNode node, AstField field) const override;
  std::vector<AstNode> list(AstNode node, AstField field) const override;
  SourceSpan span(AstNode node) const override;
  AstConstant constant(AstNode node) const override;
  int conversion(AstNode node) const override;
  std::optional<std::string_view> text(AstNode text) const override;
  AstCode code(AstNode node, std::string_view className) const override;

private:
  PythonAst() = default;

  static nanobind::object interned(const char *name) { return nanobind::steal(PyUnicode_InternFromString(name)); }

#define TREADLE_INTERNED(field, name) interned(name),
  const std::array<nanobind::object, astFieldCount> fieldNames{TREADLE_AST_FIELDS(TREADLE_INTERNED)};
#undef TREADLE_INTERNED
  const nanobind::object line = interned("lineno"), column = interned("col_offset");
  const nanobind::object endLine = interned("end_lineno"), endColumn = interned("end_col_offset");
};

} // namespace treadle::python

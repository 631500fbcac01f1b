// Turns Python's ast nodes into a syntax tree, in one walk.
#pragma once

#include "support/arena.h"
#include "support/error.h"
#include "syntax/syntax.h"

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <vector>

namespace treadle::python {

/// Where the nodes come from.
struct AstOrigin {
  SourceRef source;
  int lineOffset = 0;    ///< added to a node's line gives the line in the file
  std::string className; ///< innermost class around the function, for names like `__x`; empty: none
};

/// The names of the ast fields that are read, as Python strings, made once for each walk.
struct AstFields {
  nanobind::object lineno = interned("lineno");
  nanobind::object column = interned("col_offset");
  nanobind::object endLine = interned("end_lineno");
  nanobind::object endColumn = interned("end_col_offset");
  nanobind::object id = interned("id");
  nanobind::object value = interned("value");
  nanobind::object op = interned("op");
  nanobind::object operand = interned("operand");
  nanobind::object left = interned("left");
  nanobind::object right = interned("right");
  nanobind::object values = interned("values");
  nanobind::object ops = interned("ops");
  nanobind::object comparators = interned("comparators");
  nanobind::object test = interned("test");
  nanobind::object body = interned("body");
  nanobind::object orelse = interned("orelse");
  nanobind::object func = interned("func");
  nanobind::object args = interned("args");
  nanobind::object keywords = interned("keywords");
  nanobind::object arg = interned("arg");
  nanobind::object attr = interned("attr");
  nanobind::object slice = interned("slice");
  nanobind::object lower = interned("lower");
  nanobind::object upper = interned("upper");
  nanobind::object step = interned("step");
  nanobind::object elts = interned("elts");
  nanobind::object target = interned("target");
  nanobind::object targets = interned("targets");
  nanobind::object iter = interned("iter");
  nanobind::object exc = interned("exc");
  nanobind::object cause = interned("cause");
  nanobind::object msg = interned("msg");
  nanobind::object name = interned("name");
  nanobind::object decorators = interned("decorator_list");
  nanobind::object positionalOnly = interned("posonlyargs");
  nanobind::object vararg = interned("vararg");
  nanobind::object keywordOnly = interned("kwonlyargs");
  nanobind::object kwarg = interned("kwarg");
  nanobind::object keywordDefaults = interned("kw_defaults");
  nanobind::object defaults = interned("defaults");
  nanobind::object typeParameters = interned("type_params");

private:
  static nanobind::object interned(const char *name) { return nanobind::steal(PyUnicode_InternFromString(name)); }
};

/// One walk over one function. Throws CompileError for what kernels cannot have, nanobind::python_error where Python
/// fails. The tree it makes lives in `nodes`.
class AstWalker {
public:
  AstWalker(Arena &nodes, AstOrigin origin) : nodes(nodes), origin(std::move(origin)) {}

  /// `node`: ast.FunctionDef or ast.Lambda. The defaults of the outermost function are only marked.
  const syntax::Function *function(nanobind::handle node);

private:
  using Node = nanobind::handle;
  using Expr = syntax::Expr;
  using Stmt = syntax::Stmt;
  enum class Defaults : bool { Marked, Walked };

  // ast_walker.cpp: nodes in general, functions
  const syntax::Function *function(Node node, Defaults defaults);
  std::vector<syntax::Parameter> parameters(Node arguments, Defaults defaults);
  syntax::Parameter parameter(Node node, syntax::ParameterKind kind);
  nanobind::object field(Node node, const nanobind::object &name) const;
  std::vector<nanobind::object> list(Node node, const nanobind::object &name) const;
  SourceSpan span(Node node) const;
  SourceSpan headerSpan(Node node, Node lastOfHeader) const;
  SourceSpan definitionSpan(Node node) const;
  std::string_view identifier(Node text);
  std::string_view text(Node text, const SourceSpan &span);
  [[noreturn]] void unsupported(Node node, std::string_view className) const;
  [[noreturn]] void fail(CompileErrorKind kind, const SourceSpan &span, std::string_view message,
                         std::string_view remedy) const;
  void enter(Node node);

  // ast_expressions.cpp
  Expr *expression(Node node);
  Expr *expressionOrNull(Node node) { return node.is_none() ? nullptr : expression(node); }
  std::vector<Expr *> expressions(Node node, const nanobind::object &name);
  Expr *name(Node node, SourceSpan at);
  Expr *constant(Node node, SourceSpan at);
  Expr *integer(Node value, SourceSpan at);
  Expr *unary(Node node, SourceSpan at);
  Expr *negatedLiteral(const syntax::Literal &literal, SourceSpan at);
  Expr *binary(Node node, SourceSpan at);
  Expr *boolean(Node node, SourceSpan at);
  Expr *compare(Node node, SourceSpan at);
  Expr *conditional(Node node, SourceSpan at);
  Expr *call(Node node, SourceSpan at);
  Expr *attribute(Node node, SourceSpan at);
  Expr *subscript(Node node, SourceSpan at);
  Expr *slice(Node node, SourceSpan at);
  Expr *tuple(Node node, SourceSpan at);
  Expr *listDisplay(Node node, SourceSpan at);
  Expr *sequence(Node node, SourceSpan at, syntax::ExprKind kind);
  Expr *walrus(Node node, SourceSpan at);
  Expr *starred(Node node, SourceSpan at);
  Expr *lambda(Node node, SourceSpan at);

  // ast_statements.cpp
  /// nullptr: a statement that does nothing (pass, a docstring, a bare annotation).
  Stmt *statement(Node node);
  syntax::Body statements(Node node, const nanobind::object &name);
  Expr *assignmentTarget(Node node);
  Stmt *assign(Node node);
  Stmt *annotatedAssign(Node node);
  Stmt *augmentedAssign(Node node);
  Stmt *expressionStatement(Node node);
  Stmt *ifStatement(Node node);
  Stmt *whileStatement(Node node);
  Stmt *forStatement(Node node);
  Stmt *breakStatement(Node node);
  Stmt *continueStatement(Node node);
  Stmt *passStatement(Node node);
  Stmt *deleteStatement(Node node);
  Stmt *returnStatement(Node node);
  Stmt *raiseStatement(Node node);
  Stmt *assertStatement(Node node);
  Stmt *functionDefinition(Node node);

  template <typename Method> struct Entry {
    std::string_view className;
    Method method;
  };

  Arena &nodes;
  AstOrigin origin;
  AstFields fields;
  unsigned depth = 0;
};

/// The ast class of a node, without its module: "BinOp".
std::string_view astClass(nanobind::handle node);

/// How a construct that kernels cannot have is called, and what to write instead.
struct Construct {
  std::string_view className;
  std::string_view name;
  std::string_view remedy;
};
/// The row of an ast class; a general one for classes that no table knows.
Construct unsupportedConstruct(std::string_view className);

/// Which operator an ast class names. `operators`: anything but `@`.
bool binaryOperatorOf(std::string_view className, BinaryOperator &op);

} // namespace treadle::python

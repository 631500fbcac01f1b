// Statements: the typed statements of a function's body.
#pragma once

#include "infer/statements/loops.h"

namespace treadle {

/// The last of the parts: uses all others. Of them only Loops uses it, for bodies.
class Statements {
public:
  Statements(Expressions &expressions, Assignments &assignments, Solver &solver)
      : loops(expressions, assignments, solver, *this), expressions(expressions), assignments(assignments) {}

  /// Emits the statements of a body.
  void buildBody(syntax::Body body);
  /// In both phases: binds the name of a nested function.
  void defineFunction(const syntax::FunctionDef &statement, NodeId node);

  Loops loops;

private:
  void buildStatement(const syntax::Stmt &statement);
  void buildIf(const syntax::If &statement);
  void buildReturn(const syntax::Return &statement);
  /// A statement that is an expression, for its effects.
  void buildExpression(const syntax::ExprStmt &statement);
  void buildRaise(const syntax::Raise &statement);
  std::string_view literalArguments(const std::vector<const syntax::Expr *> &arguments);
  void buildAssert(const syntax::Assert &statement);

  Expressions &expressions;
  Assignments &assignments;
  Compilation &compilation = expressions.instance.compilation;
  const InstanceRequest &request = expressions.instance.request;
  const Scope &scope = expressions.instance.scope;
  const SourceRef &source = expressions.instance.source;
  const TypedFunction &out = *expressions.instance.out;
  const Flow &flow = expressions.instance.flow;
  Tree &tree = expressions.instance.tree;
  Names &names = expressions.parts.names;
};

} // namespace treadle

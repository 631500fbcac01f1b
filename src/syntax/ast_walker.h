// AstWalker: converts Python's ast into a syntax tree, in one walk.
#pragma once

#include "support/arena.h"
#include "support/error.h"
#include "syntax/ast_source.h"
#include "syntax/literal_arithmetic.h"
#include "syntax/syntax.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// The context of the nodes.
struct AstOrigin {
  SourceRef source;
  int lineOffset = 0;    ///< added to a node's line number gives the line in the file
  std::string className; ///< innermost class around the function, for names like `__x`; empty: none
  /// Whether Python has compiled asserts, and `__debug__` is True; not under python -O.
  bool hasAsserts = true;
  /// Whether a callee means `consteval` in the function; empty: none does.
  std::function<bool(AstNode callee)> isConsteval;
};

/// Expressions and statements nest at most this deep: every stage after this one may recurse over the tree.
constexpr unsigned maxSyntaxDepth = 1500;

/// The tree of an ast.FunctionDef or ast.Lambda. Throws CompileError: Unsupported for constructs that kernels cannot
/// have, Limit beyond `maxSyntaxDepth`; and whatever `tree` throws.
TREADLE_API std::shared_ptr<const SyntaxFunction> syntaxFromAst(const AstSource &tree, AstNode function,
                                                                AstOrigin origin);

/// One walk over one function. The tree it makes lives in `nodes`.
class AstWalker {
public:
  /// The defaults of the outermost function are only recorded as present.
  enum class Defaults : bool { Marked, Walked };

  AstWalker(Arena &nodes, const AstSource &tree, AstOrigin origin)
      : nodes(nodes), tree(tree), origin(std::move(origin)) {}

  // ast_walker.cpp: nodes in general, functions
  /// `node`: ast.FunctionDef or ast.Lambda.
  const syntax::Function *function(AstNode node, Defaults defaults);
  /// Objects that the tree refers to besides `nodes`.
  std::vector<std::shared_ptr<const void>> takeCodes() { return std::move(codes); }

private:
  using Expr = syntax::Expr;
  using Stmt = syntax::Stmt;

  std::vector<syntax::Parameter> parameters(AstNode arguments, Defaults defaults);
  syntax::Parameter parameter(AstNode node, syntax::ParameterKind kind);
  SourceSpan span(AstNode node) const;
  SourceSpan headerSpan(AstNode node, AstNode lastOfHeader) const;
  SourceSpan definitionSpan(AstNode node) const;
  std::string_view identifier(AstNode text);
  [[noreturn]] void unsupported(AstNode node, std::string_view className) const;
  [[noreturn]] void fail(CompileErrorKind kind, const SourceSpan &span, std::string_view message,
                         std::string_view remedy) const;
  void enter(AstNode node);

  // ast_expressions.cpp
  Expr *expression(AstNode node);
  Expr *expressionOrNull(AstNode node) { return node ? expression(node) : nullptr; }
  std::vector<Expr *> expressions(AstNode node, AstField name);
  Expr *name(AstNode node, SourceSpan at);
  Expr *constant(AstNode node, SourceSpan at);
  Expr *string(AstNode node, SourceSpan at);
  Expr *unary(AstNode node, SourceSpan at);
  Expr *negatedLiteral(const syntax::Literal &literal, SourceSpan at);
  Expr *binary(AstNode node, SourceSpan at);
  Expr *boolean(AstNode node, SourceSpan at);
  Expr *compare(AstNode node, SourceSpan at);
  Expr *conditional(AstNode node, SourceSpan at);
  Expr *call(AstNode node, SourceSpan at);
  Expr *attribute(AstNode node, SourceSpan at);
  Expr *subscript(AstNode node, SourceSpan at);
  Expr *slice(AstNode node, SourceSpan at);
  Expr *tuple(AstNode node, SourceSpan at);
  Expr *listDisplay(AstNode node, SourceSpan at);
  Expr *sequence(AstNode node, SourceSpan at, syntax::ExprKind kind);
  Expr *joinedString(AstNode node, SourceSpan at);
  Expr *formattedValue(AstNode node, SourceSpan at);
  Expr *walrus(AstNode node, SourceSpan at);
  Expr *starred(AstNode node, SourceSpan at);
  Expr *lambda(AstNode node, SourceSpan at);

  // ast_consteval.cpp
  bool isConsteval(AstNode call) const;
  Expr *constevalCall(AstNode call, syntax::Consteval::Yields yields);
  syntax::Consteval *constevalOf(const AstCode &code, AstNode call, syntax::Consteval::Yields yields);
  Stmt *withStatement(AstNode node);
  Expr *comprehension(AstNode node, SourceSpan at);
  const syntax::Function *elementOf(AstNode comprehension, AstNode target, SourceSpan at);

  // ast_statements.cpp
  /// nullptr: a statement that does nothing (pass, a docstring, a bare annotation).
  Stmt *statement(AstNode node);
  syntax::Body statements(AstNode node, AstField name);
  Expr *assignmentTarget(AstNode node);
  Stmt *assign(AstNode node);
  Stmt *annotatedAssign(AstNode node);
  Stmt *augmentedAssign(AstNode node);
  Stmt *expressionStatement(AstNode node);
  Stmt *ifStatement(AstNode node);
  Stmt *whileStatement(AstNode node);
  Stmt *forStatement(AstNode node);
  Stmt *breakStatement(AstNode node);
  Stmt *continueStatement(AstNode node);
  Stmt *passStatement(AstNode node);
  Stmt *deleteStatement(AstNode node);
  Stmt *returnStatement(AstNode node);
  Stmt *raiseStatement(AstNode node);
  Stmt *assertStatement(AstNode node);
  Stmt *functionDefinition(AstNode node);

  template <typename Method> struct Entry {
    std::string_view className;
    Method method;
  };

  Arena &nodes;
  const AstSource &tree;
  AstOrigin origin;
  LiteralArithmetic literals{nodes};
  unsigned depth = 0;
  bool isInComprehension = false;
  std::vector<std::shared_ptr<const void>> codes;
};

/// The name of an unsupported construct, and what to write instead.
struct Construct {
  std::string_view className;
  std::string_view name;
  std::string_view remedy;
};
/// The row of an ast class; a generic one for classes that are not in the table.
Construct unsupportedConstruct(std::string_view className);

/// Which operator an ast class names. `operators`: anything but `@`.
bool binaryOperatorOf(std::string_view className, BinaryOperator &op);

} // namespace treadle

// Walks syntax trees: the children of a node, in Python's order of evaluation.
// Nothing here looks at names: what is bound or read is decided by callers. Null children are left out.
#pragma once

#include "syntax/syntax.h"

namespace treadle {

template <typename Visit> void visitEach(std::span<syntax::Expr *const> expressions, Visit &visit) {
  for (const syntax::Expr *one : expressions)
    visit(*one);
}

/// forEachChild, for code that Python runs at compile time. Names and constants have no children, and a lambda's body
/// belongs to another function.
template <typename Visit> void forEachConstevalChild(const syntax::Expr &expression, Visit visit) {
  if (expression.kind == syntax::ExprKind::Comprehension)
    return visit(*expression.as<syntax::Comprehension>().each);
  if (expression.kind != syntax::ExprKind::Consteval)
    return;
  const auto &code = expression.as<syntax::Consteval>();
  visit(*code.callee);
  visitEach(code.names, visit);
}

/// Calls `visit(const syntax::Expr &)` for each direct child of an expression, left to right. A lambda's body is not
/// a child.
template <typename Visit> void forEachChild(const syntax::Expr &expression, Visit visit) {
  using syntax::ExprKind;
  auto maybe = [&](const syntax::Expr *child) {
    if (child)
      visit(*child);
  };
  switch (expression.kind) {
  case ExprKind::Unary:
    return visit(*expression.as<syntax::Unary>().operand);
  case ExprKind::Binary:
    visit(*expression.as<syntax::Binary>().left);
    return visit(*expression.as<syntax::Binary>().right);
  case ExprKind::Boolean:
    return visitEach(expression.as<syntax::Boolean>().values, visit);
  case ExprKind::Compare:
    visit(*expression.as<syntax::Compare>().left);
    return visitEach(expression.as<syntax::Compare>().rights, visit);
  case ExprKind::Conditional:
    visit(*expression.as<syntax::Conditional>().test);
    visit(*expression.as<syntax::Conditional>().then);
    return visit(*expression.as<syntax::Conditional>().otherwise);
  case ExprKind::Call:
    visit(*expression.as<syntax::Call>().callee);
    visitEach(expression.as<syntax::Call>().arguments, visit);
    for (const syntax::Keyword &keyword : expression.as<syntax::Call>().keywords)
      visit(*keyword.value);
    return;
  case ExprKind::Attribute:
    return visit(*expression.as<syntax::Attribute>().value);
  case ExprKind::Subscript:
    visit(*expression.as<syntax::Subscript>().value);
    return visit(*expression.as<syntax::Subscript>().index);
  case ExprKind::Slice:
    maybe(expression.as<syntax::Slice>().start);
    maybe(expression.as<syntax::Slice>().stop);
    return maybe(expression.as<syntax::Slice>().step);
  case ExprKind::Tuple:
  case ExprKind::List:
  case ExprKind::Joined:
    return visitEach(expression.as<syntax::Sequence>().items, visit);
  case ExprKind::Format:
    visit(*expression.as<syntax::Format>().value);
    return maybe(expression.as<syntax::Format>().spec);
  case ExprKind::Walrus:
    return visit(*expression.as<syntax::Walrus>().value);
  case ExprKind::Starred:
    return visit(*expression.as<syntax::Starred>().value);
  case ExprKind::Name:
  case ExprKind::Literal:
  case ExprKind::String:
  case ExprKind::Ellipsis:
  case ExprKind::Lambda:
  case ExprKind::Consteval:
  case ExprKind::Comprehension:
    return forEachConstevalChild(expression, visit);
  }
}

/// Calls `visit(const syntax::Expr *)` for the expressions that a statement evaluates, which may be null, and
/// `enter(syntax::Body)` for its bodies. A raised exception, which is a class and literals, is not among them.
template <typename Visit, typename Enter> void forEachPart(const syntax::Stmt &statement, Visit visit, Enter enter) {
  using syntax::StmtKind;
  switch (statement.kind) {
  case StmtKind::Assign:
    for (const syntax::Expr *target : statement.as<syntax::Assign>().targets)
      visit(target);
    return visit(statement.as<syntax::Assign>().value);
  case StmtKind::AugAssign:
    visit(statement.as<syntax::AugAssign>().target);
    return visit(statement.as<syntax::AugAssign>().value);
  case StmtKind::Expression:
    return visit(statement.as<syntax::ExprStmt>().value);
  case StmtKind::If:
    visit(statement.as<syntax::If>().test);
    enter(statement.as<syntax::If>().then);
    return enter(statement.as<syntax::If>().otherwise);
  case StmtKind::While:
    visit(statement.as<syntax::While>().test);
    enter(statement.as<syntax::While>().body);
    return enter(statement.as<syntax::While>().otherwise);
  case StmtKind::For:
    visit(statement.as<syntax::For>().iterable);
    enter(statement.as<syntax::For>().body);
    return enter(statement.as<syntax::For>().otherwise);
  case StmtKind::Return:
    return visit(statement.as<syntax::Return>().value);
  case StmtKind::Assert:
    return visit(statement.as<syntax::Assert>().test);
  case StmtKind::Raise:
  case StmtKind::Break:
  case StmtKind::Continue:
  case StmtKind::FunctionDef:
    return;
  }
}

/// Calls `visit(const syntax::Name &)` for each name that an assignment target binds.
template <typename Visit> void forEachBoundName(const syntax::Expr &target, const Visit &visit) {
  using syntax::ExprKind;
  if (target.kind == ExprKind::Name)
    return visit(target.as<syntax::Name>());
  if (target.kind == ExprKind::Tuple || target.kind == ExprKind::List)
    for (const syntax::Expr *item : target.as<syntax::Sequence>().items)
      forEachBoundName(*item, visit);
  if (target.kind == ExprKind::Starred)
    forEachBoundName(*target.as<syntax::Starred>().value, visit);
}

} // namespace treadle

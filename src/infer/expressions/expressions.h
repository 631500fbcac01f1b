// Expressions: types the syntax of expressions, by their kinds; the whole that its parts ask.
#pragma once

#include "infer/expressions/calls.h"
#include "infer/instances/solver.h"

namespace treadle {

/// Owns the instance and all parts, so that references between them hold as long as it lives; it must not be copied.
class Expressions final : public Whole {
public:
  Expressions(Compilation &compilation, const InstanceRequest &request) : instance(compilation, request, *this) {}

  // Evaluates expressions in either phase: while solving the result counts for its type, while building for its tree.
  typed::Expr *expr(const syntax::Expr &expression) override;
  typed::Expr *applied(std::string_view key, const Items &operands, SourceSpan span) override;
  typed::Expr *compareValues(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) override {
    return operators.compareValues(op, left, right, span);
  }
  typed::Expr *binaryValue(BinaryOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) override {
    return operators.binaryValue(op, left, right, span);
  }
  Extents constantExtents(const typed::Expr &value) override { return parts.extents.of(value); }
  std::optional<uint32_t> parameterRead(const syntax::Expr &expression) const override;

  // conditions.cpp
  /// The truth of a condition, as a bool.
  typed::Expr *test(const syntax::Expr &expression);
  /// The result of a decided test, after the operands that Python evaluates before it is decided: f in `f() and False`.
  typed::Expr *knownTest(const syntax::Expr &test, bool answer);

  Instance instance;
  ExpressionParts parts{instance};
  Calls calls{instance, parts};

private:
  /// expr() without the note of its type.
  typed::Expr *typedOf(const syntax::Expr &expression);
  typed::Expr *unary(const syntax::Unary &expression);
  typed::Expr *binary(const syntax::Binary &expression);
  typed::Expr *sequence(const syntax::Sequence &sequence);
  typed::Expr *conditional(const syntax::Conditional &expression);
  /// The value of a conditional expression; also of `and` and `or`, which choose between operands.
  typed::Expr *chosen(typed::Expr *test, typed::Expr *then, typed::Expr *otherwise, SourceSpan span);
  /// The result of `make`; while solving, nullptr if it has no type yet.
  template <typename Make> typed::Expr *sideOf(Make make);
  typed::Expr *walrus(const syntax::Walrus &expression);
  typed::Expr *comprehension(const syntax::Comprehension &expression);

  // conditions.cpp
  typed::Expr *boolean(const syntax::Boolean &expression);
  typed::Expr *booleanFrom(const syntax::Boolean &expression, size_t position);
  typed::Expr *truthOfBoolean(const syntax::Boolean &expression, size_t position);
  typed::Expr *compare(const syntax::Compare &expression);
  void checkLists(const syntax::Compare &expression, size_t position);
  typed::Expr *compareFrom(const syntax::Compare &expression, size_t position, typed::Expr *left);

  Tree &tree = instance.tree;
  const Flow &flow = instance.flow;
  Operators &operators = instance.values.operators;
};

/// Only NotYet is caught: an error in either side is an error of the whole.
template <typename Make> typed::Expr *Expressions::sideOf(Make make) {
  try {
    return make();
  } catch (const Solver::NotYet &) {
    return nullptr;
  }
}

} // namespace treadle

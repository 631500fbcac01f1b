// Operators: unary and binary operators, comparisons and truth of typed values.
#pragma once

#include "infer/values/members.h"
#include "infer/values/sequences.h"
#include "syntax/syntax.h"

namespace treadle {

class Operators {
public:
  Operators(const Context &context, Characters &characters, Sequences &sequences, Members &members)
      : tree(context.tree), whole(context.whole), rules(tree.rules), characters(characters), sequences(sequences),
        members(members) {}

  // operators.cpp
  /// As a bool. Evaluates the value even if its truth is known by its type.
  typed::Expr *truth(typed::Expr *value);
  typed::Expr *unaryValue(UnaryOperator op, typed::Expr *operand, SourceSpan span);
  typed::Expr *binaryValue(BinaryOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  /// The operation on numbers, with the conversions that the rules demand before and after; folded if all are
  /// constants.
  typed::Expr *compute(Operation op, const OperationTypes &types, const Items &operands, SourceSpan span);
  /// For conditional expressions and selections; nullptr if the types do not unify.
  const Type *unifyOperands(const typed::Expr &left, const typed::Expr &right) const;

  // comparisons.cpp
  /// As written in the source, with `is` and `in`.
  typed::Expr *comparison(syntax::Comparison op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *compareValues(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);

private:
  typed::Expr *joinTuples(typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *joinTexts(typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *equalOptionals(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *compareAnyTexts(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *compareNumbers(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *compareTuples(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *orderTuples(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *isSame(typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *contains(typed::Expr *container, typed::Expr *value, SourceSpan span);

  Tree &tree;
  Whole &whole;
  const NumberRules &rules;
  Characters &characters;
  Sequences &sequences;
  Members &members;
};

/// Whether one of them is a date or a duration.
bool hasTimes(const Items &operands);

} // namespace treadle

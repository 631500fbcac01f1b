// ValueRules: from typed values to a typed value: conversions, operators, comparisons, tuples, indices.
#pragma once

#include "infer/tree_builder.h"
#include "types/number_rules.h"
#include "types/texts.h"

#include <optional>

namespace treadle {

class ValueRules : public TreeBuilder {
public:
  /// Of an array, an array expression, or of what NumPy would make of a tuple. A number has none.
  static unsigned axesOf(const Type &type);

protected:
  ValueRules(const SourceRef &source, RuleSet rules) : TreeBuilder(source), rules(rules) {}

  // convert.cpp
  typed::Expr *convert(typed::Expr *value, const Type *type);
  /// Fails with that message if there is no implicit conversion.
  typed::Expr *convertFor(typed::Expr *value, const Type *type, std::string_view message, SourceSpan span);
  typed::Expr *truth(typed::Expr *value);
  /// The value of an Optional, as Numba unwraps it wherever a value is needed.
  typed::Expr *unwrap(typed::Expr *value);
  /// Items of a tuple, each to be used once; temporaries are assigned where needed.
  Items itemsOf(typed::Expr *tuple);
  typed::Expr *itemOf(typed::Expr *tuple, uint32_t index, SourceSpan span);
  Operand operandOf(const typed::Expr &value) const;
  std::optional<int64_t> constantInteger(const typed::Expr &value) const;

  // infer_expr.cpp
  typed::Expr *makeTuple(const Items &items, SourceSpan span);
  const Type *unifyOperands(const typed::Expr &left, const typed::Expr &right) const;
  /// The value of a name whose type exists only while compiling; threadIdx.x and the like become operations.
  typed::Expr *unit(const Type *type, SourceSpan span);

  // infer_operator.cpp
  typed::Expr *unaryValue(UnaryOperator op, typed::Expr *operand, SourceSpan span);
  typed::Expr *binaryValue(BinaryOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *compute(Operation op, const OperationTypes &types, const Items &operands, SourceSpan span);

  // infer_compare.cpp
  typed::Expr *comparison(syntax::Comparison op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *compareValues(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);

  // infer_index.cpp
  typed::Expr *checkedIndex(typed::Expr *index, SourceSpan span);
  void checkIndexCount(const typed::Expr &array, size_t count, SourceSpan span);
  void checkStorable(const typed::Expr &array, SourceSpan span);
  typed::Expr *rowView(typed::Expr *array, const Items &indices, SourceSpan span);
  /// Merges the indices of a view of a view, so that a[i][j] is one access.
  void mergeRowView(typed::Expr *&array, Items &indices);
  // infer_slice.cpp
  typed::Expr *extentOf(const typed::Expr &array, unsigned axis, SourceSpan span);
  /// In kernels compiled with debug: an error that says where.
  virtual void raiseWhere(typed::Expr *test, const std::string &message, SourceSpan span,
                          std::string_view exception = "ValueError") = 0;
  // infer_record.cpp
  typed::Expr *fieldOf(typed::Expr *array, uint32_t field, SourceSpan span);
  void selectField(typed::Expr *&array, Items &indices, uint32_t field, SourceSpan span);

  // infer_series.cpp
  /// range(), zip(), enumerate(), an array or a tuple, in a form whose parts can be read again.
  typed::Expr *settledSeries(typed::Expr *series);
  /// Of settled ones: how many items there are, and the one at `index`, which is in range.
  typed::Expr *countOf(const typed::Expr &series, SourceSpan span);
  typed::Expr *elementAt(const typed::Expr &series, const typed::Expr &index, SourceSpan span);
  typed::Expr *rangeItem(typed::Expr *range, typed::Expr *index, SourceSpan span);
  typed::Expr *isInRange(typed::Expr *range, typed::Expr *value, SourceSpan span);
  template <typename Make> typed::Expr *alongRange(const typed::Expr &range, SourceSpan span, Make make);
  typed::Expr *isAhead(const typed::Expr &range, typed::Expr *from, typed::Expr *to, SourceSpan span);
  typed::Expr *distanceIn(const typed::Expr &range, typed::Expr *from, typed::Expr *to, SourceSpan span);
  typed::Expr *stepSize(const typed::Expr &range, SourceSpan span);
  typed::Expr *countOfRange(const typed::Expr &range, SourceSpan span);

  // infer_time.cpp
  typed::Expr *timeFrom(typed::Expr *ticks, const Type *element, SourceSpan span);
  typed::Expr *ticksView(typed::Expr *array);
  typed::Expr *elementValue(typed::Expr *value, const Type *element, std::string_view message, SourceSpan span);
  static bool hasTimes(const Items &operands);

  // infer_text.cpp
  static size_t lengthOfText(const Type &text);
  typed::Expr *joinTexts(typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *compareTexts(CompareOperator op, const Type &left, const Type &right, SourceSpan span);

  // infer_member.cpp
  /// The value of a member of an enumeration.
  typed::Expr *valueOfMember(typed::Expr *member, SourceSpan span);
  typed::Expr *combineFlags(BinaryOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  /// Fail for constants of classes that say themselves whether they are true, or what they are equal to.
  virtual void checkTruth(const typed::Expr &value) = 0;
  virtual void checkEquality(const typed::Expr &left, const typed::Expr &right) = 0;

  // infer_characters.cpp
  /// The codes of the characters, each to be used once.
  Items codesOf(typed::Expr *text);
  typed::Expr *keptText(typed::Expr *text);
  Items again(const typed::Expr &kept);
  /// A text as one of another width: with zeros behind it, or without what lies behind.
  typed::Expr *textIn(typed::Expr *text, const Type *type);
  typed::Expr *loadText(typed::Expr *array, const Items &indices, SourceSpan span);
  typed::Expr *textFor(typed::Expr *value, const Type *element, std::string_view message);
  /// Assigns an element. The value is what elementValue() has made.
  void storeElement(typed::Expr *array, const Items &indices, typed::Expr *value, SourceSpan span);
  typed::Expr *lengthOf(typed::Expr *text, SourceSpan span);
  enum class PartPlace : uint8_t { Start, Any, End };
  typed::Expr *hasPart(typed::Expr *text, typed::Expr *part, PartPlace place, SourceSpan span);
  typed::Expr *characterAt(const typed::Expr &kept, typed::Expr *index, SourceSpan span);
  typed::Expr *inCase(typed::Expr *text, bool isUpper, SourceSpan span);
  typed::Expr *allOf(const Items &tests, SourceSpan span);
  typed::Expr *anyOf(const Items &tests, SourceSpan span);

  // infer_elementwise.cpp
  static bool isProduct(const Type &type);
  static bool areElementwise(const Items &operands);
  static const Type *narrowResult(const Type &expression, const Items &elements);
  typed::Expr *elementwise(std::string_view key, Items operands, SourceSpan span);
  typed::Expr *broadcastExtent(const typed::Expr &value, unsigned axis, unsigned ndim, SourceSpan span);
  typed::Expr *broadcastElement(const typed::Expr &value, const Items &positions, unsigned ndim, SourceSpan span);
  typed::Expr *indexWithin(typed::Expr *extent, const typed::Expr &counter, SourceSpan span);
  typed::Expr *elementOfProduct(const typed::Expr &product, const Items &positions, SourceSpan span);
  typed::Expr *product(typed::Expr *left, typed::Expr *right, SourceSpan span);
  // infer_computed.cpp
  static bool isComputed(const Type &type);
  static bool isFlat(const Type &type);
  typed::Expr *computed(std::string_view name, const Items &parts, SourceSpan span);
  typed::Expr *copyOfSettled(const typed::Expr &value);
  typed::Expr *extentOfComputed(const typed::Expr &value, unsigned axis, SourceSpan span);
  typed::Expr *elementOfComputed(const typed::Expr &value, const Items &positions, unsigned ndim, SourceSpan span);
  /// The call of what has that key in the builtins table, or in the library.
  virtual typed::Expr *applied(std::string_view key, const Items &operands, SourceSpan span) = 0;

  const NumberRules rules;

private:
  typed::Expr *charactersAt(typed::Expr *array, const Items &indices, SourceSpan span);
  typed::Expr *joined(Operation op, Items tests, bool ofNone, SourceSpan span);
  typed::Expr *compareCharacters(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *isNotEmpty(typed::Expr *text, SourceSpan span);
  typed::Expr *characterFrom(typed::Expr *code, SourceSpan span);
  typed::Expr *convertOptional(typed::Expr *value, const Type *type);
  typed::Expr *convertTuple(typed::Expr *value, const Type *type);
  typed::Expr *joinTuples(typed::Expr *left, typed::Expr *right, SourceSpan span);
  [[noreturn]] void failOperands(std::string_view op, const typed::Expr &left, const typed::Expr &right,
                                 SourceSpan span);
  typed::Expr *equalOptionals(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *compareAnyTexts(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *compareNumbers(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *compareTuples(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *orderTuples(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *compareMembers(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *isSame(typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *contains(typed::Expr *container, typed::Expr *value, SourceSpan span);
  const Type *rowType(const Type *array, size_t count) const;
};

} // namespace treadle

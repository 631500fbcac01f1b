// Sequences: what has a number of items, and an item for each index: ranges, tuples, arrays, and array expressions,
// whose elements are computed where they are stored or reduced.
#pragma once

#include "infer/values/array_access.h"
#include "infer/values/characters.h"

namespace treadle {

/// Of an array, an array expression, or of the array that NumPy would make of a tuple. A number has none.
unsigned axesOf(const Type &type);
/// Whether one of them is an array or array expression.
bool areElementwise(const Items &operands);
/// The product of a matrix and a matrix or vector.
bool isProduct(const Type &type);
/// Operands of array expressions: arrays of numbers, and array expressions.
bool hasElements(const Type &type);
/// An arbitrary array expression, or value, of that type.
typed::Expr *placeholderOf(Tree &tree, const Type &type, SourceSpan span);

/// Computed arrays: their operands are the shape, a tuple of intp, and what the function gets in front of the
/// positions. The text of the type is "computed.<reach>.<name>".
bool isComputed(const Type &type);
/// All elements of an array along one axis, which can be assigned.
bool isFlat(const Type &type);
/// Of a computed array: what its elements read, as compile_time.py declares it.
std::string_view reachOf(const Type &type);

class Sequences {
public:
  Sequences(const Context &context, ArrayAccess &access, Characters &characters)
      : tree(context.tree), whole(context.whole), access(access), characters(characters) {}

  // sequences.cpp
  /// range(), zip(), enumerate(), an array or a tuple, in a form whose parts can be read again.
  typed::Expr *settledSeries(typed::Expr *series);
  /// Of settled ones: the number of items, and the one at `index`, which is in range.
  typed::Expr *countOf(const typed::Expr &series, SourceSpan span);
  typed::Expr *elementAt(const typed::Expr &series, const typed::Expr &index, SourceSpan span);
  /// `r[i]` of a range that need not be settled.
  typed::Expr *rangeItem(typed::Expr *range, typed::Expr *index, SourceSpan span);
  typed::Expr *isInRange(typed::Expr *range, typed::Expr *value, SourceSpan span);

  // elementwise.cpp
  typed::Expr *elementwise(std::string_view key, Items operands, SourceSpan span);
  /// nullptr if the value, seen with `ndim` axes, is the same along this one.
  typed::Expr *broadcastExtent(const typed::Expr &value, unsigned axis, unsigned ndim, SourceSpan span);
  typed::Expr *broadcastElement(const typed::Expr &value, const Items &positions, unsigned ndim, SourceSpan span);
  /// Of an array or array expression of that type.
  const Type *elementTypeOf(const Type &ofValue, SourceSpan span);
  /// `@`: of two vectors a number, otherwise an array expression.
  typed::Expr *product(typed::Expr *left, typed::Expr *right, SourceSpan span);

  // computed.cpp
  /// An array expression whose elements the library's function of that name gives; `reach`: see reachOf().
  typed::Expr *computed(std::string_view name, std::string_view reach, const Items &parts, SourceSpan span);

private:
  template <typename Make> typed::Expr *alongRange(const typed::Expr &range, SourceSpan span, Make make);
  typed::Expr *isAhead(const typed::Expr &range, typed::Expr *from, typed::Expr *to, SourceSpan span);
  typed::Expr *distanceIn(const typed::Expr &range, typed::Expr *from, typed::Expr *to, SourceSpan span);
  typed::Expr *stepSize(const typed::Expr &range, SourceSpan span);
  typed::Expr *countOfRange(const typed::Expr &range, SourceSpan span);
  typed::Expr *indexWithin(typed::Expr *extent, const typed::Expr &counter, SourceSpan span);
  typed::Expr *elementOfProduct(const typed::Expr &product, const Items &positions, SourceSpan span);
  typed::Expr *copyOfSettled(const typed::Expr &value);
  typed::Expr *extentOfComputed(const typed::Expr &value, unsigned axis, SourceSpan span);
  typed::Expr *elementOfComputed(const typed::Expr &value, const Items &positions, unsigned ndim, SourceSpan span);

  Tree &tree;
  Whole &whole;
  ArrayAccess &access;
  Characters &characters;
};

} // namespace treadle

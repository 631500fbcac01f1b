// ArrayAccess: indices of arrays, and what is loaded from and stored to the places that they select.
#pragma once

#include "infer/values/whole.h"

namespace treadle {

class ArrayAccess {
public:
  explicit ArrayAccess(const Context &context) : tree(context.tree), whole(context.whole) {}

  /// The index as an integer, out of its Optional; anything else is an error.
  typed::Expr *checkedIndex(typed::Expr *index, SourceSpan span);
  void checkIndexCount(const typed::Expr &array, size_t count, SourceSpan span);
  /// Fails for what cannot be assigned to: tuples, numbers, read-only arrays.
  void checkStorable(const typed::Expr &array, SourceSpan span);
  /// `array[indices]`, in an array of `indices.size()` or more axes.
  typed::Expr *rowView(typed::Expr *array, const Items &indices, SourceSpan span);
  /// Merges the indices of a view of a view, so that a[i][j] is one access.
  void mergeRowView(typed::Expr *&array, Items &indices);
  typed::Expr *extentOf(const typed::Expr &array, unsigned axis, SourceSpan span);
  typed::Expr *fieldOf(typed::Expr *array, uint32_t field, SourceSpan span);
  void selectField(typed::Expr *&array, Items &indices, uint32_t field, SourceSpan span);

  /// The value as stored into an element of that type.
  typed::Expr *elementValue(typed::Expr *value, const Type *element, std::string_view message, SourceSpan span);
  /// Assigns an element. The value is a result of elementValue().
  void storeElement(typed::Expr *array, const Items &indices, typed::Expr *value, SourceSpan span);
  /// A date or duration of that unit, from its count.
  typed::Expr *timeFrom(typed::Expr *ticks, const Type *element, SourceSpan span);
  typed::Expr *ticksView(typed::Expr *array);
  typed::Expr *loadText(typed::Expr *array, const Items &indices, SourceSpan span);

private:
  typed::Expr *charactersAt(typed::Expr *array, const Items &indices, SourceSpan span);
  typed::Expr *textFor(typed::Expr *value, const Type *element, std::string_view message);
  const Type *rowType(const Type *array, size_t count) const;

  Tree &tree;
  Whole &whole;
};

} // namespace treadle

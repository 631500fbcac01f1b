// Subscripts: `value[index]`, and the places that are assigned so.
#pragma once

#include "infer/expressions/enumerations.h"

namespace treadle {

class Subscripts {
public:
  Subscripts(Instance &instance, Enumerations &enumerations)
      : flow(instance.flow), tree(instance.tree), whole(instance.whole), access(instance.values.access),
        characters(instance.values.characters), sequences(instance.values.sequences),
        operators(instance.values.operators), enumerations(enumerations) {}

  // subscripts.cpp
  typed::Expr *subscript(const syntax::Subscript &expression);
  /// The field of records that the index names.
  std::optional<uint32_t> fieldOf(const typed::Expr &value, const syntax::Expr &index);
  /// `array`: evaluated before the index.
  Items indicesOf(typed::Expr *&array, const syntax::Expr &index, bool takesArray = false);
  void indexFlat(typed::Expr *&array, Items &indices, typed::Expr *index, SourceSpan span);
  // views.cpp
  // An index with a slice, `...` or None gives a view, also where it is assigned.
  bool isViewIndex(const syntax::Expr &index);
  typed::Expr *sliceView(typed::Expr *array, const syntax::Expr &index, SourceSpan span);

private:
  bool isIndexArray(const Type &type, SourceSpan span);
  void checkNoList(const syntax::Expr &index) const;
  typed::Expr *elementOf(typed::Expr *array, const syntax::Subscript &expression);
  typed::Expr *elementwiseItem(typed::Expr *value, const syntax::Subscript &expression);
  typed::Expr *tupleItem(typed::Expr *tuple, const syntax::Subscript &expression);
  typed::Expr *tupleSlice(typed::Expr *tuple, const syntax::Subscript &expression);
  /// For slices of tuples and texts, which are taken while compiling.
  std::vector<int64_t> constantPositions(const syntax::Slice &slice, int64_t count, SourceSpan span);
  // views.cpp
  typed::Expr *sliceBound(const syntax::Expr *bound);
  typed::ViewAxis sliceAxis(const syntax::Slice &slice);
  std::vector<typed::ViewAxis> viewAxes(const typed::Expr &array, const syntax::Expr &index);
  // text_items.cpp
  typed::Expr *textItem(const Type &text, const syntax::Subscript &expression);
  typed::Expr *characterItem(typed::Expr *text, const syntax::Subscript &expression);
  typed::Expr *characterSlice(typed::Expr *text, const syntax::Subscript &expression);

  const Flow &flow;
  Tree &tree;
  Whole &whole;
  ArrayAccess &access;
  Characters &characters;
  Sequences &sequences;
  Operators &operators;
  Enumerations &enumerations;
};

} // namespace treadle

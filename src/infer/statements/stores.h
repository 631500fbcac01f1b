// Stores: assignments to elements, fields, records and views of arrays.
#pragma once

#include "infer/aliasing/aliasing.h"
#include "infer/expressions/parts.h"

namespace treadle {

/// Only while building, as stores give no types; while solving, Phase ignores them.
class Stores {
public:
  Stores(Instance &instance, ExpressionParts &parts, Aliasing &aliasing)
      : tree(instance.tree), whole(instance.whole), out(*instance.out), access(instance.values.access),
        sequences(instance.values.sequences), operators(instance.values.operators), attributes(parts.attributes),
        subscripts(parts.subscripts), aliasing(aliasing) {}

  /// `target`: a subscript, or an attribute that is a field of records.
  void assignToDestination(const syntax::Expr &target, typed::Expr *value);
  /// `x[i] += value`, `r.field += value`.
  void augmentElement(const syntax::AugAssign &statement);
  void augmentArray(typed::Expr *array, const syntax::AugAssign &statement);
  /// `target[...] = value`, for a view of any number of axes.
  void storeView(typed::Expr *target, typed::Expr *value, SourceSpan span);

private:
  /// The destination of an assignment: the element at `indices`, the row that they select, or a slice.
  struct Destination {
    typed::Expr *array = nullptr;
    Items indices;
    const syntax::Expr *slice = nullptr; ///< not yet applied to `array`
  };
  Destination destinationOf(const syntax::Expr &target);
  void store(const Destination &destination, typed::Expr *value, SourceSpan span);
  void storeRecord(typed::Expr *target, typed::Expr *value, SourceSpan span);

  // view_stores.cpp
  void storeTuple(typed::Expr *view, typed::Expr *value, SourceSpan span);
  void storeItems(typed::Expr *view, const Items &items, SourceSpan span);
  /// Where value and target do not fit, the common part; only debug kernels raise an error before.
  typed::Expr *assignedExtent(const typed::Expr &view, const typed::Expr *source, unsigned axis, SourceSpan span);
  void checkFits(const typed::Expr &view, const typed::Expr &source, SourceSpan span);
  void checkExtent(typed::Expr *simple, typed::Expr *wanted, const std::string &message, SourceSpan span);
  void checkBroadcast(const typed::Expr &value, SourceSpan span);

  Tree &tree;
  Whole &whole;
  TypedFunction &out;
  ArrayAccess &access;
  Sequences &sequences;
  Operators &operators;
  Attributes &attributes;
  Subscripts &subscripts;
  Aliasing &aliasing;
};

} // namespace treadle

// ArrayCalls: new arrays, other views of arrays, and computed arrays.
#pragma once

#include "infer/calls/arguments.h"
#include "infer/values/values.h"

namespace treadle {

class ArrayCalls {
public:
  ArrayCalls(Values &values, bool allowsHeap)
      : tree(values.tree), whole(values.whole), compilation(values.compilation), access(values.access),
        sequences(values.sequences), allowsHeap(allowsHeap) {}

  // One for each rule of the table of builtins; arguments are evaluated, and as many as the row says.
  typed::Expr *callReshape(const Builtin &row, const Arguments &arguments);
  /// All elements of an array in C order along one axis, as an expression of kind `what`.
  typed::Expr *flat(typed::Expr *array, std::string_view what, SourceSpan span);
  typed::Expr *callRavel(const Builtin &row, const Arguments &arguments);
  /// Permutes the axes; reverses them if no order is given.
  typed::Expr *transposed(typed::Expr *array, const std::vector<int64_t> &axes);
  typed::Expr *callTranspose(const Builtin &row, const Arguments &arguments);
  typed::Expr *callRetype(const Builtin &row, const Arguments &arguments);
  typed::Expr *callNewArray(const Builtin &row, const Arguments &arguments);
  typed::Expr *callNewArrayLike(const Builtin &row, const Arguments &arguments);
  typed::Expr *callArray(const Builtin &row, const Arguments &arguments);
  typed::Expr *callConstArray(const Builtin &row, const Arguments &arguments);
  typed::Expr *callDType(const Builtin &row, const Arguments &arguments);
  typed::Expr *callAxis(const Builtin &row, const Arguments &arguments);
  typed::Expr *callComputed(const Builtin &row, const Arguments &arguments);

private:
  void checkPacked(const typed::Expr &array, std::string_view what);
  Items knownExtents(Items extents, typed::Expr *size, SourceSpan span);
  typed::Expr *reshaped(typed::Expr *array, const Items &extents, SourceSpan span);
  std::vector<int64_t> orderOfAxes(const Builtin &row, const typed::Expr &array, const Items &given);
  typed::Expr *resized(typed::Expr *array, const Type *element, SourceSpan span);
  /// Whether a shape consists of constants.
  bool isKnownShape(const typed::Expr &shape) const;
  typed::Expr *heapArray(const Builtin &row, typed::Expr *shape, const Type *element);
  static bool isOfKnownShape(const typed::Expr &like);
  std::vector<int64_t> constantShape(const typed::Expr &shape, const Builtin &row);
  const Type *namedElementType(const typed::Expr &text);
  /// A dtype as NumPy takes it; fails for anything that is not the type of an element.
  const Type *elementType(const typed::Expr &dtype, const Builtin &row);
  /// In bytes; 0 is that of the elements.
  uint32_t alignmentOf(const typed::Expr &alignment);
  typed::Expr *computedFlat(std::string_view name, typed::Expr *array, SourceSpan span);

  Tree &tree;
  Whole &whole;
  Compilation &compilation;
  ArrayAccess &access;
  Sequences &sequences;
  const bool allowsHeap; ///< InstanceRequest::allowsHeap
};

} // namespace treadle

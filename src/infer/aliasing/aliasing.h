// Aliasing: assignments to views whose value reads the same memory: which order is right, and what is refused.
#pragma once

#include "infer/aliasing/overlap.h"
#include "infer/flow/flow.h"
#include "infer/values/whole.h"

namespace treadle {

/// What is wrong for all unknowns, and extents that are not small, is refused; what may be wrong, debug kernels check.
class Aliasing {
public:
  /// `out`: the function with the assignments, whose names `flow` has.
  Aliasing(const Context &context, const Flow &flow, const TypedFunction &out)
      : tree(context.tree), whole(context.whole), flow(flow), out(out) {}

  struct Order {
    bool isDescending = false;
    /// Arrays of which elements may be read after they were written nevertheless.
    std::vector<const typed::Expr *> unsure;
  };
  /// `target[...] = value`. Fails if no order is right.
  Order orderOf(const typed::Expr &target, const typed::Expr &value, SourceSpan span) const;
  /// Emits the checks of debug kernels for `Order::unsure`.
  void checkOrder(const typed::Expr &view, const typed::Expr &source, SourceSpan span);
  /// Fails if a function that stores its result into `into` reads `operand` there later.
  void checkInto(const StoringCall &call, const typed::Expr &into, const typed::Expr &operand) const;

private:
  /// Memory with a compile-time identity: a variable, a captured or a new array, and views of it, innermost first.
  struct Place {
    std::pair<typed::ExprKind, uint64_t> base;
    const typed::Expr *array = nullptr; ///< the array below the views
    std::vector<const typed::View *> views;
    bool isNamed = false; ///< through a variable, which may have been bound earlier
  };
  struct ArrayRead {
    const typed::Expr *array;
    Reading how;
    bool isChosen; ///< its elements by indices that are known at run time only
  };
  static bool isAll(const typed::View &view);
  std::optional<Place> placeOf(const typed::Expr *array) const;
  bool isSameNumber(const typed::Expr *left, const typed::Expr *right, bool isNamed) const;
  bool isSameView(const typed::View &left, const typed::View &right, bool isNamed) const;
  size_t sameViews(const Place &left, const Place &right) const;
  void appendReads(const typed::Expr &value, const Reading &how, bool isChosen, std::vector<ArrayRead> &reads) const;
  /// nullopt if it is only known that the two share memory, or may.
  std::optional<Overlap> overlapOfRead(const Place &target, const ArrayRead &read) const;

  // bounds.cpp
  class Bounds;
  Extents extentsBelow(const typed::Expr &array) const;
  std::optional<Overlap> overlapBetween(const Place &target, const Place &read, const Reading &how) const;

  Tree &tree;
  Whole &whole;
  const Flow &flow;
  const TypedFunction &out;
};

} // namespace treadle

// TreeCopy: the nodes of one activation of a function, copied into another function. Base class of passes that rewrite.
#pragma once

#include "typed/nodes.h"
#include "typed/typed.h"

#include <unordered_map>
#include <vector>

namespace treadle {

class TreeCopy {
public:
  /// Adds the slots, captured data and callees of `from` to `out`. Both functions must outlive this object.
  /// `origin`: that of the copies' spans.
  TreeCopy(TypedFunction &out, const TypedFunction &from, uint32_t origin = 0);
  virtual ~TreeCopy() = default;

  typed::Body copy(typed::Body body);
  typed::Expr *copy(const typed::Expr &expression);

protected:
  /// Appends the copy of a statement; overridden if one statement becomes several.
  virtual void copyInto(std::vector<typed::Stmt *> &statements, const typed::Stmt &statement);
  typed::Stmt *copyOne(const typed::Stmt &statement);
  /// An expression without replacement; overridden if one becomes another.
  virtual typed::Expr *copyNode(const typed::Expr &expression);
  typed::Body listOf(const std::vector<typed::Stmt *> &statements);
  typed::Slot *newSlot(const Type *type, SourceSpan span);

  TypedFunction &out;
  const TypedFunction &from;
  const uint32_t origin;
  typed::Nodes nodes;
  std::vector<typed::Slot *> slots; ///< by index in `from`
  /// Expressions that have already been copied; each copy is used once.
  std::unordered_map<const typed::Expr *, typed::Expr *> replacements;

private:
  template <typename T> T *clone(const T &node) {
    T *made = out.nodes.make<T>(node);
    made->span.origin = origin;
    return made;
  }
  template <typename T, typename Change> typed::Expr *changed(const typed::Expr &expression, Change change);
  template <typename T, typename Change> typed::Stmt *changedStatement(const typed::Stmt &statement, Change change);
  std::span<typed::Expr *const> copyAll(std::span<typed::Expr *const> items);
  typed::Expr *copyOptional(const typed::Expr *expression) { return expression ? copy(*expression) : nullptr; }
  typed::Indexed copyIndexed(const typed::Indexed &at) { return {copy(*at.array), copyAll(at.indices)}; }
  typed::Expr *copyView(const typed::View &view);
  typed::Stmt *copyRange(const typed::Range &range);

  /// Allocation::copy: of arrays that may outlive the activation.
  uint32_t arrayCopy() const { return from.givesArrays ? origin : 0; }

  uint32_t firstCaptured;
};

} // namespace treadle

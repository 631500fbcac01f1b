// Nodes: creates typed expressions and statements in an arena.
#pragma once

#include "typed/typed.h"

#include <initializer_list>

namespace treadle::typed {

/// Exists in compiled code and has a value to store: only these types need a slot.
inline bool hasStorage(const Type *type) { return type->isRuntime() && !type->isNone(); }

/// Makes nodes. Checks nothing: callers convert the operands to the right types first.
class Nodes {
public:
  explicit Nodes(Arena &arena) : arena(&arena) {}
  /// Allocates all further nodes in `other`.
  void moveTo(Arena &other) { arena = &other; }
  Arena &memory() const { return *arena; }

  Const *integer(const Type *type, int64_t value, SourceSpan span) const;
  Const *real(const Type *type, double value, SourceSpan span) const;
  Const *complex(const Type *type, double real, double imag, SourceSpan span) const;
  Const *boolean(bool value, SourceSpan span) const { return integer(types::boolean(), value, span); }
  /// Of the type of indices and extents.
  Const *index(int64_t value, SourceSpan span) const { return integer(types::intp(), value, span); }
  /// The only value of a type without storage.
  Const *unit(const Type *type, SourceSpan span) const { return integer(type, 0, span); }

  /// Of a run-time type: the all-zero value. An array then has no elements, an Optional no value.
  Expr *zero(const Type *type, SourceSpan span) const;

  Expr *read(Slot *slot, SourceSpan span) const;
  Expr *operation(Operation op, const Type *type, std::initializer_list<Expr *> operands, SourceSpan span) const;
  /// An operation whose result is a bool.
  Expr *test(Operation op, std::initializer_list<Expr *> operands, SourceSpan span) const {
    return operation(op, types::boolean(), operands, span);
  }
  Expr *conditional(Expr *test, Expr *then, Expr *otherwise, SourceSpan span) const;
  Expr *tuple(const Type *type, const std::vector<Expr *> &items, SourceSpan span) const;
  Expr *item(Expr *tuple, uint32_t index, SourceSpan span) const;
  Expr *itemAt(Expr *tuple, Expr *index, SourceSpan span) const;
  Expr *load(Expr *array, const std::vector<Expr *> &indices, SourceSpan span) const;
  Expr *view(const Type *type, ViewKind kind, Expr *array, const std::vector<ViewAxis> &axes) const;
  Expr *fieldView(Expr *array, uint32_t field, SourceSpan span) const;
  /// `axis` -1: the whole tuple.
  Expr *attribute(Expr *array, ArrayAttribute attribute, int32_t axis, SourceSpan span) const;
  /// `value` itself if there are no statements.
  Expr *block(const std::vector<Stmt *> &body, Expr *value, SourceSpan span) const;

  Stmt *assign(Slot *slot, Expr *value, SourceSpan span) const;
  Stmt *effect(Expr *value, SourceSpan span) const;

  template <typename T, typename... Fields> T *statement(StmtKind kind, SourceSpan span, Fields... fields) const {
    return arena->make<T>(Stmt{kind, span}, fields...);
  }
  Body body(const std::vector<Stmt *> &statements) const;

private:
  Expr base(ExprKind kind, const Type *type, SourceSpan span) const { return {kind, type, span}; }
  Arena *arena;
};

/// May be evaluated repeatedly, or not at all, without an observable difference: a constant or the value of a slot.
inline bool isSimple(const Expr &value) { return value.kind == ExprKind::Const || value.kind == ExprKind::Slot; }

/// A Const, or a tuple of constants.
bool isConstant(const Expr &value);
/// Of constants: whether they have the same type and bits.
bool isSameConstant(const Expr &left, const Expr &right);

} // namespace treadle::typed

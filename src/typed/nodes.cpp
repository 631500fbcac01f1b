// Constructors of typed nodes.
#include "typed/nodes.h"

#include "support/error.h"
#include "support/half.h"

#include <algorithm>
#include <bit>

namespace treadle::typed {

namespace {

double rounded(const Type *type, double value) {
  TREADLE_CHECK(type->bits() == 16 || type->bits() == 32 || type->bits() == 64);
  if (type->bits() == 16)
    return roundedToHalf(value);
  return type->bits() == 32 ? double(float(value)) : value;
}

} // namespace

Const *Nodes::integer(const Type *type, int64_t value, SourceSpan span) const {
  return arena->make<Const>(base(ExprKind::Const, type, span), value, 0.0, 0.0, false);
}

Const *Nodes::real(const Type *type, double value, SourceSpan span) const {
  return arena->make<Const>(base(ExprKind::Const, type, span), int64_t(0), rounded(type, value), 0.0, false);
}

Const *Nodes::complex(const Type *type, double real, double imag, SourceSpan span) const {
  const Type *part = type->element();
  return arena->make<Const>(base(ExprKind::Const, type, span), int64_t(0), rounded(part, real), rounded(part, imag),
                            false);
}

Expr *Nodes::zero(const Type *type, SourceSpan span) const {
  if (type->isOptional())
    return operation(Operation::MakeNone, type, {}, span);
  if (!type->isTuple())
    return unit(type, span);
  std::vector<Expr *> items;
  for (const Type *item : type->items())
    items.push_back(zero(item, span));
  return tuple(type, items, span);
}

Expr *Nodes::read(Slot *slot, SourceSpan span) const {
  return arena->make<SlotRead>(base(ExprKind::Slot, slot->type, span), slot);
}

Expr *Nodes::operation(Operation op, const Type *type, std::initializer_list<Expr *> operands, SourceSpan span) const {
  std::span<Expr *> list = arena->list(std::span<Expr *const>(operands.begin(), operands.size()));
  return arena->make<OperationExpr>(base(ExprKind::Operation, type, span), op, list);
}

Expr *Nodes::conditional(Expr *test, Expr *then, Expr *otherwise, SourceSpan span) const {
  return arena->make<Conditional>(base(ExprKind::Conditional, then->type, span), test, then, otherwise);
}

Expr *Nodes::tuple(const Type *type, const std::vector<Expr *> &items, SourceSpan span) const {
  return arena->make<Tuple>(base(ExprKind::Tuple, type, span), arena->list(items));
}

Expr *Nodes::item(Expr *tuple, uint32_t index, SourceSpan span) const {
  return arena->make<Item>(base(ExprKind::Item, tuple->type->items()[index], span), tuple, index);
}

Expr *Nodes::itemAt(Expr *tuple, Expr *index, SourceSpan span) const {
  return arena->make<ItemAt>(base(ExprKind::ItemAt, tuple->type->items()[0], span), tuple, index);
}

Expr *Nodes::load(Expr *array, const std::vector<Expr *> &indices, SourceSpan span) const {
  return arena->make<Load>(base(ExprKind::Load, array->type->element(), span), Indexed{array, arena->list(indices)});
}

Expr *Nodes::view(const Type *type, ViewKind kind, Expr *array, const std::vector<ViewAxis> &axes) const {
  return arena->make<View>(base(ExprKind::View, type, array->span), kind, array, arena->list(axes));
}

Expr *Nodes::fieldView(Expr *array, uint32_t field, SourceSpan span) const {
  const Type *type = types::fieldView(array->type, array->type->element()->fields()[field]);
  return arena->make<View>(base(ExprKind::View, type, span), ViewKind::Field, array, std::span<const ViewAxis>(),
                           field);
}

Expr *Nodes::attribute(Expr *array, ArrayAttribute attribute, int32_t axis, SourceSpan span) const {
  bool isTuple = axis < 0 && (attribute == ArrayAttribute::Shape || attribute == ArrayAttribute::Strides);
  const Type *type = isTuple                                ? types::uniTuple(types::intp(), array->type->ndim())
                     : attribute == ArrayAttribute::Address ? types::uint64()
                                                            : types::intp();
  return arena->make<Attribute>(base(ExprKind::Attribute, type, span), array, attribute, axis);
}

Expr *Nodes::block(const std::vector<Stmt *> &body, Expr *value, SourceSpan span) const {
  if (body.empty())
    return value;
  return arena->make<Block>(base(ExprKind::Block, value->type, span), this->body(body), value);
}

Stmt *Nodes::assign(Slot *slot, Expr *value, SourceSpan span) const {
  return statement<Assign>(StmtKind::Assign, span, slot, value);
}

Stmt *Nodes::effect(Expr *value, SourceSpan span) const { return statement<Effect>(StmtKind::Effect, span, value); }

bool isConstant(const Expr &value) {
  if (value.kind != ExprKind::Tuple)
    return value.kind == ExprKind::Const;
  const auto &items = value.as<Tuple>().items;
  return std::all_of(items.begin(), items.end(), [](const Expr *item) { return isConstant(*item); });
}

bool isSameConstant(const Expr &left, const Expr &right) {
  if (left.type != right.type || left.kind != right.kind)
    return false;
  if (left.kind == ExprKind::Tuple)
    return std::equal(left.as<Tuple>().items.begin(), left.as<Tuple>().items.end(), right.as<Tuple>().items.begin(),
                      [](const Expr *a, const Expr *b) { return isSameConstant(*a, *b); });
  const auto &a = left.as<Const>(), &b = right.as<Const>();
  return a.integer == b.integer && std::bit_cast<int64_t>(a.real) == std::bit_cast<int64_t>(b.real) &&
         std::bit_cast<int64_t>(a.imag) == std::bit_cast<int64_t>(b.imag);
}

Body Nodes::body(const std::vector<Stmt *> &statements) const { return arena->list(statements); }

} // namespace treadle::typed

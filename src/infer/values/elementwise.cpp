// Array expressions: elementwise functions of arrays. Such a value has no memory of its own: it is its operands and the
// key of the function; the elements are computed where they are stored or reduced.
#include "builtins/builtin.h"
#include "infer/values/sequences.h"

#include <algorithm>

namespace treadle {

/// An array without axes counts as the number in it, an array of records has no operators.
bool hasElements(const Type &type) {
  return type.is(Series::Elementwise) ||
         (type.isArray() && type.ndim() > 0 && !type.element()->isRecord() && type.element()->isElement());
}

namespace {

/// The signed integer type that holds all values of two types of different signedness; nullptr if there is none.
/// NumPy's promotion: int32 with uint32 is int64. It takes float64 for int64 with uint64, where there is none.
const Type *signedAbove(const Type &left, const Type &right) {
  const unsigned forUnsigned = 2 * (left.isSigned() ? right : left).bits();
  const unsigned bits = std::max(forUnsigned, (left.isSigned() ? left : right).bits());
  return bits <= 64 ? types::integer(bits, true) : nullptr;
}

} // namespace

/// A product of two vectors is a number, and no array expression.
bool isProduct(const Type &type) { return type.is(Series::Elementwise) && type.text() == "operator.matmul"; }

/// As NumPy would broadcast: the most axes of any operand. A tuple is an array of its items, with one axis more.
unsigned axesOf(const Type &type) {
  if (type.isArray())
    return type.ndim();
  if (type.is(Series::Range))
    return 1;
  if (isProduct(type))
    return type.items()[0]->ndim() + type.items()[1]->ndim() - 2;
  if (isComputed(type))
    return unsigned(type.items()[0]->items().size());
  unsigned most = 0;
  if (type.is(Series::Elementwise) || type.isPlainTuple())
    for (const Type *operand : type.items())
      most = std::max(most, axesOf(*operand));
  return most + type.isPlainTuple();
}

/// Whether an operator on them is NumPy's, element by element, and not Python's.
bool areElementwise(const Items &operands) {
  return std::any_of(operands.begin(), operands.end(), [](const typed::Expr *one) { return hasElements(*one->type); });
}

/// `a * 2 + b` computes nothing yet: the operands are kept, with the key of the operator in the type. Arrays without
/// axes are read at once, like numbers.
typed::Expr *Sequences::elementwise(std::string_view key, Items operands, SourceSpan span) {
  std::vector<const Type *> types;
  for (typed::Expr *&operand : operands) {
    operand = tree.unwrap(operand);
    const Type *type = operand->type;
    if (type->isArray() && type->ndim() == 0 && !type->element()->isRecord())
      operand = access.rowView(operand, {}, operand->span);
    else if (!type->isNumber() && !hasElements(*type) && type->isRuntime() && !type->is(Series::Time) &&
             !type->is(Series::Text))
      tree.failTyping(operand->span, "this cannot be an operand beside an array: " + type->name());
    types.push_back(operand->type);
  }
  return tree.tuple(types::elementwise(key, types), operands, span);
}

/// The broadcast extent along an axis of `ndim`: operands' extents of 1 yield to others.
/// nullptr: the value has no such axis. Axes are aligned at the last one, as in NumPy. Extents that do not fit are not
/// found here; only debug kernels check them.
typed::Expr *Sequences::broadcastExtent(const typed::Expr &value, unsigned axis, unsigned ndim, SourceSpan span) {
  const unsigned own = axesOf(*value.type), missing = ndim - own;
  if (axis < missing)
    return nullptr;
  if (value.type->isArray())
    return access.extentOf(value, axis - missing, span);
  if (value.type->is(Series::Range))
    return countOf(value, span);
  const auto operands = value.as<typed::Tuple>().items;
  if (isProduct(*value.type)) {
    const bool isRow = axis == missing && operands[0]->type->ndim() == 2;
    return isRow ? access.extentOf(*operands[0], 0, span) : access.extentOf(*operands[1], 1, span);
  }
  if (isComputed(*value.type))
    return extentOfComputed(value, axis - missing, span);
  typed::Expr *extent = nullptr;
  for (const typed::Expr *operand : operands) {
    typed::Expr *one = hasElements(*operand->type) ? broadcastExtent(*operand, axis - missing, own, span) : nullptr;
    if (!one || !extent) {
      extent = one ? one : extent;
      continue;
    }
    extent = tree.materialize(extent);
    typed::Expr *isOne = tree.test(Operation::Eq, {tree.clone(extent), tree.index(1, span)}, span);
    extent = tree.operation(Operation::Select, types::intp(), {isOne, one, extent}, span);
  }
  return extent;
}

/// An axis of extent 1 is read at index 0.
/// NumPy's broadcasting; the extent is known only at run time, so this is a selection and not a rule.
typed::Expr *Sequences::indexWithin(typed::Expr *extent, const typed::Expr &counter, SourceSpan span) {
  typed::Expr *isOne = tree.test(Operation::Eq, {extent, tree.index(1, span)}, span);
  return tree.operation(Operation::Select, types::intp(), {isOne, tree.index(0, span), tree.clone(&counter)}, span);
}

namespace {

/// NumPy's operators compute in the type of the arrays, where separate integers are 64 bits wide; the low bits are the
/// same. nullptr if that is not an integer type, and beside a number.
/// `a + b` of two int8 arrays is int8 and wraps, where the number rules would compute in int64. nullptr for comparisons
/// and functions, too, and where one operand is a number, which follows the number rules.
const Type *narrowResult(const Type &expression, const Items &elements) {
  const std::string_view key = expression.text();
  const bool isOperator = key.starts_with("operator.") && findBuiltin(key)->rule != BuiltinRule::Compare;
  const Type *common = nullptr;
  for (size_t i = 0; i < elements.size(); ++i) {
    const Type *one = elements[i]->type;
    if (!isOperator || !hasElements(*expression.items()[i]) || !one->isInteger())
      return nullptr;
    const bool isFirst = !common || common->isBool();
    if (isFirst || one->isBool())
      common = isFirst ? one : common;
    else if (common->isSigned() == one->isSigned())
      common = common->bits() >= one->bits() ? common : one;
    else
      common = signedAbove(*common, *one);
    if (!common)
      return nullptr;
  }
  return common;
}

} // namespace

/// The element of a settled value at these positions, which belong to its last axes: a part of it if there are fewer
/// positions than axes. Values with fewer axes than positions ignore the first ones.
/// A range gives its item, a number itself, an array the element or row, an expression what its operator makes of the
/// elements of its operands.
typed::Expr *Sequences::broadcastElement(const typed::Expr &value, const Items &positions, unsigned ndim,
                                         SourceSpan span) {
  const Type &type = *value.type;
  if (type.is(Series::Range))
    return elementAt(value, *positions.back(), span);
  if (!hasElements(type))
    return tree.clone(&value);
  const unsigned missing = ndim - axesOf(type);
  if (type.isArray()) {
    Items indices;
    for (size_t i = missing; i < positions.size(); ++i)
      indices.push_back(indexWithin(access.extentOf(value, unsigned(i) - missing, span), *positions[i], span));
    return indices.empty() ? tree.clone(&value) : access.rowView(tree.clone(&value), indices, span);
  }
  const auto operands = value.as<typed::Tuple>().items;
  if (isProduct(type))
    return elementOfProduct(value, positions, span);
  if (isComputed(type))
    return elementOfComputed(value, positions, ndim, span);
  Items elements;
  for (const typed::Expr *operand : operands)
    elements.push_back(broadcastElement(*operand, positions, ndim, span));
  if (areElementwise(elements))
    return elementwise(type.text(), elements, span);
  const Type *narrow = narrowResult(type, elements);
  for (typed::Expr *&element : elements)
    element = narrow ? tree.convert(element, narrow) : element;
  typed::Expr *result = whole.applied(type.text(), elements, span);
  return narrow && result->type->isInteger() ? tree.convert(result, narrow) : result;
}

/// For a matrix product: a row of the first by a column of the second; either may be a vector.
/// A dot product of two views for each element: the library's function of two vectors.
typed::Expr *Sequences::elementOfProduct(const typed::Expr &product, const Items &positions, SourceSpan span) {
  using Axis = typed::ViewAxis;
  const auto operands = product.as<typed::Tuple>().items;
  if (positions.size() != axesOf(*product.type))
    tree.failUnsupported(span, "a row of a product of matrices is not supported", "assign the product to an array");
  typed::Expr *row = tree.clone(operands[0]), *column = tree.clone(operands[1]);
  if (row->type->ndim() == 2)
    row = access.rowView(row, {tree.clone(positions.front())}, span);
  if (column->type->ndim() == 2) {
    const std::vector<Axis> axes = {{Axis::Kind::Whole, nullptr, nullptr, nullptr},
                                    {Axis::Kind::Index, tree.clone(positions.back()), nullptr, nullptr}};
    column = tree.view(types::viewOf(column->type, 1, Layout::Any), typed::ViewKind::Axes, column, axes);
  }
  return whole.applied("operator.matmul", {row, column}, span);
}

/// `left @ right`: a number for two vectors.
typed::Expr *Sequences::product(typed::Expr *left, typed::Expr *right, SourceSpan span) {
  Items both{tree.unwrap(left), tree.unwrap(right)};
  const auto isMatrix = [](const typed::Expr *one) {
    return one->type->isArray() && one->type->element()->isNumber() && one->type->ndim() - 1 < 2;
  };
  if (!isMatrix(both[0]) || !isMatrix(both[1]))
    tree.failTyping(span, "@ needs arrays of numbers with one or two axes, not " + both[0]->type->name() + " and " +
                              both[1]->type->name());
  if (both[0]->type->ndim() == 1 && both[1]->type->ndim() == 1)
    return whole.applied("operator.matmul", both, span);
  return elementwise("operator.matmul", both, span);
}

/// An array expression needs the structure of its operands, as rules look into it.
typed::Expr *placeholderOf(Tree &tree, const Type &type, SourceSpan span) {
  if (!type.is(Series::Elementwise))
    return typed::hasStorage(&type) ? tree.placeholder(&type, span) : tree.unit(&type, span);
  Items operands;
  for (const Type *operand : type.items())
    operands.push_back(placeholderOf(tree, *operand, span));
  return tree.tuple(&type, operands, span);
}

/// Types an element at position 0 of placeholders; the statements that this makes are thrown away.
const Type *Sequences::elementTypeOf(const Type &ofValue, SourceSpan span) {
  const typed::Expr &value = *placeholderOf(tree, ofValue, span);
  const unsigned ndim = axesOf(*value.type);
  Items positions;
  for (unsigned axis = 0; axis < ndim; ++axis)
    positions.push_back(tree.index(0, span));
  const Type *type = nullptr;
  tree.collect([&] { type = broadcastElement(value, positions, ndim, span)->type; });
  return type;
}

} // namespace treadle

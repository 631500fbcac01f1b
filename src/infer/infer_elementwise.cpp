// Array expressions: functions of elements whose operands are arrays. Such a value has no memory of its own: it is
// its operands and the key of the function; the elements are computed where they are stored or summed up.
#include "infer/inference.h"

#include <algorithm>

namespace treadle {

namespace {

/// Operands of array expressions: arrays of numbers, and array expressions.
bool hasElements(const Type &type) {
  return type.is(Series::Elementwise) ||
         (type.isArray() && type.ndim() > 0 && !type.element()->isRecord() && type.element()->isElement());
}

/// The signed integers that hold all of two types of other signs; nullptr if there are none.
const Type *signedAbove(const Type &left, const Type &right) {
  const unsigned forUnsigned = 2 * (left.isSigned() ? right : left).bits();
  const unsigned bits = std::max(forUnsigned, (left.isSigned() ? left : right).bits());
  return bits <= 64 ? types::integer(bits, true) : nullptr;
}

} // namespace

bool ValueRules::isProduct(const Type &type) {
  return type.is(Series::Elementwise) && type.text() == "operator.matmul";
}

unsigned ValueRules::axesOf(const Type &type) {
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

bool ValueRules::areElementwise(const Items &operands) {
  return std::any_of(operands.begin(), operands.end(), [](const typed::Expr *one) { return hasElements(*one->type); });
}

typed::Expr *ValueRules::elementwise(std::string_view key, Items operands, SourceSpan span) {
  std::vector<const Type *> types;
  for (typed::Expr *&operand : operands) {
    operand = unwrap(operand);
    const Type *type = operand->type;
    if (type->isArray() && type->ndim() == 0 && !type->element()->isRecord())
      operand = rowView(operand, {}, operand->span);
    else if (!type->isNumber() && !hasElements(*type) && type->isRuntime() && !type->is(Series::Time) &&
             !type->is(Series::Text))
      failTyping(operand->span, "this cannot be an operand beside an array: " + type->name());
    types.push_back(operand->type);
  }
  return nodes.tuple(types::elementwise(key, types), operands, span);
}

/// The extent along an axis of `ndim`; those of operands that are 1 give way to others.
typed::Expr *ValueRules::broadcastExtent(const typed::Expr &value, unsigned axis, unsigned ndim, SourceSpan span) {
  const unsigned own = axesOf(*value.type), missing = ndim - own;
  if (axis < missing)
    return nullptr;
  if (value.type->isArray())
    return extentOf(value, axis - missing, span);
  if (value.type->is(Series::Range))
    return countOf(value, span);
  const auto operands = value.as<typed::Tuple>().items;
  if (isProduct(*value.type)) {
    const bool isRow = axis == missing && operands[0]->type->ndim() == 2;
    return isRow ? extentOf(*operands[0], 0, span) : extentOf(*operands[1], 1, span);
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
    extent = materialize(extent);
    typed::Expr *isOne =
        nodes.operation(Operation::Eq, types::boolean(), {clone(extent), nodes.integer(types::intp(), 1, span)}, span);
    extent = nodes.operation(Operation::Select, types::intp(), {isOne, one, extent}, span);
  }
  return extent;
}

/// An axis of extent 1 is read at index 0.
typed::Expr *ValueRules::indexWithin(typed::Expr *extent, const typed::Expr &counter, SourceSpan span) {
  typed::Expr *isOne =
      nodes.operation(Operation::Eq, types::boolean(), {extent, nodes.integer(types::intp(), 1, span)}, span);
  return nodes.operation(Operation::Select, types::intp(),
                         {isOne, nodes.integer(types::intp(), 0, span), clone(&counter)}, span);
}

/// The element of a settled value at these positions, which belong to its last axes: a part of it if there are fewer
/// positions than axes. Values with fewer axes than positions ignore the first.
typed::Expr *ValueRules::broadcastElement(const typed::Expr &value, const Items &positions, unsigned ndim,
                                          SourceSpan span) {
  const Type &type = *value.type;
  if (type.is(Series::Range))
    return elementAt(value, *positions.back(), span);
  if (!hasElements(type))
    return clone(&value);
  const unsigned missing = ndim - axesOf(type);
  if (type.isArray()) {
    Items indices;
    for (size_t i = missing; i < positions.size(); ++i)
      indices.push_back(indexWithin(extentOf(value, unsigned(i) - missing, span), *positions[i], span));
    return indices.empty() ? clone(&value) : rowView(clone(&value), indices, span);
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
    element = narrow ? convert(element, narrow) : element;
  typed::Expr *result = applied(type.text(), elements, span);
  return narrow && result->type->isInteger() ? convert(result, narrow) : result;
}

/// NumPy's operators compute in the type of the arrays, where integers on their own are 64 bits wide; the low bits are
/// the same. nullptr where that is no type of integers, and beside a number.
const Type *ValueRules::narrowResult(const Type &expression, const Items &elements) {
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

/// Of a product of matrices: a row of the first with a column of the second; either may be a vector.
typed::Expr *ValueRules::elementOfProduct(const typed::Expr &product, const Items &positions, SourceSpan span) {
  using Axis = typed::ViewAxis;
  const auto operands = product.as<typed::Tuple>().items;
  if (positions.size() != axesOf(*product.type))
    failUnsupported(span, "a row of a product of matrices is not supported", "assign the product to an array");
  typed::Expr *row = clone(operands[0]), *column = clone(operands[1]);
  if (row->type->ndim() == 2)
    row = rowView(row, {clone(positions.front())}, span);
  if (column->type->ndim() == 2) {
    const std::vector<Axis> axes = {{Axis::Kind::Whole, nullptr, nullptr, nullptr},
                                    {Axis::Kind::Index, clone(positions.back()), nullptr, nullptr}};
    column = nodes.view(types::viewOf(column->type, 1, Layout::Any), typed::ViewKind::Axes, column, axes);
  }
  return applied("operator.matmul", {row, column}, span);
}

/// `left @ right`: a number for two vectors.
typed::Expr *ValueRules::product(typed::Expr *left, typed::Expr *right, SourceSpan span) {
  Items both{unwrap(left), unwrap(right)};
  const auto isMatrix = [](const typed::Expr *one) {
    return one->type->isArray() && one->type->element()->isNumber() && one->type->ndim() - 1 < 2;
  };
  if (!isMatrix(both[0]) || !isMatrix(both[1]))
    failTyping(span, "@ needs arrays of numbers with one or two axes, not " + both[0]->type->name() + " and " +
                         both[1]->type->name());
  if (both[0]->type->ndim() == 1 && both[1]->type->ndim() == 1)
    return applied("operator.matmul", both, span);
  return elementwise("operator.matmul", both, span);
}

/// In kernels compiled with debug: extents that do not go together are an error.
void Inference::checkBroadcast(const typed::Expr &value, SourceSpan span) {
  if (!value.type->is(Series::Elementwise) || isProduct(*value.type) || isComputed(*value.type))
    return;
  const unsigned ndim = axesOf(*value.type);
  for (const typed::Expr *operand : value.as<typed::Tuple>().items) {
    checkBroadcast(*operand, span);
    for (unsigned axis = 0; axis < ndim && hasElements(*operand->type); ++axis) {
      typed::Expr *own = broadcastExtent(*operand, axis, ndim, span);
      if (!own)
        continue;
      own = materialize(own);
      typed::Expr *isOne =
          nodes.operation(Operation::Eq, types::boolean(), {clone(own), nodes.integer(types::intp(), 1, span)}, span);
      typed::Expr *isSame =
          nodes.operation(Operation::Eq, types::boolean(), {own, broadcastExtent(value, axis, ndim, span)}, span);
      typed::Expr *fits = nodes.operation(Operation::BitOr, types::boolean(), {isOne, isSame}, span);
      raiseWhere(nodes.operation(Operation::Not, types::boolean(), {fits}, span),
                 "operands could not be broadcast together", span);
    }
  }
}

/// The function's own operands come first; one more is the array that the result goes to.
typed::Expr *ExpressionRules::callElementwise(std::string_view key, size_t operands, Arguments &arguments) {
  typed::Expr *target = nullptr;
  Items &given = arguments.positional;
  for (const auto &[name, value] : arguments.keywords) {
    if (name != "out" || target)
      failUnsupported(arguments.span,
                      "the keyword " + quoted(name) + " of " + std::string(key) + "() is not supported in kernels");
    target = value;
  }
  if (given.size() == operands + 1 && !target) {
    target = given.back();
    given.pop_back();
  }
  if (given.size() != operands)
    fail(arguments.span, {.kind = CompileErrorKind::Type,
                          .message = std::string(key) + "() takes " + counted(operands, "argument") +
                                     ", and an array " + "for the result",
                          .found = counted(given.size(), "argument"),
                          .expected = {},
                          .remedy = {}});
  typed::Expr *value = areElementwise(given) ? elementwise(key, given, arguments.span) : nullptr;
  if (!target)
    return value ? value : applied(key, given, arguments.span);
  if (target->type->isTuple() && target->type->items().size() == 1)
    target = itemsOf(target)[0];
  checkStorable(*target, target->span);
  return inBlock(arguments.span, [&] {
    if (!value)
      value = applied(key, given, arguments.span);
    target = spill(target);
    phase->storeElements(clone(target), value, arguments.span);
    return target;
  });
}

/// How many operands the function of elements with that key has; nullopt if it is none.
std::optional<size_t> ExpressionRules::elementwiseOperands(std::string_view key) {
  if (const Builtin *row = findBuiltin(key)) {
    using enum BuiltinRule;
    switch (row->rule) {
    case MathUnary:
    case MathBinary:
    case MathRounding:
    case MathClassify:
      return key.starts_with("numpy.") ? std::optional<size_t>(row->minimum) : std::nullopt;
    case Abs:
      return 1;
    case Power:
    case Binary:
    case Unary:
    case Compare:
      return row->minimum;
    default:
      return std::nullopt;
    }
  }
  const CapturedValue &function = compilation.libraryFunction(key);
  if (!function.type || !function.type->is(TypeKind::Function))
    return std::nullopt;
  const CalledFunction &called = compilation.function(function.type->handle()).called;
  return called.isElementwise ? std::optional(called.syntax->root().parameters.size()) : std::nullopt;
}

typed::Expr *ExpressionRules::applied(std::string_view key, const Items &operands, SourceSpan span) {
  Arguments arguments{operands, {}, nullptr, span};
  return callValue(nodes.unit(types::builtin(key), span), arguments);
}

typed::Expr *ExpressionRules::elementwiseAttribute(typed::Expr *value, const syntax::Attribute &expression) {
  const SourceSpan span = expression.span;
  const unsigned ndim = axesOf(*value->type);
  if (expression.name == "ndim")
    return after({value}, nodes.integer(types::intp(), ndim, span));
  if (expression.name == "dtype")
    return after({value}, nodes.unit(types::typeObject(elementTypeOf(*value->type, span)), span));
  return inBlock(span, [&]() -> typed::Expr * {
    value = settledSeries(value);
    Items extents;
    for (unsigned axis = 0; axis < ndim; ++axis)
      extents.push_back(broadcastExtent(*value, axis, ndim, span));
    if (expression.name == "shape")
      return makeTuple(extents, span);
    if (expression.name != "size")
      failAttribute(*value, expression, {"shape", "size", "ndim", "dtype"});
    typed::Expr *size = nodes.integer(types::intp(), 1, span);
    for (typed::Expr *extent : extents)
      size = nodes.operation(Operation::Mul, types::intp(), {size, extent}, span);
    return size;
  });
}

/// Any array expression of that type.
typed::Expr *ExpressionRules::placeholderOf(const Type &type, SourceSpan span) {
  if (!type.is(Series::Elementwise))
    return typed::hasStorage(&type) ? placeholder(&type, span) : nodes.unit(&type, span);
  Items operands;
  for (const Type *operand : type.items())
    operands.push_back(placeholderOf(*operand, span));
  return nodes.tuple(&type, operands, span);
}

const Type *ExpressionRules::elementTypeOf(const Type &ofValue, SourceSpan span) {
  const typed::Expr &value = *placeholderOf(ofValue, span);
  const unsigned ndim = axesOf(*value.type);
  Items positions;
  for (unsigned axis = 0; axis < ndim; ++axis)
    positions.push_back(nodes.integer(types::intp(), 0, span));
  const Type *type = nullptr;
  collect([&] { type = broadcastElement(value, positions, ndim, span)->type; });
  return type;
}

/// An index for every axis gives an element; fewer give an array expression of rows.
typed::Expr *ExpressionRules::elementwiseItem(typed::Expr *value, const syntax::Subscript &expression) {
  const unsigned ndim = axesOf(*value->type);
  if (isViewIndex(*expression.index))
    failUnsupported(expression.index->span, "an array expression cannot be sliced: it has no memory of its own",
                    "slice its operands, or assign it to elements of an array");
  return inBlock(expression.span, [&]() -> typed::Expr * {
    typed::Expr *place = value;
    Items indices = indicesOf(place, *expression.index, true);
    if (!indices.empty() && isIndexArray(*indices[0]->type, expression.span))
      return applied("computed.pick", {place, indices[0]}, expression.span);
    if (indices.size() > ndim)
      failTyping(expression.span, "too many indices for an array expression of " + counted(ndim, "axis"));
    place = settledSeries(place);
    for (size_t axis = 0; axis < indices.size(); ++axis)
      indices[axis] = materialize(convert(indices[axis], types::intp()));
    return broadcastElement(*place, indices, ndim, expression.span);
  });
}

} // namespace treadle

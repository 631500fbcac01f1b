// Computed arrays: array expressions whose elements a function of the library gives, by their positions.
#include "infer/inference.h"

namespace treadle {

static constexpr std::string_view computedPrefix = "computed.";

/// Their operands are the shape, a tuple of intp, and what the function gets in front of the positions.
bool ValueRules::isComputed(const Type &type) {
  return type.is(Series::Elementwise) && type.text().starts_with(computedPrefix);
}

typed::Expr *ValueRules::computed(std::string_view name, const Items &parts, SourceSpan span) {
  std::vector<const Type *> types;
  for (const typed::Expr *part : parts)
    types.push_back(part->type);
  return nodes.tuple(types::elementwise(std::string(computedPrefix) + std::string(name), types), parts, span);
}

/// library.axis(axis, ndim), for what the user has given as an axis.
typed::Expr *BuiltinRules::callAxis(const Builtin &, const Arguments &arguments) {
  const typed::Expr &given = *arguments.positional[0];
  const std::optional<int64_t> axis = constantInteger(given);
  const int64_t ndim = constantInteger(*arguments.positional[1]).value_or(0);
  if (axis && *axis >= -ndim && *axis < ndim)
    return nodes.integer(types::intp(), *axis < 0 ? *axis + ndim : *axis, arguments.span);
  Diagnostic diagnostic;
  diagnostic.message = axis ? "axis " + std::to_string(*axis) + " is out of bounds for an array with " +
                                  std::to_string(ndim) + (ndim == 1 ? " axis" : " axes")
                       : given.type->isInt() ? "the axis is not known while compiling"
                                             : "the axis must be one integer";
  diagnostic.expected = axis ? "" : "a literal, or a variable or parameter that is bound to one";
  diagnostic.found = axis ? "" : given.type->name();
  diagnostic.needsConstant = !axis && given.type->isInt();
  diagnostic.span = arguments.span;
  diagnostic.source = source;
  diagnostic.isOfCall = true;
  throw CompileError(std::move(diagnostic));
}

/// library.computed(name, shape, operands...)
typed::Expr *BuiltinRules::callComputed(const Builtin &row, const Arguments &arguments) {
  Items parts(arguments.positional.begin() + 1, arguments.positional.end());
  if (!arguments.positional[0]->type->is(TypeKind::String))
    failArgument(row, *arguments.positional[0], "a text");
  const size_t axes = parts[0]->type->isPlainTuple() ? parts[0]->type->items().size() : 0;
  if (axes < 1 || axes > 8)
    failArgument(row, *parts[0], "a shape of 1 to 8 axes");
  parts[0] = convert(parts[0], types::uniTuple(types::intp(), unsigned(axes)));
  return computed(arguments.positional[0]->type->text(), parts, arguments.span);
}

/// All elements of an array along one axis, which can be assigned.
bool ValueRules::isFlat(const Type &type) { return isComputed(type) && type.text() == "computed.flat"; }

/// What settledSeries has made, once more.
typed::Expr *ValueRules::copyOfSettled(const typed::Expr &value) {
  if (!value.type->isSeries() || value.type->is(Series::Time) || value.type->is(Series::Text))
    return clone(&value);
  Items parts;
  for (const typed::Expr *part : value.as<typed::Tuple>().items)
    parts.push_back(copyOfSettled(*part));
  return nodes.tuple(value.type, parts, value.span);
}

typed::Expr *ValueRules::extentOfComputed(const typed::Expr &value, unsigned axis, SourceSpan span) {
  return itemOf(clone(value.as<typed::Tuple>().items[0]), axis, span);
}

/// As broadcastElement(). With fewer positions than axes, it is a computed array of the other axes.
typed::Expr *ValueRules::elementOfComputed(const typed::Expr &value, const Items &positions, unsigned ndim,
                                           SourceSpan span) {
  const unsigned own = axesOf(*value.type), missing = ndim - own;
  const std::string_view name = value.type->text().substr(computedPrefix.size());
  const auto parts = value.as<typed::Tuple>().items;
  Items operands;
  for (size_t i = 1; i < parts.size(); ++i)
    operands.push_back(copyOfSettled(*parts[i]));
  for (size_t i = missing; i < positions.size(); ++i)
    operands.push_back(indexWithin(extentOfComputed(value, unsigned(i) - missing, span), *positions[i], span));
  if (positions.size() == ndim)
    return applied(value.type->text(), operands, span);
  Items extents;
  for (size_t axis = positions.size() - std::min(size_t(missing), positions.size()); axis < own; ++axis)
    extents.push_back(extentOfComputed(value, unsigned(axis), span));
  operands.insert(operands.begin(), makeTuple(extents, span));
  return computed(name, operands, span);
}

/// All elements in C order of an array that is not in that order, or of an array expression; `name` says whether they
/// can be assigned.
typed::Expr *BuiltinRules::computedFlat(std::string_view name, typed::Expr *array, SourceSpan span) {
  return inBlock(span, [&] {
    array = settledSeries(array);
    const unsigned ndim = axesOf(*array->type);
    typed::Expr *size = nodes.integer(types::intp(), 1, span);
    for (unsigned axis = 0; axis < ndim; ++axis)
      size = nodes.operation(Operation::Mul, types::intp(), {size, broadcastExtent(*array, axis, ndim, span)}, span);
    return computed(name, {makeTuple({materialize(size)}, span), array}, span);
  });
}

/// `a.flat[index]` as what is assigned: an index for each axis of `a`. Rounding down leaves a negative one for the
/// first axis, which counts from its end.
void ExpressionRules::indexFlat(typed::Expr *&array, Items &indices, typed::Expr *index, SourceSpan span) {
  array = spill(itemsOf(array)[1]);
  const unsigned ndim = array->type->ndim();
  indices.assign(ndim, nullptr);
  auto part = [&](Operation op, typed::Expr *dividend, unsigned axis) {
    return materialize(nodes.operation(op, types::intp(), {dividend, extentOf(*array, axis, span)}, span));
  };
  index = materialize(convert(index, types::intp()));
  for (unsigned axis = ndim; axis-- > 1;) {
    indices[axis] = part(Operation::Mod, clone(index), axis);
    index = part(Operation::FloorDiv, clone(index), axis);
  }
  indices[0] = index;
}

} // namespace treadle

// Computed arrays: array expressions whose elements a function of the library gives, by their positions.
// There is no memory for `a.sum(axis=0)` or `np.take(a, indices)`, but a function of the library for each element, and
// a shape. The name of that function is part of the type, as two such expressions must not be taken for the same.
#include "infer/values/sequences.h"

namespace treadle {

namespace {

constexpr std::string_view computedPrefix = "computed.";

} // namespace

bool isComputed(const Type &type) { return type.is(Series::Elementwise) && type.text().starts_with(computedPrefix); }

namespace {

/// The last part of "computed.<reach>.<name>".
std::string_view nameOf(const Type &type) { return type.text().substr(type.text().rfind('.') + 1); }

} // namespace

std::string_view reachOf(const Type &type) {
  const std::string_view text = type.text();
  return text.substr(computedPrefix.size(), text.rfind('.') - computedPrefix.size());
}

bool isFlat(const Type &type) { return isComputed(type) && nameOf(type) == "flat"; }

/// The first of `parts` is the shape, a tuple of intp.
typed::Expr *Sequences::computed(std::string_view name, std::string_view reach, const Items &parts, SourceSpan span) {
  std::vector<const Type *> types;
  for (const typed::Expr *part : parts)
    types.push_back(part->type);
  const std::string text = std::string(computedPrefix) + std::string(reach) + "." + std::string(name);
  return tree.tuple(types::elementwise(text, types), parts, span);
}

/// What settledSeries has made, once more.
/// Dates and texts are single values here, though they are tuples.
typed::Expr *Sequences::copyOfSettled(const typed::Expr &value) {
  if (!value.type->isSeries() || value.type->is(Series::Time) || value.type->is(Series::Text))
    return tree.clone(&value);
  Items parts;
  for (const typed::Expr *part : value.as<typed::Tuple>().items)
    parts.push_back(copyOfSettled(*part));
  return tree.tuple(value.type, parts, value.span);
}

/// The extents are part of the value, as they depend on what the function does: the others broadcast their operands'.
typed::Expr *Sequences::extentOfComputed(const typed::Expr &value, unsigned axis, SourceSpan span) {
  return tree.itemOf(tree.clone(value.as<typed::Tuple>().items[0]), axis, span);
}

/// As broadcastElement(). With fewer positions than axes, it is a computed array of the other axes.
/// The function gets the operands, then one position for each axis.
typed::Expr *Sequences::elementOfComputed(const typed::Expr &value, const Items &positions, unsigned ndim,
                                          SourceSpan span) {
  const unsigned own = axesOf(*value.type), missing = ndim - own;
  const auto parts = value.as<typed::Tuple>().items;
  Items operands;
  for (size_t i = 1; i < parts.size(); ++i)
    operands.push_back(copyOfSettled(*parts[i]));
  for (size_t i = missing; i < positions.size(); ++i)
    operands.push_back(indexWithin(extentOfComputed(value, unsigned(i) - missing, span), *positions[i], span));
  if (positions.size() == ndim)
    return whole.applied(std::string(computedPrefix) + std::string(nameOf(*value.type)), operands, span);
  Items extents;
  for (size_t axis = positions.size() - std::min(size_t(missing), positions.size()); axis < own; ++axis)
    extents.push_back(extentOfComputed(value, unsigned(axis), span));
  operands.insert(operands.begin(), tree.makeTuple(extents, span));
  return computed(nameOf(*value.type), reachOf(*value.type), operands, span);
}

} // namespace treadle

// Calls of builtins: views of arrays with other extents or elements, and NumPy's new arrays.
#include "infer/builtin_rules.h"

namespace treadle {

void BuiltinRules::checkPacked(const typed::Expr &array, std::string_view what) {
  if (!array.type->isArray())
    fail(array.span, {.kind = CompileErrorKind::Typing,
                      .message = std::string(what) + " needs an array",
                      .found = array.type->name(),
                      .expected = {},
                      .remedy = {}});
  if (array.type->layout() != Layout::C)
    fail(array.span, {.kind = CompileErrorKind::Typing,
                      .message = std::string(what) + " needs an array in C order without gaps",
                      .found = array.type->name(),
                      .expected = "an array whose layout is C",
                      .remedy = "index it by all of its axes, or copy it into a local array"});
}

/// `array`: may be read several times. An extent that is the constant -1 is what the others leave.
typed::Expr *BuiltinRules::reshaped(typed::Expr *array, Items extents, SourceSpan span) {
  const Type *type = array->type;
  auto operation = [&](Operation op, typed::Expr *left, typed::Expr *right) {
    return nodes.operation(op, types::intp(), {left, right}, span);
  };
  auto size = [&] { return nodes.attribute(clone(array), typed::ArrayAttribute::Size, 0, span); };
  typed::Expr **open = nullptr, *product = nodes.integer(types::intp(), 1, span);
  for (typed::Expr *&extent : extents) {
    if (constantInteger(*extent) == -1) {
      if (open)
        failTyping(extent->span, "only one extent can be -1");
      open = &extent;
      continue;
    }
    extent = materialize(convert(checkedIndex(extent, extent->span), types::intp()));
    product = operation(Operation::Mul, product, clone(extent));
  }
  if (open) {
    product = materialize(operation(Operation::Max, product, nodes.integer(types::intp(), 1, span)));
    *open = materialize(operation(Operation::FloorDiv, size(), clone(product)));
    product = operation(Operation::Mul, product, clone(*open));
  }
  raiseWhere(nodes.operation(Operation::Ne, types::boolean(), {product, size()}, span),
             "an array cannot be reshaped to other elements than it has", span);
  std::vector<typed::ViewAxis> axes;
  for (typed::Expr *extent : extents)
    axes.push_back({typed::ViewAxis::Kind::Index, extent, nullptr, nullptr});
  const Type *view = types::array(
      type->element(), {unsigned(axes.size()), Layout::C, type->isReadOnly(), type->space(), type->isUnaligned()});
  return nodes.view(view, typed::ViewKind::Reshape, array, axes);
}

typed::Expr *BuiltinRules::callReshape(const Builtin &row, const Arguments &arguments) {
  typed::Expr *array = unwrap(arguments.positional[0]);
  checkPacked(*array, "reshape()");
  Items extents(arguments.positional.begin() + 1, arguments.positional.end());
  return inBlock(arguments.span, [&] {
    array = spill(array);
    if (extents.size() == 1 && extents[0]->type->isPlainTuple())
      extents = itemsOf(extents[0]);
    if (extents.empty() || extents.size() > 8)
      failArgument(row, *arguments.positional[1], "1 to 8 extents");
    return reshaped(array, extents, arguments.span);
  });
}

typed::Expr *BuiltinRules::flat(typed::Expr *array, std::string_view what, SourceSpan span) {
  if (array->type->isArray() && array->type->ndim() == 1)
    return array;
  checkPacked(*array, what);
  return inBlock(span, [&] {
    array = spill(array);
    return reshaped(array, {nodes.attribute(clone(array), typed::ArrayAttribute::Size, 0, span)}, span);
  });
}

typed::Expr *BuiltinRules::callRavel(const Builtin &row, const Arguments &arguments) {
  const std::string_view name = row.key.substr(row.key.find('.') + 1);
  return flat(unwrap(arguments.positional[0]), std::string(name) + "()", arguments.span);
}

typed::Expr *BuiltinRules::callRetype(const Builtin &row, const Arguments &arguments) {
  typed::Expr *array = arguments.positional[0];
  const Type *type = array->type, *element = elementType(*arguments.positional[1], row);
  const bool isPlain = type->element()->isNumber() && element->isNumber();
  if (!isPlain || type->element()->bytes() != element->bytes())
    failArgument(row, *arguments.positional[1],
                 "a number type of " + counted(type->element()->bytes(), "byte") + ", as the array's elements have");
  return nodes.view(
      types::array(element, {type->ndim(), type->layout(), type->isReadOnly(), type->space(), type->isUnaligned()}),
      typed::ViewKind::Axes, array, {});
}

/// One array for each place in the source, as cuda.local.array gives it, filled each time the thread comes there.
typed::Expr *BuiltinRules::callNewArray(const Builtin &row, const Arguments &arguments) {
  const SourceSpan span = arguments.span;
  const bool isFull = row.key == "numpy.full";
  const size_t place = isFull ? 2 : 1;
  typed::Expr *value = isFull                     ? unwrap(arguments.positional[1])
                       : row.key == "numpy.zeros" ? nodes.integer(types::int64(), 0, span)
                       : row.key == "numpy.ones"  ? nodes.integer(types::int64(), 1, span)
                                                  : nullptr;
  typed::Expr *dtype = arguments.positional.size() > place ? arguments.positional[place] : nullptr;
  if (!dtype)
    dtype = nodes.unit(types::typeObject(isFull ? value->type : types::float64()), span);
  const Arguments shaped{{arguments.positional[0], dtype}, {}, arguments.call, span};
  return inBlock(span, [&] {
    if (value)
      value = materialize(value);
    typed::Expr *array = callArray(row, shaped);
    if (!value)
      return array;
    array = spill(array);
    phase->storeElements(clone(array), value, span);
    return array;
  });
}

} // namespace treadle

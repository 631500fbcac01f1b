// Calls of builtins: reshaped and reinterpreted views of arrays, and NumPy's new arrays.
// Arrays here are views of the same memory under other extents, or memory of the thread's own. Nothing is copied: what
// NumPy would copy is either refused or an array expression.
#include "infer/calls/array_calls.h"

#include <algorithm>
#include <fmt/core.h>

namespace treadle {

/// The layout is part of the type, so that a wrong array is found while compiling.
void ArrayCalls::checkPacked(const typed::Expr &array, std::string_view what) {
  if (!array.type->isArray())
    tree.fail(array.span, {.kind = CompileErrorKind::Typing,
                           .message = std::string(what) + " needs an array",
                           .found = array.type->name()});
  if (array.type->layout() != Layout::C)
    tree.fail(array.span, {.kind = CompileErrorKind::Typing,
                           .message = std::string(what) + " needs an array in C order without gaps",
                           .found = array.type->name(),
                           .expected = "an array whose layout is C",
                           .remedy = "index it by all of its axes, or copy it into a local array"});
}

/// The extents of an array of that size, in a form that can be read again. One of them may be -1, also at run time: it
/// is inferred from the others.
/// `a.reshape(n, -1)`. Constants say at once which extent is open; if none of them is -1, any that is known at run time
/// may be. The product of the others is at least 1, as an array without elements must not divide by 0.
Items ArrayCalls::knownExtents(Items extents, typed::Expr *size, SourceSpan span) {
  auto integer = [&](int64_t value) { return tree.index(value, span); };
  auto operation = [&](Operation op, std::initializer_list<typed::Expr *> operands) {
    return tree.operation(op, types::intp(), operands, span);
  };
  const auto isConstantlyOpen = [&](typed::Expr *extent) { return constantInteger(*extent) == -1; };
  const auto open = std::ranges::count_if(extents, isConstantlyOpen);
  if (open > 1)
    tree.failTyping(span, "only one extent can be -1");
  auto mayBeOpen = [&](typed::Expr *extent) {
    return isConstantlyOpen(extent) || (open == 0 && !constantInteger(*extent));
  };
  auto isOpen = [&](typed::Expr *extent) { return tree.test(Operation::Eq, {tree.clone(extent), integer(-1)}, span); };
  auto orOther = [&](typed::Expr *extent, typed::Expr *other) {
    return operation(Operation::Select, {isOpen(extent), other, tree.clone(extent)});
  };
  typed::Expr *product = integer(1);
  for (typed::Expr *&extent : extents) {
    extent = tree.materialize(tree.convert(access.checkedIndex(extent, extent->span), types::intp()));
    product =
        operation(Operation::Mul, {product, mayBeOpen(extent) ? orOther(extent, integer(1)) : tree.clone(extent)});
  }
  if (std::ranges::none_of(extents, mayBeOpen))
    return extents;
  product = operation(Operation::Max, {product, integer(1)});
  // Divisions are slow: only if one of the extents is open.
  typed::Expr *isAnyOpen = tree.boolean(open > 0, span);
  for (typed::Expr *extent : extents)
    if (open == 0 && mayBeOpen(extent))
      isAnyOpen = tree.test(Operation::BitOr, {isAnyOpen, isOpen(extent)}, span);
  typed::Expr *left =
      tree.materialize(tree.conditional(isAnyOpen, operation(Operation::FloorDiv, {size, product}), integer(0), span));
  for (typed::Expr *&extent : extents)
    if (mayBeOpen(extent))
      extent = tree.materialize(orOther(extent, tree.clone(left)));
  return extents;
}

/// `array`: may be read several times.
/// Debug kernels compare the product of the extents with the size; others trust it.
typed::Expr *ArrayCalls::reshaped(typed::Expr *array, const Items &extents, SourceSpan span) {
  const Type *type = array->type;
  typed::Expr *product = tree.index(1, span);
  for (typed::Expr *extent : extents)
    product = tree.operation(Operation::Mul, types::intp(), {product, tree.clone(extent)}, span);
  typed::Expr *size = tree.attribute(tree.clone(array), typed::ArrayAttribute::Size, 0, span);
  tree.raiseWhere(tree.test(Operation::Ne, {product, size}, span),
                  "an array cannot be reshaped to other elements than it has", span);
  std::vector<typed::ViewAxis> axes;
  for (typed::Expr *extent : extents)
    axes.push_back({typed::ViewAxis::Kind::Index, extent, nullptr, nullptr});
  const Type *view = types::array(
      type->element(), {unsigned(axes.size()), Layout::C, type->isReadOnly(), type->space(), type->isUnaligned()});
  return tree.view(view, typed::ViewKind::Reshape, array, axes);
}

/// `a.reshape(2, 3)`, `a.reshape((2, 3))`, `np.reshape(a, (2, 3))`.
typed::Expr *ArrayCalls::callReshape(const Builtin &row, const Arguments &arguments) {
  typed::Expr *array = tree.unwrap(arguments.positional[0]);
  checkPacked(*array, "reshape()");
  Items extents(arguments.positional.begin() + 1, arguments.positional.end());
  return tree.inBlock(arguments.span, [&] {
    array = tree.spill(array);
    if (extents.size() == 1 && extents[0]->type->isPlainTuple())
      extents = tree.itemsOf(extents[0]);
    if (extents.empty() || extents.size() > 8)
      failArgument(tree, row, *arguments.positional[1], "1 to 8 extents");
    typed::Expr *size = tree.attribute(tree.clone(array), typed::ArrayAttribute::Size, 0, arguments.span);
    return reshaped(array, knownExtents(extents, size, arguments.span), arguments.span);
  });
}

/// `a.ravel()`, `a.flatten()`, `a.flat`, `np.nditer(a)`: a view where the elements lie in C order without gaps,
/// otherwise a computed array, which for `flat` can be assigned. An array with one axis is its own answer.
typed::Expr *ArrayCalls::flat(typed::Expr *array, std::string_view what, SourceSpan span) {
  const bool isExpression = array->type->is(Series::Elementwise);
  if (array->type->isArray() && array->type->ndim() == 1)
    return array;
  if (what != "nditer()" && (isExpression || (array->type->isArray() && array->type->layout() != Layout::C)))
    return computedFlat(what == "flat" ? what : "ravel", array, span);
  checkPacked(*array, what);
  return tree.inBlock(span, [&] {
    array = tree.spill(array);
    return reshaped(array, {tree.materialize(tree.attribute(tree.clone(array), typed::ArrayAttribute::Size, 0, span))},
                    span);
  });
}

/// The name of the function is that of the method, for messages.
typed::Expr *ArrayCalls::callRavel(const Builtin &row, const Arguments &arguments) {
  const std::string_view name = row.key.substr(row.key.find('.') + 1);
  return flat(tree.unwrap(arguments.positional[0]), std::string(name) + "()", arguments.span);
}

/// C order becomes Fortran order if all axes are reversed, and stays what it is if none moves; other orders have gaps
/// as far as types know.
typed::Expr *ArrayCalls::transposed(typed::Expr *array, const std::vector<int64_t> &axes) {
  const Type *type = array->type;
  const auto isAt = [&](bool fromEnd) {
    for (size_t axis = 0; axis < axes.size(); ++axis)
      if (axes[axis] != int64_t(fromEnd ? axes.size() - 1 - axis : axis))
        return false;
    return true;
  };
  Layout layout = type->layout();
  if (layout != Layout::Any && !isAt(false))
    layout = !isAt(true) ? Layout::Any : layout == Layout::C ? Layout::F : Layout::C;
  if (layout != Layout::Any && axes.empty() && type->ndim() > 1)
    layout = layout == Layout::C ? Layout::F : Layout::C;
  std::vector<typed::ViewAxis> order;
  for (const int64_t axis : axes)
    order.push_back({typed::ViewAxis::Kind::Index, tree.index(axis, array->span), nullptr, nullptr});
  return tree.view(types::viewOf(type, type->ndim(), layout), typed::ViewKind::Transpose, array, order);
}

/// The axis order as NumPy's transpose() accepts it: each axis once; negative ones count from the end.
/// Constants, as the layout and what index belongs to which axis are known while compiling.
std::vector<int64_t> ArrayCalls::orderOfAxes(const Builtin &row, const typed::Expr &array, const Items &given) {
  const int64_t ndim = array.type->ndim();
  std::vector<int64_t> order;
  uint64_t seen = 0;
  for (const typed::Expr *one : given) {
    const std::optional<int64_t> axis = constantInteger(*one);
    if (!axis)
      tree.fail(one->span, {.kind = CompileErrorKind::Typing,
                            .message = "the axes of " + std::string(row.key) + "() must be known while compiling",
                            .found = one->type->name(),
                            .expected = "integers",
                            .needsConstant = true});
    order.push_back(*axis < 0 ? *axis + ndim : *axis);
    const bool isAxis = order.back() >= 0 && order.back() < ndim;
    if (!isAxis || (seen >> order.back() & 1))
      tree.failTyping(one->span,
                      fmt::format("the axes of {}() must be those of the array, each of them once: {}{}", row.key,
                                  *axis, isAxis ? " is repeated" : " is none of " + counted(ndim, "axis")));
    seen |= uint64_t(1) << order.back();
  }
  if (int64_t(order.size()) != ndim)
    tree.failTyping(array.span, "the axes of " + std::string(row.key) + "() must be as many as the array has",
                    "name " + counted(ndim, "axis") + ", or none");
  return order;
}

/// `a.transpose()`, `a.transpose(None)`, `a.transpose(1, 0)`, `a.transpose((1, 0))`.
typed::Expr *ArrayCalls::callTranspose(const Builtin &row, const Arguments &arguments) {
  Items given = arguments.positional;
  typed::Expr *array = tree.unwrap(given[0]);
  if (!array->type->isArray())
    failArgument(tree, row, *array, "an array");
  given.erase(given.begin());
  return tree.inBlock(arguments.span, [&] {
    if (given.size() == 1 && given[0]->type->isPlainTuple())
      given = tree.itemsOf(given[0]);
    else if (given.size() == 1 && given[0]->type->isNone())
      given.clear();
    const bool isReversed = given.empty() && (arguments.positional.size() == 1 || array->type->ndim() > 0);
    return transposed(array, isReversed ? std::vector<int64_t>() : orderOfAxes(row, *array, given));
  });
}

/// Elements of another size, along a contiguous last axis. A remainder that is not a whole element is dropped.
/// `a.view(np.uint8)` of float32: the last extent becomes 4 times as large, others stay. What NumPy finds out from the
/// array, whether the last axis has no gaps, is checked by debug kernels; others see no elements rather than wrong
/// ones. Larger elements may then lie at any address, which is noted in the type (isUnaligned).
typed::Expr *ArrayCalls::resized(typed::Expr *array, const Type *element, SourceSpan span) {
  using typed::ArrayAttribute;
  const Type *type = array->type;
  const unsigned before = type->element()->bytes(), after = element->bytes();
  const int32_t last = int32_t(type->ndim()) - 1;
  const auto number = [&](int64_t value) { return tree.index(value, span); };
  const auto operation = [&](Operation op, typed::Expr *left, typed::Expr *right) {
    return tree.operation(op, types::intp(), {left, right}, span);
  };
  const auto test = [&](Operation op, typed::Expr *left, typed::Expr *right) {
    return tree.test(op, {left, right}, span);
  };
  return tree.inBlock(span, [&] {
    array = tree.spill(array);
    typed::Expr *bytes =
        tree.materialize(operation(Operation::Mul, access.extentOf(*array, unsigned(last), span), number(before)));
    typed::Expr *count = operation(Operation::FloorDiv, tree.clone(bytes), number(after));
    tree.raiseWhere(test(Operation::Ne, operation(Operation::Mod, tree.clone(bytes), number(after)), number(0)),
                    "the bytes of the last axis must be a multiple of the size of the new elements", span);
    if (type->layout() != Layout::C) {
      typed::Expr *stride = tree.attribute(tree.clone(array), ArrayAttribute::Strides, last, span);
      typed::Expr *isWhole = test(Operation::BitOr, test(Operation::Eq, stride, number(before)),
                                  test(Operation::Le, tree.clone(bytes), number(before)));
      isWhole = tree.materialize(isWhole);
      tree.raiseWhere(tree.test(Operation::Not, {tree.clone(isWhole)}, span),
                      "to elements of another size, the last axis must have no gaps", span);
      count = tree.operation(
          Operation::Select, types::intp(),
          {tree.clone(isWhole), operation(Operation::FloorDiv, tree.clone(bytes), number(after)), number(0)}, span);
    }
    const bool isUnaligned = type->isUnaligned() || element->alignment() > type->element()->alignment();
    const Layout layout = type->layout() == Layout::F && type->ndim() > 1 ? Layout::Any : type->layout();
    return tree.view(types::array(element, {type->ndim(), layout, type->isReadOnly(), type->space(), isUnaligned}),
                     typed::ViewKind::Retype, array, {{typed::ViewAxis::Kind::Index, count, nullptr, nullptr}});
  });
}

/// Elements of the same size need no check and may be in any layout. Local arrays have no views with elements of
/// another size.
typed::Expr *ArrayCalls::callRetype(const Builtin &row, const Arguments &arguments) {
  typed::Expr *array = tree.unwrap(arguments.positional[0]);
  const Type *type = array->type, *element = elementType(*arguments.positional[1], row);
  if (!type->isArray())
    failArgument(tree, row, *array, "an array");
  if (!type->element()->isNumber() || !element->isNumber())
    failArgument(tree, row, *arguments.positional[1], "a number type, for an array of numbers");
  if (type->element()->bytes() == element->bytes())
    return tree.view(
        types::array(element, {type->ndim(), type->layout(), type->isReadOnly(), type->space(), type->isUnaligned()}),
        typed::ViewKind::Axes, array, {});
  if (type->ndim() == 0 || type->space() == Space::Local)
    failArgument(tree, row, *arguments.positional[1],
                 "a number type of " + counted(type->element()->bytes(), "byte") + ", as the elements of this " +
                     (type->ndim() == 0 ? "array without axes have" : "local array have"));
  return resized(array, element, arguments.span);
}

/// Not if its error is reported anyway.
/// A constant shape is a local array, as with cuda.local.array. What is no integer is sent there, too, for its error.
bool ArrayCalls::isKnownShape(const typed::Expr &shape) const {
  const auto isKnown = [&](const typed::Expr &extent) { return constantInteger(extent) || !extent.type->isInt(); };
  if (shape.kind == typed::ExprKind::Tuple)
    return std::ranges::all_of(shape.as<typed::Tuple>().items, [&](const auto *item) { return isKnown(*item); });
  return isKnown(shape) && !(shape.type->isPlainTuple() && shape.type->isUniTuple() && shape.type->items()[0]->isInt());
}

/// An array whose extents are known only at run time, uninitialised.
/// Refused at first: the error asks for constants, and only if those do not help, a function is compiled with a heap
/// (Functions::instanceOf). The number of elements saturates, so that a size that overflows is not taken for a small
/// one, and finds no memory.
typed::Expr *ArrayCalls::heapArray(const Builtin &row, typed::Expr *shape, const Type *element) {
  const SourceSpan span = shape->span;
  if (!allowsHeap)
    tree.fail(span, {.kind = CompileErrorKind::Typing,
                     .message = "the shape of " + std::string(row.key) + "() is not constant",
                     .found = "a value known only at run time",
                     .needsConstant = true,
                     .needsHeap = true});
  auto integer = [&](int64_t value) { return tree.index(value, span); };
  auto operation = [&](Operation op, std::initializer_list<typed::Expr *> operands) {
    return tree.operation(op, types::intp(), operands, span);
  };
  Items extents = shape->type->isPlainTuple() ? tree.itemsOf(shape) : Items{shape};
  // More than any memory holds, but few enough that their bytes do not overflow.
  const int64_t most = (int64_t(1) << 62) / element->bytes();
  typed::Expr *count = integer(1);
  for (typed::Expr *&extent : extents) {
    extent = tree.materialize(tree.convert(access.checkedIndex(extent, extent->span), types::intp()));
    tree.raiseWhere(tree.test(Operation::Lt, {tree.clone(extent), integer(0)}, span),
                    "negative dimensions are not allowed", span);
    extent = tree.materialize(operation(Operation::Max, {extent, integer(0)}));
    typed::Expr *room =
        operation(Operation::FloorDiv, {integer(most), operation(Operation::Max, {tree.clone(extent), integer(1)})});
    count = tree.materialize(count);
    typed::Expr *isTooMany = tree.test(Operation::Gt, {tree.clone(count), room}, span);
    typed::Expr *product = operation(Operation::Mul, {tree.clone(count), tree.clone(extent)});
    count = tree.materialize(operation(Operation::Select, {isTooMany, integer(most), product}));
  }
  tree.phase()->noted().hasHeapArrays = true;
  tree.phase()->noted().arrays.push_back({0, span, false});
  const Type *flat = types::array(element, {1, Layout::C, false, Space::Global});
  typed::Expr *array = tree.memory().make<typed::HeapArray>(typed::Expr{typed::ExprKind::HeapArray, flat, span},
                                                            tree.phase()->nextAllocation(), count);
  if (extents.size() == 1)
    return array;
  std::vector<typed::ViewAxis> axes;
  for (typed::Expr *extent : extents)
    axes.push_back({typed::ViewAxis::Kind::Index, extent, nullptr, nullptr});
  return tree.view(types::array(element, {unsigned(axes.size()), Layout::C, false, Space::Global}),
                   typed::ViewKind::Reshape, array, axes);
}

/// One array per place in the source, like cuda.local.array, refilled each time the thread gets there.
/// `np.full(shape, value)` has the value's type, the others float64, as in NumPy. The value is evaluated before the
/// array is made, and converted for each element by the rules of assignments.
typed::Expr *ArrayCalls::callNewArray(const Builtin &row, const Arguments &arguments) {
  const SourceSpan span = arguments.span;
  const bool isFull = row.key == "numpy.full";
  const size_t place = isFull ? 2 : 1;
  typed::Expr *value = isFull                     ? tree.unwrap(arguments.positional[1])
                       : row.key == "numpy.zeros" ? tree.integer(types::int64(), 0, span)
                       : row.key == "numpy.ones"  ? tree.integer(types::int64(), 1, span)
                                                  : nullptr;
  typed::Expr *dtype = arguments.positional.size() > place ? arguments.positional[place] : nullptr;
  if (!dtype)
    dtype = tree.unit(types::typeObject(isFull ? value->type : types::float64()), span);
  const Arguments shaped{{arguments.positional[0], dtype}, {}, arguments.call, span};
  return tree.inBlock(span, [&] {
    if (value)
      value = tree.materialize(value);
    typed::Expr *array = isKnownShape(*shaped.positional[0])
                             ? callArray(row, shaped)
                             : heapArray(row, shaped.positional[0], elementType(*dtype, row));
    if (array->kind == typed::ExprKind::Allocation)
      array->as<typed::Allocation>().isNew = true;
    if (!value)
      return array;
    // One loop over all elements, of which there may be none, however long the first axis is.
    typed::Expr *&filled = array->kind == typed::ExprKind::View ? array->as<typed::View>().array : array;
    filled = tree.spill(filled);
    tree.phase()->storeElements(tree.clone(filled), value, span);
    return array;
  });
}

/// Whether the new array has a constant shape, independent of how far typing has progressed.
/// Solving takes any extents for known (ConstantExtents::of), so that this is decided by kinds of expressions and of
/// memory: otherwise the type, local or global memory, might differ between the phases.
bool ArrayCalls::isOfKnownShape(const typed::Expr &like) {
  if (like.kind == typed::ExprKind::View)
    return isOfKnownShape(*like.as<typed::View>().array);
  if (like.type->isArray())
    return like.kind == typed::ExprKind::Captured || like.type->space() == Space::Local ||
           like.type->space() == Space::Shared;
  return like.kind == typed::ExprKind::Tuple &&
         std::ranges::all_of(like.as<typed::Tuple>().items, [](const typed::Expr *operand) {
           return axesOf(*operand->type) == 0 || isOfKnownShape(*operand);
         });
}

/// np.zeros_like() and the like: thread-local arrays if the shape is constant.
/// The shape of a captured, local or shared array is known; of others each extent is read at run time, and the new
/// array is on the heap. The rest is np.zeros() with that shape.
typed::Expr *ArrayCalls::callNewArrayLike(const Builtin &row, const Arguments &arguments) {
  typed::Expr *like = tree.unwrap(arguments.positional[0]);
  const SourceSpan span = arguments.span;
  const bool isExpression = like->type->is(Series::Elementwise);
  if (!like->type->isArray() && !isExpression)
    failArgument(tree, row, *like, "an array");
  const bool isKnown = isOfKnownShape(*like);
  const Extents extents = isKnown ? whole.constantExtents(*like) : std::nullopt;
  if (isKnown && !extents)
    tree.fail(like->span, {.kind = CompileErrorKind::Typing,
                           .message = std::string(row.key) + "() needs a local or shared array of known shape",
                           .found = like->type->name() + ", whose extents are known only at run time",
                           .expected = "a variable that is assigned once",
                           .remedy = "write the shape into " + std::string(row.key.substr(0, row.key.size() - 5)) +
                                     "((2, 3), dtype)"});
  if (!isKnown)
    like = like->type->isArray() ? tree.materialize(like) : sequences.settledSeries(like);
  const size_t place = row.key == "numpy.full_like" ? 2 : 1;
  Arguments same = arguments;
  Items shape;
  for (unsigned axis = 0; axis < axesOf(*like->type); ++axis)
    shape.push_back(extents ? tree.integer(types::int64(), (*extents)[axis], span)
                            : tree.materialize(sequences.broadcastExtent(*like, axis, axesOf(*like->type), span)));
  same.positional[0] = tree.makeTuple(shape, span);
  if (same.positional.size() <= place || same.positional[place]->type->isNone()) {
    same.positional.resize(place);
    const Type *element = isExpression ? sequences.elementTypeOf(*like->type, span) : like->type->element();
    same.positional.push_back(tree.unit(types::typeObject(element), span));
  }
  return callNewArray(*findBuiltin(row.key.substr(0, row.key.size() - 5)), same);
}

} // namespace treadle

// Shared, local and constant arrays; element types; computed arrays.
// The shape in `cuda.shared.array((16, 16), float32)` must be known: such arrays are allocated when the code is
// generated. Each call in the source is one array, also where it stands in a loop.
#include "infer/calls/array_calls.h"
#include "infer/tree/advice.h"

#include <bit>
#include <fmt/core.h>

namespace treadle {

/// NumPy's integers are refused as extents, although their value is known: `int(n)` outside of the kernel is one of
/// Python's.
std::vector<int64_t> ArrayCalls::constantShape(const typed::Expr &shape, const Builtin &row) {
  auto failShape = [&](std::string message, std::string found, std::string remedy, bool needsConstant = false) {
    tree.fail(shape.span, {.kind = CompileErrorKind::Typing,
                           .message = std::move(message),
                           .found = std::move(found),
                           .expected = "an integer or a tuple of integers, known while compiling",
                           .remedy = std::move(remedy),
                           .needsConstant = needsConstant});
  };
  Items axes;
  if (shape.kind == typed::ExprKind::Tuple)
    axes.assign(shape.as<typed::Tuple>().items.begin(), shape.as<typed::Tuple>().items.end());
  else
    axes.push_back(const_cast<typed::Expr *>(&shape));
  std::vector<int64_t> extents;
  for (const typed::Expr *axis : axes) {
    const std::optional<int64_t> extent = constantInteger(*axis);
    const std::string what = "the shape of " + std::string(row.key) + "()";
    if (extent && axis->as<typed::Const>().isNumpy)
      failShape(what + " must consist of Python's ints", fmt::format("a NumPy integer, {}", *extent),
                "make it an int outside of the kernel: int(n)");
    if (!extent && axis->type->isInt())
      failShape(what + " is not constant", "a value known only at run time",
                "use a literal, a global or captured number, or a local bound once to one", true);
    if (!extent)
      failShape(what + " must consist of integers", axis->type->name(), {}, axis->type->isTuple());
    if (*extent < 0)
      failShape(what + " must not be negative", std::to_string(*extent), {});
    extents.push_back(*extent);
  }
  if (extents.empty() || extents.size() > 8)
    failShape("the shape of " + std::string(row.key) + "() must have 1 to 8 axes", counted(extents.size(), "axis"), {});
  return extents;
}

/// nullptr if the text names no type.
/// `"f4"`, `"<i8"`: Python asks NumPy, whose names these are.
const Type *ArrayCalls::namedElementType(const typed::Expr &text) {
  const CapturedValue named = compilation.names().dtypeNamed(text.type->text());
  if (named.problem.empty())
    return named.type;
  tree.fail(text.span,
            {.kind = CompileErrorKind::Typing, .message = named.problem, .found = quoted(text.type->text())});
}

/// `float32`, `np.float32`, a structured dtype, `"f4"`, or Python's `float` and `int`.
const Type *ArrayCalls::elementType(const typed::Expr &dtype, const Builtin &row) {
  const Type *type = nullptr;
  if (dtype.type->is(TypeKind::TypeObject))
    type = dtype.type->element();
  else if (dtype.type->is(TypeKind::String))
    type = namedElementType(dtype);
  else if (dtype.type->is(TypeKind::Builtin)) {
    // Python's own types denote the dtypes that NumPy maps them to.
    const std::string_view key = dtype.type->text();
    type = key == "float"     ? types::float64()
           : key == "int"     ? types::int64()
           : key == "bool"    ? types::boolean()
           : key == "complex" ? types::complex128()
                              : nullptr;
  }
  if (type && type->isElement())
    return type;
  const bool isText = dtype.type->is(TypeKind::String);
  const std::string closest(isText ? closestName(dtype.type->text(), {std::begin(numberTypes), std::end(numberTypes)})
                                   : "");
  tree.fail(dtype.span, {.kind = CompileErrorKind::Typing,
                         .message = "the dtype of " + std::string(row.key) + "() must be a type",
                         .found = dtype.type->is(TypeKind::String) ? quoted(dtype.type->text()) : dtype.type->name(),
                         .expected = "a number type, such as float32, or a structured dtype",
                         .remedy = closest.empty() ? "" : "did you mean " + quoted(closest) + "?"});
}

/// The third argument of cuda.local.array and cuda.shared.array.
uint32_t ArrayCalls::alignmentOf(const typed::Expr &alignment) {
  if (alignment.type->isNone())
    return 0;
  const std::optional<int64_t> bytes = constantInteger(alignment);
  if (bytes && *bytes > 0 && *bytes <= 512 && std::has_single_bit(uint64_t(*bytes)))
    return uint32_t(*bytes);
  tree.fail(alignment.span, {.kind = CompileErrorKind::Typing,
                             .message = "an alignment must be a power of two",
                             .found = bytes ? std::to_string(*bytes) : alignment.type->name(),
                             .expected = "1 to 512 bytes, known while compiling",
                             .needsConstant = !bytes && alignment.type->isInt()});
}

/// The shape 0 alone is dynamic shared memory: its size comes with the launch, and all such arrays begin at the same
/// byte.
typed::Expr *ArrayCalls::callArray(const Builtin &row, const Arguments &arguments) {
  const Items &given = arguments.positional;
  const bool isShared = row.rule == BuiltinRule::SharedArray;
  const std::vector<int64_t> shape = constantShape(*given[0], row);
  const Type *element = elementType(*given[1], row);
  const uint32_t alignment = given.size() == 3 ? alignmentOf(*given[2]) : 0;
  int64_t bytes = element->bytes();
  const bool isDynamic = isShared && shape.size() == 1 && shape[0] == 0;
  for (int64_t extent : shape) {
    if (extent == 0 && !isDynamic)
      tree.fail(given[0]->span,
                {.kind = CompileErrorKind::Value,
                 .message = std::string(row.key) + "() needs extents above 0",
                 .found = "0",
                 .expected = isShared ? "1 or more, or the shape 0 alone: what the launch gives" : "1 or more"});
    // A size over every limit is capped to avoid overflow; checkMemoryLimits rejects it.
    bytes = extent > (int64_t(1) << 40) / bytes ? int64_t(1) << 40 : bytes * extent;
  }
  tree.phase()->noted().arrays.push_back({bytes, given[0]->span, isShared});
  tree.phase()->noted().hasSharedMemory |= isShared;
  const Type *type =
      types::array(element, {unsigned(shape.size()), Layout::C, false, isShared ? Space::Shared : Space::Local});
  return tree.memory().make<typed::Allocation>(typed::Expr{typed::ExprKind::Allocation, type, arguments.span},
                                               tree.phase()->nextAllocation(), tree.memory().list(shape), alignment);
}

/// Captured host arrays are in constant memory already.
/// `cuda.const.array_like(table)` is the array itself.
typed::Expr *ArrayCalls::callConstArray(const Builtin &row, const Arguments &arguments) {
  typed::Expr *array = arguments.positional[0];
  if (array->kind == typed::ExprKind::Captured)
    return array;
  tree.fail(array->span,
            {.kind = CompileErrorKind::Typing,
             .message = std::string(row.key) + "() needs an array whose contents are known while compiling",
             .found = array->type->name(),
             .expected = "a NumPy array that is a global or a captured variable",
             .remedy = "name the array itself, not a parameter or a variable that holds it"});
}

/// `np.dtype("f4")`, as a constant.
typed::Expr *ArrayCalls::callDType(const Builtin &row, const Arguments &arguments) {
  return tree.unit(types::typeObject(elementType(*arguments.positional[0], row)), arguments.span);
}

/// library.axis(axis, ndim), for what the user has given as an axis.
/// `a.sum(axis=-1)`. The error is shown at the user's call, whose axis it is about (isOfCall).
typed::Expr *ArrayCalls::callAxis(const Builtin &, const Arguments &arguments) {
  const typed::Expr &given = *arguments.positional[0];
  const std::optional<int64_t> axis = constantInteger(given);
  const int64_t ndim = constantInteger(*arguments.positional[1]).value_or(0);
  if (axis && *axis >= -ndim && *axis < ndim)
    return tree.index(*axis < 0 ? *axis + ndim : *axis, arguments.span);
  Diagnostic diagnostic;
  diagnostic.message =
      axis ? fmt::format("axis {} is out of bounds for an array with {}{}", *axis, ndim, ndim == 1 ? " axis" : " axes")
      : given.type->isInt() ? "the axis is not known while compiling"
                            : "the axis must be one integer";
  diagnostic.expected = axis && ndim > 0 ? fmt::format("{} to {}", -ndim, ndim - 1)
                        : axis           ? ""
                                         : "a literal, or a variable or parameter that is bound to one";
  diagnostic.found = axis ? fmt::format("axis {}", *axis) : given.type->name();
  diagnostic.remedy = axis && ndim == 1 ? "leave the axis out, or pass an array with more axes" : "";
  diagnostic.needsConstant = !axis && given.type->isInt();
  diagnostic.span = arguments.span;
  diagnostic.source = tree.source;
  diagnostic.isOfCall = true;
  throw CompileError(std::move(diagnostic));
}

/// library.computed(name, reach, shape, operands...)
/// How the library makes an array expression: its shape is computed now, its elements when they are stored or summed
/// up.
typed::Expr *ArrayCalls::callComputed(const Builtin &row, const Arguments &arguments) {
  Items parts(arguments.positional.begin() + 2, arguments.positional.end());
  for (const size_t text : {0, 1})
    if (!arguments.positional[text]->type->is(TypeKind::String))
      failArgument(tree, row, *arguments.positional[text], "a text");
  const size_t axes = parts[0]->type->isPlainTuple() ? parts[0]->type->items().size() : 0;
  if (axes < 1 || axes > 8)
    failArgument(tree, row, *parts[0], "a shape of 1 to 8 axes");
  parts[0] = tree.convert(parts[0], types::uniTuple(types::intp(), unsigned(axes)));
  return sequences.computed(arguments.positional[0]->type->text(), arguments.positional[1]->type->text(), parts,
                            arguments.span);
}

/// All elements in C order of an array that is not in that order, or of an array expression; `name` says whether they
/// can be assigned.
/// With one axis each element is read at its own place, otherwise anywhere: what aliasing needs to know.
typed::Expr *ArrayCalls::computedFlat(std::string_view name, typed::Expr *array, SourceSpan span) {
  return tree.inBlock(span, [&] {
    array = sequences.settledSeries(array);
    const unsigned ndim = axesOf(*array->type);
    typed::Expr *size = tree.index(1, span);
    for (unsigned axis = 0; axis < ndim; ++axis)
      size = tree.operation(Operation::Mul, types::intp(), {size, sequences.broadcastExtent(*array, axis, ndim, span)},
                            span);
    return sequences.computed(name, ndim == 1 ? "own" : "anywhere",
                              {tree.makeTuple({tree.materialize(size)}, span), array}, span);
  });
}

} // namespace treadle

// Calls of builtins: threads, shared and local arrays, atomics, print.
#include "infer/builtin_rules.h"

#include <bit>

namespace treadle {

typed::Expr *BuiltinRules::callGrid(const Builtin &row, const Arguments &arguments) {
  const std::optional<int64_t> count = constantInteger(*arguments.positional[0]);
  if (!count || *count < 1 || *count > 3) {
    fail(arguments.positional[0]->span,
         {.kind = CompileErrorKind::Typing,
          .message = std::string(row.key) + "() needs the number of axes",
          .found = count ? std::to_string(*count) : arguments.positional[0]->type->name(),
          .expected = "1, 2 or 3, known while compiling",
          .remedy = {},
          .needsConstant = !count && arguments.positional[0]->type->isInt()});
  }
  Items axes;
  for (unsigned axis = 0; axis < *count; ++axis)
    axes.push_back(
        nodes.operation(operationOf({std::get<Position>(row.code), axis}), types::int64(), {}, arguments.span));
  if (*count == 1)
    return axes[0];
  return nodes.tuple(types::uniTuple(types::int64(), unsigned(*count)), axes, arguments.span);
}

std::vector<int64_t> BuiltinRules::constantShape(const typed::Expr &shape, const Builtin &row) {
  auto failShape = [&](std::string message, std::string found, std::string remedy, bool needsConstant = false) {
    fail(shape.span, {.kind = CompileErrorKind::Typing,
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
      failShape(what + " must consist of Python's ints", "a NumPy integer, " + std::to_string(*extent),
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
const Type *BuiltinRules::namedElementType(const typed::Expr &text) {
  const CapturedValue named = compilation.names().dtypeNamed(text.type->text());
  if (named.problem.empty())
    return named.type;
  fail(text.span, {.kind = CompileErrorKind::Typing,
                   .message = named.problem,
                   .found = quoted(text.type->text()),
                   .expected = {},
                   .remedy = {}});
}

const Type *BuiltinRules::elementType(const typed::Expr &dtype, const Builtin &row) {
  const Type *type = nullptr;
  if (dtype.type->is(TypeKind::TypeObject))
    type = dtype.type->element();
  else if (dtype.type->is(TypeKind::String))
    type = namedElementType(dtype);
  else if (dtype.type->is(TypeKind::Builtin)) {
    // Python's own types mean the dtypes that NumPy takes them for.
    const std::string_view key = dtype.type->text();
    type = key == "float"     ? types::float64()
           : key == "int"     ? types::int64()
           : key == "bool"    ? types::boolean()
           : key == "complex" ? types::complex128()
                              : nullptr;
  }
  if (type && type->isElement())
    return type;
  fail(dtype.span, {.kind = CompileErrorKind::Typing,
                    .message = "the dtype of " + std::string(row.key) + "() must be a type",
                    .found = dtype.type->is(TypeKind::String) ? quoted(dtype.type->text()) : dtype.type->name(),
                    .expected = "a number type, such as float32, or a structured dtype",
                    .remedy = {}});
}

uint32_t BuiltinRules::alignmentOf(const typed::Expr &alignment) {
  if (alignment.type->isNone())
    return 0;
  const std::optional<int64_t> bytes = constantInteger(alignment);
  if (bytes && *bytes > 0 && *bytes <= 512 && std::has_single_bit(uint64_t(*bytes)))
    return uint32_t(*bytes);
  fail(alignment.span, {.kind = CompileErrorKind::Typing,
                        .message = "an alignment must be a power of two",
                        .found = bytes ? std::to_string(*bytes) : alignment.type->name(),
                        .expected = "1 to 512 bytes, known while compiling",
                        .remedy = {},
                        .needsConstant = !bytes && alignment.type->isInt()});
}

typed::Expr *BuiltinRules::callArray(const Builtin &row, const Arguments &arguments) {
  const Items &given = arguments.positional;
  const bool isShared = row.rule == BuiltinRule::SharedArray;
  const std::vector<int64_t> shape = constantShape(*given[0], row);
  const Type *element = elementType(*given[1], row);
  const uint32_t alignment = given.size() == 3 ? alignmentOf(*given[2]) : 0;
  int64_t bytes = element->bytes();
  const bool isDynamic = isShared && shape.size() == 1 && shape[0] == 0;
  for (int64_t extent : shape) {
    if (extent == 0 && !isDynamic)
      fail(given[0]->span,
           {.kind = CompileErrorKind::Value,
            .message = std::string(row.key) + "() needs extents above 0",
            .found = "0",
            .expected = isShared ? "1 or more, or the shape 0 alone: what the launch gives" : "1 or more",
            .remedy = {}});
    // A size over every limit is capped to avoid overflow; checkMemoryLimits refuses it.
    bytes = extent > (int64_t(1) << 40) / bytes ? int64_t(1) << 40 : bytes * extent;
  }
  phase->noted().arrays.push_back({bytes, given[0]->span, isShared});
  phase->noted().hasSharedMemory |= isShared;
  const Type *type =
      types::array(element, {unsigned(shape.size()), Layout::C, false, isShared ? Space::Shared : Space::Local});
  return nodes.memory().make<typed::Allocation>(typed::Expr{typed::ExprKind::Allocation, type, arguments.span},
                                                phase->nextAllocation(), nodes.memory().list(shape), alignment);
}

/// Captured host arrays are in constant memory already.
typed::Expr *BuiltinRules::callConstArray(const Builtin &row, const Arguments &arguments) {
  typed::Expr *array = arguments.positional[0];
  if (array->kind == typed::ExprKind::Captured)
    return array;
  fail(array->span, {.kind = CompileErrorKind::Typing,
                     .message = std::string(row.key) + "() needs an array whose contents are known while compiling",
                     .found = array->type->name(),
                     .expected = "a NumPy array that is a global or a captured variable",
                     .remedy = "name the array itself, not a parameter or a variable that holds it"});
}

/// The arrays that an atomic operation works on; "" if `element` is suitable.
static std::string_view unsuitableElement(AtomicOperation op, const Type *element) {
  const bool hasWidth = element->isNumber() && !element->isComplex() && element->bits() >= 32;
  switch (op) {
  case AtomicOperation::Inc:
  case AtomicOperation::Dec:
    return hasWidth && element->isInt() && !element->isSigned() ? "" : "an array of uint32 or uint64";
  case AtomicOperation::And:
  case AtomicOperation::Or:
  case AtomicOperation::Xor:
  case AtomicOperation::Exchange:
  case AtomicOperation::CompareAndSwap:
    return hasWidth && element->isInt() ? "" : "an array of int32, uint32, int64 or uint64";
  default:
    return hasWidth || element == types::float16()
               ? ""
               : "an array of int32, uint32, int64, uint64, float16, float32 or float64";
  }
}

typed::Indexed BuiltinRules::atomicPlace(const Builtin &row, const Arguments &arguments) {
  typed::Expr *array = arguments.positional[0];
  if (!array->type->isArray())
    failArgument(row, *array, "an array");
  checkStorable(*array, array->span);
  if (const std::string_view wanted = unsuitableElement(std::get<AtomicOperation>(row.code), array->type->element());
      !wanted.empty())
    failArgument(row, *array, std::string(wanted));
  if (array->type->isUnaligned())
    fail(array->span, {.kind = CompileErrorKind::Typing,
                       .message = std::string(row.key) + "() needs elements that are aligned",
                       .found = array->type->name(),
                       .expected = "a field at a multiple of its size in every record",
                       .remedy = "make the dtype with align=True"});
  Items indices;
  const bool isFirst = row.rule == BuiltinRule::AtomicFirst;
  typed::Expr *place = isFirst ? nodes.integer(types::intp(), 0, arguments.span) : arguments.positional[1];
  if (place->type->isPlainTuple())
    for (typed::Expr *index : itemsOf(place))
      indices.push_back(checkedIndex(index, place->span));
  else
    indices.push_back(checkedIndex(place, place->span));
  mergeRowView(array, indices);
  if (indices.size() != array->type->ndim()) {
    fail(place->span, {.kind = CompileErrorKind::Typing,
                       .message = std::string(row.key) + "() needs one index for each axis",
                       .found = std::to_string(indices.size()),
                       .expected = std::to_string(array->type->ndim()) + ", for " + array->type->name(),
                       .remedy = array->type->ndim() > 1 && !isFirst ? "write a tuple: (i, j)" : ""});
  }
  return {array, nodes.memory().list(indices)};
}

typed::Expr *BuiltinRules::callAtomic(const Builtin &row, const Arguments &arguments) {
  const auto op = std::get<AtomicOperation>(row.code);
  const typed::Indexed place = atomicPlace(row, arguments);
  const Type *element = place.array->type->element();
  auto operand = [&](size_t fromEnd) {
    return convertFor(arguments.positional[arguments.positional.size() - fromEnd], element,
                      "this value cannot be combined with an element of the array", arguments.span);
  };
  typed::Expr *compare = op == AtomicOperation::CompareAndSwap ? operand(2) : nullptr;
  typed::Expr *value = operand(1);
  phase->noted().writesMemory = true;
  return nodes.memory().make<typed::Atomic>(typed::Expr{typed::ExprKind::Atomic, element, arguments.span}, op, place,
                                            value, compare);
}

typed::Expr *BuiltinRules::callPrint(const Builtin &, const Arguments &arguments) {
  Items items;
  for (typed::Expr *item : arguments.positional) {
    item = unwrap(item);
    if (!item->type->isNumber() && !item->type->is(TypeKind::String) && !item->type->is(Series::Format)) {
      fail(item->span, {.kind = CompileErrorKind::Typing,
                        .message = "this cannot be printed in a kernel",
                        .found = item->type->name(),
                        .expected = "numbers, and texts known while compiling",
                        .remedy = {}});
    }
    items.push_back(item);
  }
  emit(nodes.statement<typed::Print>(typed::StmtKind::Print, arguments.span, nodes.memory().list(items)));
  return nodes.unit(types::none(), arguments.span);
}

} // namespace treadle

// Calls of builtins: numbers.
// Functions of numbers do their conversions here, so that operations get operands of the type in which they compute.
#include "infer/calls/number_calls.h"

#include <algorithm>

namespace treadle {

/// `pow(x, y)` and `operator.add(x, y)` are the operators themselves, with their promotion.
typed::Expr *NumberCalls::callPower(const Builtin &, const Arguments &arguments) {
  return operators.binaryValue(BinaryOperator::Pow, arguments.positional[0], arguments.positional[1], arguments.span);
}

typed::Expr *NumberCalls::callBinary(const Builtin &row, const Arguments &arguments) {
  return operators.binaryValue(std::get<BinaryOperator>(row.code), arguments.positional[0], arguments.positional[1],
                               arguments.span);
}

typed::Expr *NumberCalls::callUnary(const Builtin &row, const Arguments &arguments) {
  return operators.unaryValue(std::get<UnaryOperator>(row.code), arguments.positional[0], arguments.span);
}

typed::Expr *NumberCalls::callCompare(const Builtin &row, const Arguments &arguments) {
  return operators.compareValues(std::get<CompareOperator>(row.code), arguments.positional[0], arguments.positional[1],
                                 arguments.span);
}

/// The float type of NumPy's functions of real numbers: the narrowest that represents all given floats and integers
/// exactly; integers alone give float64.
/// np.sqrt of an int8 is float64, where NumPy has float16. Beside a float an integer counts by its width, as in NumPy's
/// promotion: int16 with float32 is float32, int32 with float32 float64.
const Type *NumberCalls::numpyFloat(const Items &given) {
  bool hasFloat = false;
  unsigned bits = 16;
  for (const typed::Expr *argument : given) {
    const Type *type = argument->type;
    if (tree.rules.ruleSet() == RuleSet::CudaPython && operandOf(*argument).isLiteral)
      continue; // as wide as the others
    hasFloat |= type->isFloat();
    const unsigned forInteger = type->bits() <= 8 ? 16 : type->bits() <= 16 ? 32 : 64;
    bits = std::max(bits, type->isFloat() ? type->bits() : forInteger);
  }
  return !hasFloat || bits == 64 ? types::float64() : bits == 32 ? types::float32() : types::float16();
}

/// Complex arguments do not come here: NumPy's functions of them are the library's, and `math` has none.
typed::Expr *NumberCalls::callMath(const Builtin &row, const Arguments &arguments) {
  Items given = arguments.positional;
  for (typed::Expr *&argument : given)
    argument = realArgument(tree, row, argument);
  const bool isUnary = row.rule == BuiltinRule::MathUnary, isNumpy = row.key.starts_with("numpy.");
  // Of halves: computed in float32, and rounded.
  const bool isHalf = isNumpy ? numpyFloat(given) == types::float16()
                              : std::ranges::all_of(given, [](auto *one) { return one->type == types::float16(); });
  const Type *type = isHalf    ? types::float32()
                     : isNumpy ? numpyFloat(given)
                     : isUnary ? tree.rules.mathFloat(operandOf(*given[0]))
                               : tree.rules.mathFloat(operandOf(*given[0]), operandOf(*given[1]));
  typed::Expr *first = tree.convert(given[0], type);
  typed::Expr *result =
      isUnary ? tree.operation(row.operation(), type, {first}, arguments.span)
              : tree.operation(row.operation(), type, {first, tree.convert(given[1], type)}, arguments.span);
  return isHalf ? tree.convert(result, types::float16()) : result;
}

/// Halves are tested as float32, which represents all of them.
typed::Expr *NumberCalls::withoutHalf(typed::Expr *value) {
  return value->type == types::float16() ? tree.convert(value, types::float32()) : value;
}

/// `math.floor(x)`: an integer or a float, by the rules. Integers are rounded already.
typed::Expr *NumberCalls::callRounding(const Builtin &row, const Arguments &arguments) {
  typed::Expr *value = withoutHalf(realArgument(tree, row, arguments.positional[0]));
  const Type *result = tree.rules.roundingResult(operandOf(*value));
  if (!value->type->isFloat())
    return tree.convert(value, result);
  return tree.operation(row.operation(), result, {value}, arguments.span);
}

/// `math.isnan(n)` of an integer is known, but n is evaluated.
typed::Expr *NumberCalls::callClassify(const Builtin &row, const Arguments &arguments) {
  typed::Expr *value = withoutHalf(realArgument(tree, row, arguments.positional[0]));
  if (value->type->isFloat())
    return tree.test(row.operation(), {value}, arguments.span);
  tree.emitValue(value, arguments.span);
  return tree.boolean(row.operation() == Operation::IsFinite, arguments.span);
}

/// abs of the smallest integer wraps, as in NumPy. Of a complex number it is real.
typed::Expr *NumberCalls::callAbs(const Builtin &row, const Arguments &arguments) {
  typed::Expr *value = tree.unwrap(arguments.positional[0]);
  if (!value->type->isNumber())
    failArgument(tree, row, *value, "a number");
  const OperationTypes types = tree.rules.abs(operandOf(*value));
  const bool isPositive = value->type->isInteger() && !types.operand->isSigned();
  return isPositive ? tree.convert(value, types.result)
                    : operators.compute(Operation::Abs, types, {value}, arguments.span);
}

/// `max(a, b, c)` is max(max(a, b), c): the type widens step by step.
typed::Expr *NumberCalls::callMinMax(const Builtin &row, const Arguments &arguments) {
  Items given = arguments.positional;
  if (given.size() == 1 && given[0]->type->isPlainTuple())
    given = tree.itemsOf(given[0]);
  if (given.size() == 1 && arguments.positional[0]->type->isArray())
    tree.failUnsupported(arguments.span, shownName(row) + " of an array is not supported", "write a loop");
  if (given.size() < 2 && !arguments.positional[0]->type->isPlainTuple())
    tree.fail(arguments.span, {.kind = CompileErrorKind::Type,
                               .message = shownName(row) + " takes at least 2 arguments, or a tuple",
                               .found = "1 argument"});
  if (given.empty())
    tree.fail(arguments.span,
              {.kind = CompileErrorKind::Value, .message = shownName(row) + " of an empty tuple has no value"});
  typed::Expr *result = nullptr;
  for (typed::Expr *argument : given) {
    argument = realArgument(tree, row, argument);
    if (result)
      argument = operators.compute(row.operation(), tree.rules.minMax(operandOf(*result), operandOf(*argument)),
                                   {result, argument}, arguments.span);
    result = argument;
  }
  return result;
}

/// `round(x)` is an integer, ties to even; `round(x, None)` is the same in Python.
typed::Expr *NumberCalls::callRound(const Builtin &row, const Arguments &arguments) {
  typed::Expr *value = realArgument(tree, row, arguments.positional[0]);
  const bool hasDigits = arguments.positional.size() == 2 && !arguments.positional[1]->type->isNone();
  if (hasDigits) {
    typed::Expr *digits = tree.unwrap(arguments.positional[1]);
    if (!digits->type->isInt())
      failArgument(tree, row, *digits, "an integer");
    const Type *type = value->type->isFloat() ? value->type : types::float64();
    // As float64, as in Numba: what looks like a tie between two float32 numbers of so many digits rarely is one.
    value = tree.convert(value, types::float64());
    return tree.convert(tree.operation(Operation::RoundDigits, value->type,
                                       {value, tree.convert(digits, types::int64())}, arguments.span),
                        type);
  }
  if (!value->type->isFloat())
    return tree.convert(value, types::int64());
  return tree.operation(Operation::RoundEven, types::int64(), {withoutHalf(value)}, arguments.span);
}

/// int, float, bool: a value that already has a type of that kind keeps it.
/// `int(x)` truncates a float. `int()` is 0, `bool(x)` is the truth of anything.
typed::Expr *NumberCalls::callConversion(const Builtin &row, const Arguments &arguments) {
  const bool isBool = row.rule == BuiltinRule::Bool, isInt = row.rule == BuiltinRule::Int;
  const Type *usual = isBool ? types::boolean() : isInt ? types::int64() : types::float64();
  if (arguments.positional.empty())
    return tree.convert(tree.boolean(false, arguments.span), usual);
  typed::Expr *value = arguments.positional[0];
  if (isBool)
    return operators.truth(value);
  value = realArgument(tree, row, value);
  if (const std::optional<int64_t> known = constantInteger(*value); isInt && known)
    return tree.integer(value->type, *known, arguments.span); // a Python int, whatever its type was
  return (isInt ? value->type->isInt() : value->type->isFloat()) ? value : tree.convert(value, usual);
}

/// complex64 if no argument needs more, under the cuda-python rules also of narrow integers. `complex(z, w)` is allowed
/// in Python, too.
typed::Expr *NumberCalls::callComplex(const Builtin &row, const Arguments &arguments) {
  Items given = arguments.positional;
  const SourceSpan span = arguments.span;
  bool isSingle = !given.empty(), hasComplex = false;
  for (typed::Expr *&argument : given) {
    argument = tree.unwrap(argument);
    if (!argument->type->isNumber())
      failArgument(tree, row, *argument, "a number");
    const Type *type = argument->type;
    const bool isNarrow = tree.rules.ruleSet() == RuleSet::CudaPython ? type->bits() <= 32 : false;
    isSingle &= type == types::float16() || type == types::float32() || type == types::complex64() ||
                (isNarrow && !operandOf(*argument).isLiteral);
    hasComplex |= type->isComplex();
  }
  const Type *type = isSingle ? types::complex64() : types::complex128();
  if (given.empty())
    return tree.complex(type, 0, 0, span);
  if (given.size() == 1)
    return tree.convert(given[0], type);
  if (!hasComplex)
    return tree.operation(Operation::MakeComplex, type,
                          {tree.convert(given[0], type->element()), tree.convert(given[1], type->element())}, span);
  // As in Python: real + imag * 1j, for operands of any type.
  typed::Expr *turned =
      tree.operation(Operation::Mul, type, {tree.convert(given[1], type), tree.complex(type, 0, 1, span)}, span);
  return tree.operation(Operation::Add, type, {tree.convert(given[0], type), turned}, span);
}

/// Of an array the extent of its first axis, as in NumPy; one without axes has no length.
typed::Expr *NumberCalls::callLength(const Builtin &row, const Arguments &arguments) {
  typed::Expr *value = tree.unwrap(arguments.positional[0]);
  const SourceSpan span = arguments.span;
  if (value->type->isArray() && value->type->ndim() > 0)
    return tree.attribute(value, typed::ArrayAttribute::Shape, 0, span);
  if (value->type->is(Series::Range) || value->type->is(Series::Elementwise))
    return tree.inBlock(span, [&] { return sequences.countOf(*sequences.settledSeries(value), span); });
  if (value->type->is(Series::Text))
    return characters.lengthOf(value, span);
  int64_t count = 0;
  if (value->type->isPlainTuple())
    count = int64_t(value->type->items().size());
  else if (value->type->is(TypeKind::String))
    count = int64_t(lengthOfText(*value->type));
  else
    failArgument(tree, row, *value, "an array with at least one axis, or a tuple");
  tree.emitValue(value, span);
  return tree.index(count, span);
}

/// How functions of the library find the type in which to compute, as the builtin ones do: a type, not a value.
typed::Expr *NumberCalls::callMathFloat(const Builtin &row, const Arguments &arguments) {
  const Items &given = arguments.positional;
  for (const typed::Expr *argument : given)
    if (!argument->type->isReal())
      failArgument(tree, row, *argument, "a real number");
  const Type *type = row.key == "library.numpy_float" ? numpyFloat(given)
                     : given.size() == 1              ? tree.rules.mathFloat(operandOf(*given[0]))
                                         : tree.rules.mathFloat(operandOf(*given[0]), operandOf(*given[1]));
  return tree.unit(types::typeObject(type), arguments.span);
}

} // namespace treadle

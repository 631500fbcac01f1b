// Calls of builtins: numbers.
#include "infer/builtin_rules.h"

#include "infer/fold.h"

#include <algorithm>

namespace treadle {

/// What the user writes: "math.sqrt", "max".
static std::string shownName(const Builtin &row) { return std::string(row.key) + "()"; }

void BuiltinRules::failArgument(const Builtin &row, const typed::Expr &argument, std::string_view expected) {
  std::string remedy;
  if (argument.type->isArray() && !expected.starts_with("an array"))
    remedy = "index the array";
  else if (argument.type->isComplex())
    remedy = "take a part of it: .real, .imag or abs()";
  else if (argument.type->is(Series::Format))
    remedy = "an f-string with values known only at run time can only be printed";
  else if (argument.type->isNone())
    remedy = "a function that returns nothing has no value to use: check that it returns one on every path";
  fail(argument.span, {.kind = CompileErrorKind::Typing,
                       .message = "this cannot be an argument of " + shownName(row),
                       .found = argument.type->name(),
                       .expected = std::string(expected),
                       .remedy = remedy});
}

/// Moves keywords to their positions, and checks the number of arguments.
void BuiltinRules::placeKeywords(const Builtin &row, Arguments &arguments) {
  Items &given = arguments.positional;
  auto failArity = [&](const std::string &found) {
    const bool isExact = row.minimum == row.maximum;
    std::string wanted = isExact ? counted(row.minimum, "argument")
                         : row.maximum == anyNumber
                             ? "at least " + counted(row.minimum, "argument")
                             : std::to_string(row.minimum) + " to " + counted(row.maximum, "argument");
    if (!row.parameters.empty()) {
      std::string names(row.parameters);
      for (size_t space = names.find(' '); space != std::string::npos; space = names.find(' ', space + 2))
        names.replace(space, 1, ", ");
      wanted += " (" + names + ")";
    }
    fail(arguments.span, {.kind = CompileErrorKind::Type,
                          .message = shownName(row) + " takes " + (row.maximum == 0 ? "no arguments" : wanted),
                          .found = found,
                          .expected = {},
                          .remedy = {}});
  };
  for (const auto &[name, value] : arguments.keywords) {
    size_t position = 0, start = 0;
    std::string_view rest = row.parameters;
    while (start < rest.size()) {
      const size_t end = std::min(rest.find(' ', start), rest.size());
      if (rest.substr(start, end - start) == name)
        break;
      start = end + 1;
      ++position;
    }
    if (start >= rest.size())
      failArity("a keyword " + quoted(name) + ", which it does not have");
    given.resize(std::max(given.size(), position + 1));
    if (given[position])
      failArity("two values for " + quoted(name));
    given[position] = value;
  }
  for (size_t i = 0; i < given.size(); ++i)
    if (!given[i] && i < row.minimum)
      failArity(counted(given.size() - 1, "argument"));
  if (given.size() < row.minimum || given.size() > row.maximum)
    failArity(counted(given.size(), "argument"));
}

/// One line for each rule, in their order.
struct BuiltinRules::Methods {
  struct Line {
    BuiltinRule rule;
    BuiltinMethod method;
  };
  static constexpr Line lines[] = {
      {BuiltinRule::MathUnary, &BuiltinRules::callMath},
      {BuiltinRule::MathBinary, &BuiltinRules::callMath},
      {BuiltinRule::MathRounding, &BuiltinRules::callRounding},
      {BuiltinRule::MathClassify, &BuiltinRules::callClassify},
      {BuiltinRule::Abs, &BuiltinRules::callAbs},
      {BuiltinRule::MinMax, &BuiltinRules::callMinMax},
      {BuiltinRule::Power, &BuiltinRules::callPower},
      {BuiltinRule::Round, &BuiltinRules::callRound},
      {BuiltinRule::Int, &BuiltinRules::callConversion},
      {BuiltinRule::Float, &BuiltinRules::callConversion},
      {BuiltinRule::Complex, &BuiltinRules::callComplex},
      {BuiltinRule::Bool, &BuiltinRules::callConversion},
      {BuiltinRule::Length, &BuiltinRules::callLength},
      {BuiltinRule::Range, &BuiltinRules::callRange},
      {BuiltinRule::Enumerate, &BuiltinRules::callEnumerate},
      {BuiltinRule::Zip, &BuiltinRules::callZip},
      {BuiltinRule::Binary, &BuiltinRules::callBinary},
      {BuiltinRule::Unary, &BuiltinRules::callUnary},
      {BuiltinRule::Compare, &BuiltinRules::callCompare},
      {BuiltinRule::ThreadValue, &BuiltinRules::refuseCall},
      {BuiltinRule::WarpSize, &BuiltinRules::refuseCall},
      {BuiltinRule::ThreadAxes, &BuiltinRules::refuseCall},
      {BuiltinRule::Grid, &BuiltinRules::callGrid},
      {BuiltinRule::SharedArray, &BuiltinRules::callArray},
      {BuiltinRule::LocalArray, &BuiltinRules::callArray},
      {BuiltinRule::ConstArray, &BuiltinRules::callConstArray},
      {BuiltinRule::Barrier, &BuiltinRules::callBarrier},
      {BuiltinRule::Bits, &BuiltinRules::callBits},
      {BuiltinRule::Fma, &BuiltinRules::callFma},
      {BuiltinRule::Select, &BuiltinRules::callSelect},
      {BuiltinRule::Shuffle, &BuiltinRules::callShuffle},
      {BuiltinRule::Vote, &BuiltinRules::callVote},
      {BuiltinRule::Match, &BuiltinRules::callVote},
      {BuiltinRule::Hardware, &BuiltinRules::callHardware},
      {BuiltinRule::ThreadNumber, &BuiltinRules::callThreadNumber},
      {BuiltinRule::GridGroup, &BuiltinRules::callGridGroup},
      {BuiltinRule::PeerArray, &BuiltinRules::callPeerArray},
      {BuiltinRule::Atomic, &BuiltinRules::callAtomic},
      {BuiltinRule::AtomicFirst, &BuiltinRules::callAtomic},
      {BuiltinRule::Print, &BuiltinRules::callPrint},
      {BuiltinRule::TypeOf, &BuiltinRules::callTypeOf},
      {BuiltinRule::IsInstance, &BuiltinRules::callIsInstance},
      {BuiltinRule::DType, &BuiltinRules::callDType},
      {BuiltinRule::Reshape, &BuiltinRules::callReshape},
      {BuiltinRule::Ravel, &BuiltinRules::callRavel},
      {BuiltinRule::Transpose, &BuiltinRules::callTranspose},
      {BuiltinRule::Retype, &BuiltinRules::callRetype},
      {BuiltinRule::NewArrayLike, &BuiltinRules::callNewArrayLike},
      {BuiltinRule::NewArray, &BuiltinRules::callNewArray},
      {BuiltinRule::Bitcast, &BuiltinRules::callBitcast},
      {BuiltinRule::MathFloat, &BuiltinRules::callMathFloat},
      {BuiltinRule::Refuse, &BuiltinRules::callRefuse},
      {BuiltinRule::Literally, &BuiltinRules::callLiterally},
      {BuiltinRule::LiteralUnroll, &BuiltinRules::callLiteralUnroll},
      {BuiltinRule::TupleOf, &BuiltinRules::callTuple},
      {BuiltinRule::Consteval, &BuiltinRules::callConsteval},
      {BuiltinRule::Unit, &BuiltinRules::callUnit},
      {BuiltinRule::UnitFactor, &BuiltinRules::callUnitFactor},
      {BuiltinRule::UnitNamed, &BuiltinRules::callUnitNamed},
      {BuiltinRule::TimeOf, &BuiltinRules::callTimeOf},
      {BuiltinRule::Ticks, &BuiltinRules::callTicks},
      {BuiltinRule::Axis, &BuiltinRules::callAxis},
      {BuiltinRule::Computed, &BuiltinRules::callComputed},
  };
};

BuiltinRules::BuiltinMethod BuiltinRules::methodOf(BuiltinRule rule) {
  constexpr auto isComplete = [] {
    for (size_t i = 0; i < std::size(Methods::lines); ++i)
      if (size_t(Methods::lines[i].rule) != i)
        return false;
    return std::size(Methods::lines) == builtinRules;
  };
  static_assert(isComplete());
  return Methods::lines[size_t(rule)].method;
}

typed::Expr *BuiltinRules::callBuiltin(const Builtin &row, Arguments &arguments) {
  placeKeywords(row, arguments);
  return (this->*methodOf(row.rule))(row, arguments);
}

typed::Expr *BuiltinRules::refuseCall(const Builtin &row, const Arguments &arguments) {
  failTyping(arguments.span, quoted(row.key) + " cannot be called",
             row.rule == BuiltinRule::ThreadAxes ? "write " + std::string(row.key) + ".x" : "it is a value");
}

typed::Expr *BuiltinRules::callPower(const Builtin &, const Arguments &arguments) {
  return binaryValue(BinaryOperator::Pow, arguments.positional[0], arguments.positional[1], arguments.span);
}

typed::Expr *BuiltinRules::callBinary(const Builtin &row, const Arguments &arguments) {
  return binaryValue(std::get<BinaryOperator>(row.code), arguments.positional[0], arguments.positional[1],
                     arguments.span);
}

typed::Expr *BuiltinRules::callUnary(const Builtin &row, const Arguments &arguments) {
  return unaryValue(std::get<UnaryOperator>(row.code), arguments.positional[0], arguments.span);
}

typed::Expr *BuiltinRules::callCompare(const Builtin &row, const Arguments &arguments) {
  return compareValues(std::get<CompareOperator>(row.code), arguments.positional[0], arguments.positional[1],
                       arguments.span);
}

/// The float type in which NumPy's functions compute: float32 if nothing is wider, but integers alone give float64.
const Type *BuiltinRules::numpyFloat(const Items &given) {
  bool isSingle = false, isDouble = false;
  for (const typed::Expr *argument : given) {
    const Type *type = argument->type;
    const bool isWeak = rules.ruleSet() == RuleSet::CudaPython && operandOf(*argument).isLiteral;
    isSingle |= type == types::float32() || type == types::float16();
    isDouble |= type->bits() > 16 && type != types::float32() && !isWeak;
  }
  return isSingle && !isDouble ? types::float32() : types::float64();
}

typed::Expr *BuiltinRules::callMath(const Builtin &row, const Arguments &arguments) {
  Items given = arguments.positional;
  for (typed::Expr *&argument : given) {
    argument = unwrap(argument);
    if (!argument->type->isReal())
      failArgument(row, *argument, "a real number");
  }
  const bool isUnary = row.rule == BuiltinRule::MathUnary;
  // Of halves alone: computed in float32, and rounded.
  const bool isHalf = std::ranges::all_of(given, [](auto *one) { return one->type == types::float16(); });
  const Type *type = row.key.starts_with("numpy.") ? numpyFloat(given)
                     : isUnary                     ? rules.mathFloat(operandOf(*given[0]))
                                                   : rules.mathFloat(operandOf(*given[0]), operandOf(*given[1]));
  typed::Expr *first = convert(given[0], type);
  typed::Expr *result = isUnary
                            ? nodes.operation(row.operation(), type, {first}, arguments.span)
                            : nodes.operation(row.operation(), type, {first, convert(given[1], type)}, arguments.span);
  return isHalf ? convert(result, types::float16()) : result;
}

/// Halves are looked at as float32, which has all of them.
typed::Expr *BuiltinRules::withoutHalf(typed::Expr *value) {
  return value->type == types::float16() ? convert(value, types::float32()) : value;
}

typed::Expr *BuiltinRules::callRounding(const Builtin &row, const Arguments &arguments) {
  typed::Expr *value = withoutHalf(unwrap(arguments.positional[0]));
  if (!value->type->isReal())
    failArgument(row, *value, "a real number");
  const Type *result = rules.roundingResult(operandOf(*value));
  if (!value->type->isFloat())
    return convert(value, result);
  return nodes.operation(row.operation(), result, {value}, arguments.span);
}

typed::Expr *BuiltinRules::callClassify(const Builtin &row, const Arguments &arguments) {
  typed::Expr *value = withoutHalf(unwrap(arguments.positional[0]));
  if (!value->type->isReal())
    failArgument(row, *value, "a real number");
  if (value->type->isFloat())
    return nodes.operation(row.operation(), types::boolean(), {value}, arguments.span);
  emitValue(value, arguments.span);
  return nodes.boolean(row.operation() == Operation::IsFinite, arguments.span);
}

typed::Expr *BuiltinRules::callAbs(const Builtin &row, const Arguments &arguments) {
  typed::Expr *value = unwrap(arguments.positional[0]);
  if (!value->type->isNumber())
    failArgument(row, *value, "a number");
  const OperationTypes types = rules.abs(operandOf(*value));
  const bool isPositive = value->type->isInteger() && !types.operand->isSigned();
  return isPositive ? convert(value, types.result) : compute(Operation::Abs, types, {value}, arguments.span);
}

typed::Expr *BuiltinRules::callMinMax(const Builtin &row, const Arguments &arguments) {
  Items given = arguments.positional;
  if (given.size() == 1 && given[0]->type->isPlainTuple())
    given = itemsOf(given[0]);
  if (given.size() == 1 && arguments.positional[0]->type->isArray())
    failUnsupported(arguments.span, shownName(row) + " of an array is not supported", "write a loop");
  if (given.size() < 2 && !arguments.positional[0]->type->isPlainTuple())
    fail(arguments.span, {.kind = CompileErrorKind::Type,
                          .message = shownName(row) + " takes at least 2 arguments, or a tuple",
                          .found = "1 argument",
                          .expected = {},
                          .remedy = {}});
  if (given.empty())
    fail(arguments.span, {.kind = CompileErrorKind::Value,
                          .message = shownName(row) + " of an empty tuple has no value",
                          .found = {},
                          .expected = {},
                          .remedy = {}});
  typed::Expr *result = nullptr;
  for (typed::Expr *argument : given) {
    argument = unwrap(argument);
    if (!argument->type->isReal())
      failArgument(row, *argument, "a real number");
    if (result)
      argument = compute(row.operation(), rules.minMax(operandOf(*result), operandOf(*argument)), {result, argument},
                         arguments.span);
    result = argument;
  }
  return result;
}

typed::Expr *BuiltinRules::callRound(const Builtin &row, const Arguments &arguments) {
  typed::Expr *value = unwrap(arguments.positional[0]);
  if (!value->type->isReal())
    failArgument(row, *value, "a real number");
  const bool hasDigits = arguments.positional.size() == 2 && !arguments.positional[1]->type->isNone();
  if (hasDigits) {
    typed::Expr *digits = unwrap(arguments.positional[1]);
    if (!digits->type->isInt())
      failArgument(row, *digits, "an integer");
    const Type *type = value->type->isFloat() ? value->type : types::float64();
    // As float64, as in Numba: what seems to lie between two float32 numbers of so many digits seldom does.
    value = convert(value, types::float64());
    return convert(
        nodes.operation(Operation::RoundDigits, value->type, {value, convert(digits, types::int64())}, arguments.span),
        type);
  }
  if (!value->type->isFloat())
    return convert(value, types::int64());
  return nodes.operation(Operation::RoundEven, types::int64(), {withoutHalf(value)}, arguments.span);
}

/// int, float, bool: a value whose type is already of that kind keeps its type.
typed::Expr *BuiltinRules::callConversion(const Builtin &row, const Arguments &arguments) {
  const bool isBool = row.rule == BuiltinRule::Bool, isInt = row.rule == BuiltinRule::Int;
  const Type *usual = isBool ? types::boolean() : isInt ? types::int64() : types::float64();
  if (arguments.positional.empty())
    return convert(nodes.boolean(false, arguments.span), usual);
  typed::Expr *value = arguments.positional[0];
  if (isBool)
    return truth(value);
  value = unwrap(value);
  if (!value->type->isReal())
    failArgument(row, *value, "a real number");
  if (const std::optional<int64_t> known = constantInteger(*value); isInt && known)
    return nodes.integer(value->type, *known, arguments.span); // a Python int, whatever it was before
  return (isInt ? value->type->isInt() : value->type->isFloat()) ? value : convert(value, usual);
}

typed::Expr *BuiltinRules::callComplex(const Builtin &row, const Arguments &arguments) {
  Items given = arguments.positional;
  const SourceSpan span = arguments.span;
  bool isSingle = !given.empty(), hasComplex = false;
  for (typed::Expr *&argument : given) {
    argument = unwrap(argument);
    if (!argument->type->isNumber())
      failArgument(row, *argument, "a number");
    const Type *type = argument->type;
    const bool isNarrow = rules.ruleSet() == RuleSet::CudaPython ? type->bits() <= 32 : false;
    isSingle &= type == types::float16() || type == types::float32() || type == types::complex64() ||
                (isNarrow && !operandOf(*argument).isLiteral);
    hasComplex |= type->isComplex();
  }
  const Type *type = isSingle ? types::complex64() : types::complex128();
  if (given.empty())
    return nodes.complex(type, 0, 0, span);
  if (given.size() == 1)
    return convert(given[0], type);
  if (!hasComplex)
    return nodes.operation(Operation::MakeComplex, type,
                           {convert(given[0], type->element()), convert(given[1], type->element())}, span);
  // As in Python: real + imag * 1j, for operands of any type.
  typed::Expr *turned =
      nodes.operation(Operation::Mul, type, {convert(given[1], type), nodes.complex(type, 0, 1, span)}, span);
  return nodes.operation(Operation::Add, type, {convert(given[0], type), turned}, span);
}

typed::Expr *BuiltinRules::callLength(const Builtin &row, const Arguments &arguments) {
  typed::Expr *value = unwrap(arguments.positional[0]);
  const SourceSpan span = arguments.span;
  if (value->type->isArray() && value->type->ndim() > 0)
    return nodes.attribute(value, typed::ArrayAttribute::Shape, 0, span);
  if (value->type->is(Series::Range) || value->type->is(Series::Elementwise))
    return inBlock(span, [&] { return countOf(*settledSeries(value), span); });
  if (value->type->is(Series::Text))
    return lengthOf(value, span);
  int64_t count = 0;
  if (value->type->isPlainTuple())
    count = int64_t(value->type->items().size());
  else if (value->type->is(TypeKind::String))
    count = int64_t(lengthOfText(*value->type));
  else
    failArgument(row, *value, "an array with at least one axis, or a tuple");
  emitValue(value, span);
  return nodes.integer(types::intp(), count, span);
}

} // namespace treadle

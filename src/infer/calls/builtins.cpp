// Calls of builtins by their rows in the table, of types, and of methods.
#include "infer/calls/builtins.h"

#include "infer/tree/advice.h"
#include "infer/tree/fold.h"
#include "infer/tree/known_text.h"

#include <algorithm>
#include <fmt/core.h>

namespace treadle {

/// Moves keywords to their positions, and checks the number of arguments.
/// `round(x, ndigits=2)`. Rows without names of parameters are positional only, as such functions are in Python. An
/// argument that is left out at the end is not in the list; rules look at its length.
void Builtins::placeKeywords(const Builtin &row, Arguments &arguments) {
  Items &given = arguments.positional;
  auto failArity = [&](const std::string &found) {
    const bool isExact = row.minimum == row.maximum;
    std::string wanted = isExact ? counted(row.minimum, "argument")
                         : row.maximum == anyNumber
                             ? "at least " + counted(row.minimum, "argument")
                             : fmt::format("{} to {}", row.minimum, counted(row.maximum, "argument"));
    if (!row.parameters.empty()) {
      std::string names(row.parameters);
      for (size_t space = names.find(' '); space != std::string::npos; space = names.find(' ', space + 2))
        names.replace(space, 1, ", ");
      wanted += " (" + names + ")";
    }
    tree.fail(arguments.span, {.kind = CompileErrorKind::Type,
                               .message = shownName(row) + " takes " + (row.maximum == 0 ? "no arguments" : wanted),
                               .found = found});
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
      failArity(counted(given.size() - std::ranges::count(given, nullptr), "argument"));
  if (given.size() < row.minimum || given.size() > row.maximum)
    failArity(counted(given.size(), "argument"));
}

namespace {

/// A method of one of the parts.
template <auto Part, auto Method>
typed::Expr *through(Builtins &builtins, const Builtin &row, const Arguments &arguments) {
  return ((builtins.*Part).*Method)(row, arguments);
}

/// `cuda.threadIdx()`: a name that stands for coordinates or a value is no function.
typed::Expr *refused(Builtins &builtins, const Builtin &row, const Arguments &arguments) {
  builtins.tree.failTyping(arguments.span, quoted(row.key) + " cannot be called",
                           row.rule == BuiltinRule::ThreadAxes ? "write " + std::string(row.key) + ".x"
                                                               : "it is a value");
}

} // namespace

/// One line per rule, in order.
/// A table, not a switch: the assertion below finds a rule that is missing or out of order while Treadle is compiled.
struct Builtins::Methods {
  struct Line {
    BuiltinRule rule;
    Call call;
  };
  static constexpr Line lines[] = {
      {BuiltinRule::MathUnary, through<&Builtins::numbers, &NumberCalls::callMath>},
      {BuiltinRule::MathBinary, through<&Builtins::numbers, &NumberCalls::callMath>},
      {BuiltinRule::MathRounding, through<&Builtins::numbers, &NumberCalls::callRounding>},
      {BuiltinRule::MathClassify, through<&Builtins::numbers, &NumberCalls::callClassify>},
      {BuiltinRule::Abs, through<&Builtins::numbers, &NumberCalls::callAbs>},
      {BuiltinRule::MinMax, through<&Builtins::numbers, &NumberCalls::callMinMax>},
      {BuiltinRule::Power, through<&Builtins::numbers, &NumberCalls::callPower>},
      {BuiltinRule::Round, through<&Builtins::numbers, &NumberCalls::callRound>},
      {BuiltinRule::Int, through<&Builtins::numbers, &NumberCalls::callConversion>},
      {BuiltinRule::Float, through<&Builtins::numbers, &NumberCalls::callConversion>},
      {BuiltinRule::Complex, through<&Builtins::numbers, &NumberCalls::callComplex>},
      {BuiltinRule::Bool, through<&Builtins::numbers, &NumberCalls::callConversion>},
      {BuiltinRule::Length, through<&Builtins::numbers, &NumberCalls::callLength>},
      {BuiltinRule::Range, through<&Builtins::series, &SeriesCalls::callRange>},
      {BuiltinRule::Enumerate, through<&Builtins::series, &SeriesCalls::callEnumerate>},
      {BuiltinRule::Zip, through<&Builtins::series, &SeriesCalls::callZip>},
      {BuiltinRule::Binary, through<&Builtins::numbers, &NumberCalls::callBinary>},
      {BuiltinRule::Unary, through<&Builtins::numbers, &NumberCalls::callUnary>},
      {BuiltinRule::Compare, through<&Builtins::numbers, &NumberCalls::callCompare>},
      {BuiltinRule::ThreadValue, refused},
      {BuiltinRule::WarpSize, refused},
      {BuiltinRule::ThreadAxes, refused},
      {BuiltinRule::Grid, through<&Builtins::threads, &ThreadCalls::callGrid>},
      {BuiltinRule::SharedArray, through<&Builtins::arrays, &ArrayCalls::callArray>},
      {BuiltinRule::LocalArray, through<&Builtins::arrays, &ArrayCalls::callArray>},
      {BuiltinRule::ConstArray, through<&Builtins::arrays, &ArrayCalls::callConstArray>},
      {BuiltinRule::Barrier, through<&Builtins::threads, &ThreadCalls::callBarrier>},
      {BuiltinRule::Bits, through<&Builtins::threads, &ThreadCalls::callBits>},
      {BuiltinRule::Fma, through<&Builtins::threads, &ThreadCalls::callFma>},
      {BuiltinRule::Select, through<&Builtins::threads, &ThreadCalls::callSelect>},
      {BuiltinRule::Shuffle, through<&Builtins::threads, &ThreadCalls::callShuffle>},
      {BuiltinRule::Vote, through<&Builtins::threads, &ThreadCalls::callVote>},
      {BuiltinRule::Match, through<&Builtins::threads, &ThreadCalls::callVote>},
      {BuiltinRule::Hardware, through<&Builtins::threads, &ThreadCalls::callHardware>},
      {BuiltinRule::ThreadNumber, through<&Builtins::threads, &ThreadCalls::callThreadNumber>},
      {BuiltinRule::GridGroup, through<&Builtins::threads, &ThreadCalls::callGridGroup>},
      {BuiltinRule::PeerArray, through<&Builtins::threads, &ThreadCalls::callPeerArray>},
      {BuiltinRule::Atomic, through<&Builtins::threads, &ThreadCalls::callAtomic>},
      {BuiltinRule::AtomicFirst, through<&Builtins::threads, &ThreadCalls::callAtomic>},
      {BuiltinRule::Print, through<&Builtins::threads, &ThreadCalls::callPrint>},
      {BuiltinRule::TypeOf, through<&Builtins::typeCalls, &TypeCalls::callTypeOf>},
      {BuiltinRule::IsInstance, through<&Builtins::typeCalls, &TypeCalls::callIsInstance>},
      {BuiltinRule::DType, through<&Builtins::arrays, &ArrayCalls::callDType>},
      {BuiltinRule::Reshape, through<&Builtins::arrays, &ArrayCalls::callReshape>},
      {BuiltinRule::Ravel, through<&Builtins::arrays, &ArrayCalls::callRavel>},
      {BuiltinRule::Transpose, through<&Builtins::arrays, &ArrayCalls::callTranspose>},
      {BuiltinRule::Retype, through<&Builtins::arrays, &ArrayCalls::callRetype>},
      {BuiltinRule::NewArrayLike, through<&Builtins::arrays, &ArrayCalls::callNewArrayLike>},
      {BuiltinRule::NewArray, through<&Builtins::arrays, &ArrayCalls::callNewArray>},
      {BuiltinRule::Bitcast, through<&Builtins::typeCalls, &TypeCalls::callBitcast>},
      {BuiltinRule::MathFloat, through<&Builtins::numbers, &NumberCalls::callMathFloat>},
      {BuiltinRule::Refuse, through<&Builtins::typeCalls, &TypeCalls::callRefuse>},
      {BuiltinRule::Literally, through<&Builtins::typeCalls, &TypeCalls::callLiterally>},
      {BuiltinRule::LiteralUnroll, through<&Builtins::typeCalls, &TypeCalls::callLiteralUnroll>},
      {BuiltinRule::TupleOf, through<&Builtins::typeCalls, &TypeCalls::callTuple>},
      {BuiltinRule::Consteval, through<&Builtins::typeCalls, &TypeCalls::callConsteval>},
      {BuiltinRule::Unit, through<&Builtins::times, &TimeCalls::callUnit>},
      {BuiltinRule::UnitFactor, through<&Builtins::times, &TimeCalls::callUnitFactor>},
      {BuiltinRule::UnitNamed, through<&Builtins::times, &TimeCalls::callUnitNamed>},
      {BuiltinRule::TimeOf, through<&Builtins::times, &TimeCalls::callTimeOf>},
      {BuiltinRule::Ticks, through<&Builtins::times, &TimeCalls::callTicks>},
      {BuiltinRule::Axis, through<&Builtins::arrays, &ArrayCalls::callAxis>},
      {BuiltinRule::Computed, through<&Builtins::arrays, &ArrayCalls::callComputed>},
  };
};

Builtins::Call Builtins::callOf(BuiltinRule rule) {
  constexpr auto isComplete = [] {
    for (size_t i = 0; i < std::size(Methods::lines); ++i)
      if (size_t(Methods::lines[i].rule) != i)
        return false;
    return std::size(Methods::lines) == builtinRules;
  };
  static_assert(isComplete());
  return Methods::lines[size_t(rule)].call;
}

typed::Expr *Builtins::callBuiltin(const Builtin &row, Arguments &arguments) {
  placeKeywords(row, arguments);
  return callOf(row.rule)(*this, row, arguments);
}

/// Methods that are neither the library's nor a text's: rows "array.NAME", and the few that numbers have.
typed::Expr *Builtins::callMethod(typed::Expr *value, std::string_view method, const Arguments &arguments) {
  const bool isArray = value->type->isArray() || value->type->is(Series::Elementwise);
  if (const Builtin *row = isArray ? findBuiltin("array." + std::string(method)) : nullptr) {
    Arguments all = arguments;
    all.positional.insert(all.positional.begin(), value);
    tree.settle(all.positional);
    return callBuiltin(*row, all);
  }
  const bool hasArguments = !arguments.positional.empty() || !arguments.keywords.empty();
  if (value->type->isNumber() && method == "conjugate" && !hasArguments) {
    if (!value->type->isComplex())
      return value;
    return tree.operation(Operation::Conjugate, value->type, {value}, arguments.span);
  }
  if (value->type->isNumber() && method == "item" && !hasArguments)
    return value;
  tree.failUnsupported(arguments.span,
                       "the method " + quoted(method) + " of " + value->type->name() + " is not supported in kernels",
                       insteadOfMethod(*value->type, method));
}

/// `float32(x)`, `np.int16(x)`: the one conversion that also narrows. Complex numbers become real by taking a part
/// only, as in Python; any number becomes a bool.
typed::Expr *Builtins::callTypeObject(const Type *type, const Arguments &arguments) {
  const bool isNumber = type->isNumber();
  if (arguments.positional.size() != 1 || !arguments.keywords.empty() || !isNumber) {
    tree.fail(
        arguments.span,
        {.kind = CompileErrorKind::Type,
         .message = isNumber ? type->name() + "() takes one argument" : type->name() + " cannot be called in a kernel",
         .found = counted(arguments.positional.size() + arguments.keywords.size(), "argument"),
         .remedy =
             type->isOpaque() ? "kernels do not have " + type->name() + ": use float16, float32 or complex64" : ""});
  }
  typed::Expr *value = tree.unwrap(arguments.positional[0]);
  if (!value->type->isNumber() || (value->type->isComplex() && !type->isComplex() && !type->isBool())) {
    tree.fail(value->span, {.kind = CompileErrorKind::Typing,
                            .message = "this cannot be converted to " + type->name(),
                            .found = value->type->name(),
                            .expected = type->isComplex() ? "a number" : "a real number",
                            .remedy = value->type->isComplex() ? "take a part of it: .real, .imag or abs()"
                                      : value->type->isArray() ? "index the array"
                                                               : ""});
  }
  value = value->kind == typed::ExprKind::Const ? foldConvert(tree, value->as<typed::Const>(), type)
                                                : tree.convert(value, type);
  // The user has chosen the type: the constant is no longer a literal, which could adopt another one.
  if (value->kind == typed::ExprKind::Const) {
    value->as<typed::Const>().isLiteral = false;
    value->as<typed::Const>().isNumpy = true;
  }
  return value;
}

/// upper(), lower(), startswith(), endswith(); nullptr for others.
/// For constant texts and bytes these are done while compiling. A text and bytes do not go together here either.
typed::Expr *Builtins::callTextMethod(typed::Expr *value, std::string_view method, const Arguments &arguments) {
  const Type &text = *value->type;
  const Items &given = arguments.positional;
  const SourceSpan span = arguments.span;
  const bool isUpper = method == "upper";
  if ((isUpper || method == "lower") && given.empty() && arguments.keywords.empty()) {
    if (!text.is(TypeKind::String) && !text.isUnicode())
      return characters.inCase(value, isUpper, span);
    if (!text.is(TypeKind::String))
      tree.failUnsupported(span, std::string(method) + "() of texts known only at run time is not supported in kernels",
                           "use bytes, whose letters are those of ASCII");
    if (!isAscii(text.text()))
      tree.failUnsupported(span, std::string(method) + "() of letters beyond ASCII is not supported in kernels");
    return tree.unit(types::string(inCaseOf(std::string(text.text()), isUpper)), span);
  }
  const bool isStart = method == "startswith";
  const bool isPart = (isStart || method == "endswith") && given.size() == 1 && arguments.keywords.empty();
  if (!isPart || !isText(*given[0]->type) || isUnicode(*given[0]->type) != isUnicode(text))
    return nullptr;
  return characters.hasPart(value, given[0], isStart ? Characters::PartPlace::Start : Characters::PartPlace::End, span);
}

} // namespace treadle

// Calls of builtins: compile-time knowledge about values.
// Questions about types are answered while compiling: such a call is a constant, which decides branches. What Python
// would say of the value is the measure, where a value of kernels stands for one of Python: any integer is an int, any
// float a float.
#include "infer/calls/type_calls.h"

#include <algorithm>
#include <fmt/core.h>

namespace treadle {

namespace {

/// The classes that isinstance() knows by name, Python's, NumPy's and Numba's, and their types.
struct ClassTest {
  std::string_view key;
  bool (*holds)(const Type *type);
};

bool isString(const Type *type) { return type->is(TypeKind::String); }
bool isUnicodeText(const Type *type) { return type->is(Series::Text) && type->isUnicode(); }
bool isAnyText(const Type *type) { return isText(*type) && isUnicode(*type); }
bool isBytes(const Type *type) { return type->is(Series::Text) && !type->isUnicode(); }
bool isTuple(const Type *type) { return type->isPlainTuple(); }
bool isArray(const Type *type) { return type->isArray() || type->is(Series::Elementwise); }
bool isDate(const Type *type) { return type->is(Series::Time) && type->text().starts_with("date"); }
bool isDuration(const Type *type) { return type->is(Series::Time) && !isDate(type); }
bool isRange(const Type *type) { return type->is(Series::Range); }
bool isFunction(const Type *type) { return type->is(TypeKind::Function) || type->is(TypeKind::Builtin); }
bool isAny(const Type *) { return true; }
bool isSignedInt(const Type *type) { return type->isInt() && type->isSigned(); }
bool isUnsignedInt(const Type *type) { return type->isInt() && !type->isSigned(); }
bool isFloating(const Type *type) { return type->isFloat() || type->isComplex(); }
bool isNumPyNumber(const Type *type) { return type->isNumber() && !type->isBool(); }
bool isMixedTuple(const Type *type) { return type->isPlainTuple() && !type->isUniTuple(); }
bool isUniTuple(const Type *type) { return type->isUniTuple(); }
bool isNamedTuple(const Type *type) { return isTuple(type) && !type->itemNames().empty(); }
template <bool (Type::*Test)() const> bool has(const Type *type) { return (type->*Test)(); }

/// By keys of the table of builtins. np.float32 and other types are not here: they ask for exactly that type.
constexpr ClassTest classTests[] = {
    // As in Python, a bool is an int.
    {"int", has<&Type::isInteger>},
    {"float", has<&Type::isFloat>},
    {"complex", has<&Type::isComplex>},
    {"bool", has<&Type::isBool>},
    {"str", isAnyText},
    {"bytes", isBytes},
    {"numpy.str_", isUnicodeText},
    {"numpy.bytes_", isBytes},
    {"types.UnicodeCharSeq", isUnicodeText},
    {"types.CharSeq", isBytes},
    {"tuple", isTuple},
    {"range", isRange},
    {"object", isAny},
    {"numpy.ndarray", isArray},
    {"numpy.datetime64", isDate},
    {"numpy.timedelta64", isDuration},
    {"types.NPDatetime", isDate},
    {"types.NPTimedelta", isDuration},
    {"numpy.generic", has<&Type::isNumber>},
    {"numpy.number", isNumPyNumber},
    {"numpy.integer", has<&Type::isInt>},
    {"numpy.signedinteger", isSignedInt},
    {"numpy.unsignedinteger", isUnsignedInt},
    {"numpy.inexact", isFloating},
    {"numpy.floating", has<&Type::isFloat>},
    {"numpy.complexfloating", has<&Type::isComplex>},
    {"types.Type", isAny},
    {"types.Number", has<&Type::isNumber>},
    {"types.Integer", has<&Type::isInt>},
    {"types.Float", has<&Type::isFloat>},
    {"types.Complex", has<&Type::isComplex>},
    {"types.Boolean", has<&Type::isBool>},
    {"types.Array", isArray},
    {"types.Record", has<&Type::isRecordReference>},
    {"types.BaseTuple", isTuple},
    {"types.Tuple", isMixedTuple},
    {"types.UniTuple", isUniTuple},
    {"types.NamedTuple", isNamedTuple},
    {"types.Optional", has<&Type::isOptional>},
    {"types.NoneType", has<&Type::isNone>},
    {"NoneType", has<&Type::isNone>},
    {"types.StringLiteral", isString},
    {"types.UnicodeType", isString},
    {"types.Callable", isFunction},
};

/// Whether a value of that type may have been a member of an enumeration that reaches kernels as type `key`.
/// Members of some enumerations reach kernels as plain integers: of such an integer it cannot be said what it was.
bool maySeem(const Type *type, std::string_view key) {
  if (key.empty() || (!type->isRuntime() && !isString(type) && !type->isNone()))
    return false;
  const auto *found = std::ranges::find(classTests, key, &ClassTest::key);
  return found != std::end(classTests) && found->holds(type) && (key == "object" || !type->isBool());
}

} // namespace

std::optional<bool> TypeCalls::isInstance(const Type *type, const typed::Expr &classes) {
  return isOfClass(type, classes.type);
}

/// Of a tuple of classes one that fits is enough, even if others cannot be decided. Classes of named tuples are
/// compared by their handles.
std::optional<bool> TypeCalls::isOfClass(const Type *type, const Type *wanted) {
  if (wanted->isTuple()) {
    std::optional<bool> any = false;
    for (const Type *item : wanted->items()) {
      const std::optional<bool> one = isOfClass(type, item);
      if (one == true)
        return one;
      any = one ? any : std::nullopt;
    }
    return any;
  }
  const CapturedValue *of = members.enumerationOf(*type);
  if (of && derivesFrom(*of, wanted))
    return true;
  if (wanted->is(TypeKind::TypeObject))
    return type == wanted->element() || (type->is(Series::Time) && types::elementOfTime(type) == wanted->element()) ||
           (type->is(Series::Text) && type == wanted->element()) ||
           (type->isRecordReference() && type->element() == wanted->element());
  if (wanted->isNone())
    return type->isNone();
  if (wanted->is(TypeKind::Object)) {
    if (!of && maySeem(type, members.seenAs(*wanted)))
      return std::nullopt;
    return type->isTuple() && type->handle() == wanted->handle() && type->handle() != 0;
  }
  if (!wanted->is(TypeKind::Builtin))
    return std::nullopt;
  const auto *found = std::find_if(std::begin(classTests), std::end(classTests),
                                   [&](const ClassTest &test) { return test.key == wanted->text(); });
  if (found == std::end(classTests))
    return std::nullopt;
  return found->holds(type);
}

/// The first enumeration in a class or tuple of classes whose members may arrive as plain values; nullptr if none.
const Type *TypeCalls::enumerationIn(const Type &classes) {
  if (classes.is(TypeKind::Object))
    return members.seenAs(classes).empty() ? nullptr : &classes;
  const Type *found = nullptr;
  if (classes.isTuple())
    for (const Type *item : classes.items())
      found = found ? found : enumerationIn(*item);
  return found;
}

/// Of an Optional that is None only at run time, both answers are found, and the value decides where they differ.
typed::Expr *TypeCalls::callIsInstance(const Builtin &row, const Arguments &arguments) {
  typed::Expr *value = arguments.positional[0], *classes = arguments.positional[1];
  const SourceSpan span = arguments.span;
  const bool isOptional = value->type->isOptional();
  const std::optional<bool> answer = isInstance(isOptional ? value->type->element() : value->type, *classes);
  const std::optional<bool> ofNone = isOptional ? isInstance(types::none(), *classes) : answer;
  if (!answer || !ofNone) {
    if (const Type *kind = enumerationIn(*classes->type))
      tree.failUnsupported(span,
                           "whether this is a member of " + std::string(kind->text()) +
                               " cannot be asked in kernels, where such members are their values",
                           "ask for the class of the value, or compare values");
    failArgument(tree, row, *classes, "a type, or a tuple of types");
  }
  if (!isOptional || *answer == *ofNone)
    return tree.after({value, classes}, tree.boolean(*answer, span));
  typed::Expr *hasValue = tree.test(Operation::HasValue, {value}, span);
  return *answer ? hasValue : operators.unaryValue(UnaryOperator::Not, hasValue, span);
}

/// `type(x) is float32`: of the argument, only the type is used.
typed::Expr *TypeCalls::callTypeOf(const Builtin &, const Arguments &arguments) {
  typed::Expr *value = arguments.positional[0];
  const Type *type = value->type->isRuntime() ? types::typeObject(value->type) : value->type;
  return tree.after({value}, tree.unit(type, arguments.span));
}

/// The library's way to the bits of a number.
typed::Expr *TypeCalls::callBitcast(const Builtin &row, const Arguments &arguments) {
  typed::Expr *value = arguments.positional[0];
  const Type *named = arguments.positional[1]->type;
  const Type *type = named->is(TypeKind::TypeObject) ? named->element() : types::none();
  const auto isPlain = [](const Type *one) { return one->isInt() || one->isFloat(); };
  if (!isPlain(value->type))
    failArgument(tree, row, *value, "an integer or a float");
  if (!isPlain(type) || type->bits() != value->type->bits())
    failArgument(tree, row, *arguments.positional[1],
                 fmt::format("an integer or float type of {} bits", value->type->bits()));
  return type == value->type ? value : tree.operation(Operation::Bitcast, type, {value}, arguments.span);
}

/// refuse(message, expected="", remedy=""): an invalid call of a library function.
/// Called in a branch that is decided while compiling; a branch that is not taken refuses nothing.
typed::Expr *TypeCalls::callRefuse(const Builtin &row, const Arguments &arguments) {
  std::string texts[3];
  for (size_t i = 0; i < arguments.positional.size(); ++i) {
    if (!arguments.positional[i]->type->is(TypeKind::String))
      failArgument(tree, row, *arguments.positional[i], "a text");
    texts[i] = arguments.positional[i]->type->text();
  }
  Diagnostic diagnostic;
  diagnostic.message = texts[0];
  diagnostic.expected = texts[1];
  diagnostic.remedy = texts[2];
  diagnostic.span = arguments.span;
  diagnostic.source = tree.source;
  diagnostic.isOfCall = true;
  throw CompileError(std::move(diagnostic));
}

/// Nothing to do for a constant. Otherwise the error travels to the caller, which tries again with constants, up to the
/// kernel, whose launch does so with the values of its arguments.
typed::Expr *TypeCalls::callLiterally(const Builtin &row, const Arguments &arguments) {
  typed::Expr *value = arguments.positional[0];
  if (typed::isConstant(*value))
    return value;
  // Positional only: the table has no keyword names.
  const std::optional<uint32_t> parameter = whole.parameterRead(*arguments.call->arguments[0]);
  const bool isAsked = parameter && value->type->canBeLiteral();
  tree.fail(value->span,
            {.kind = CompileErrorKind::Constant,
             .message = "the argument of " + std::string(row.key) + "() is not known while compiling",
             .found = value->type->name() + ", known only at run time",
             .expected = "a literal, or a variable or parameter that is bound to one",
             .remedy = isAsked ? "a kernel without a signature is compiled for the values of its arguments, where "
                                 "it reads them by their own names: numbers, and tuples of them"
                               : "",
             .needsConstant = true,
             .literalParameter = isAsked ? parameter : std::nullopt});
}

/// For tuples, which include list displays and comprehensions.
typed::Expr *TypeCalls::callTuple(const Builtin &row, const Arguments &arguments) {
  typed::Expr *value = arguments.positional[0];
  if (!value->type->isPlainTuple())
    failArgument(tree, row, *value, "a tuple");
  return tree.makeTuple(tree.itemsOf(value), arguments.span);
}

/// consteval(...) is recognised in the syntax; what comes here has got the function as a value.
typed::Expr *TypeCalls::callConsteval(const Builtin &, const Arguments &arguments) {
  tree.failUnsupported(arguments.span, "consteval cannot be called in this way",
                       "write consteval(value), by a global name or as an attribute of a module");
}

/// The loop over it looks at the syntax (StaticValues::isLiteralUnroll); elsewhere it is its argument.
typed::Expr *TypeCalls::callLiteralUnroll(const Builtin &row, const Arguments &arguments) {
  typed::Expr *value = arguments.positional[0];
  if (!value->type->isTuple() && !value->type->isArray())
    failArgument(tree, row, *value, "a tuple");
  return value;
}

} // namespace treadle

// Calls and their arguments; types, methods and named tuples as callees. Functions and builtins have their own files.
#include "infer/expression_rules.h"

#include "infer/fold.h"

#include <algorithm>

namespace treadle {

using syntax::ExprKind;

typed::Expr *ExpressionRules::call(const syntax::Call &expression) {
  return inBlock(expression.span, [&]() -> typed::Expr * {
    Arguments arguments;
    typed::Expr *callee = nullptr;
    if (expression.callee->kind == ExprKind::Attribute) {
      const auto &attribute = expression.callee->as<syntax::Attribute>();
      typed::Expr *value = expr(*attribute.value);
      const bool isField = value->type->isTuple() && !value->type->itemNames().empty();
      const bool isType = attribute.name == "dtype"; // a.dtype(x)
      if (value->type->isRuntime() && !isField && !isType) {
        evaluateArguments(expression, arguments);
        value = unwrap(value);
        if (value->type->is(Series::Text))
          if (typed::Expr *result = callTextMethod(value, attribute.name, arguments))
            return result;
        if (const CapturedValue *method = libraryMethod(*value->type, attribute.name)) {
          arguments.positional.insert(arguments.positional.begin(), value);
          settle(arguments.positional);
          return callFunction(method->type, arguments);
        }
        return callMethod(value, attribute.name, arguments);
      }
      if (value->type->is(TypeKind::String)) {
        evaluateArguments(expression, arguments);
        if (typed::Expr *result = callTextMethod(value, attribute.name, arguments))
          return result;
      }
      callee = attributeOf(value, attribute);
    } else {
      callee = calleeValue(*expression.callee);
    }
    evaluateArguments(expression, arguments);
    return callValue(callee, arguments);
  });
}

/// The library's own version of a function for dates and durations, if there is one and one of them is an argument.
const CapturedValue *ExpressionRules::libraryOfTimes(std::string_view key, const Arguments &arguments) {
  if (!hasTimes(arguments.positional) || key.starts_with("time.") || key.starts_with("library.") ||
      key.starts_with("computed."))
    return nullptr;
  const CapturedValue &found = compilation.libraryFunction("time." + std::string(key.substr(key.rfind('.') + 1)));
  return found.type ? &found : nullptr;
}

/// The library's function for a method of values of that type, or nullptr.
const CapturedValue *ExpressionRules::libraryMethod(const Type &type, std::string_view name) {
  const char *prefix = type.isArray() || type.is(Series::Elementwise) ? "array."
                       : type.isNumber()                              ? "number."
                                                                      : nullptr;
  if (!prefix)
    return nullptr;
  const CapturedValue &found = compilation.libraryFunction(prefix + std::string(name));
  return found.type ? &found : nullptr;
}

void ExpressionRules::evaluateArguments(const syntax::Call &call, Arguments &arguments) {
  arguments.call = &call;
  arguments.span = call.span;
  Items values;
  for (const syntax::Expr *argument : call.arguments) {
    const bool isStarred = argument->kind == ExprKind::Starred;
    values.push_back(expr(isStarred ? *argument->as<syntax::Starred>().value : *argument));
    if (isStarred && !values.back()->type->isPlainTuple())
      failTyping(argument->span, "only a tuple can be unpacked into arguments, not " + values.back()->type->name());
  }
  for (const syntax::Keyword &keyword : call.keywords) {
    if (keyword.name.empty())
      failUnsupported(keyword.span, "unpacking a dictionary into arguments (**) is not supported",
                      "write the keywords one by one");
    values.push_back(expr(*keyword.value));
  }
  settle(values);
  auto next = values.begin();
  for (const syntax::Expr *argument : call.arguments) {
    typed::Expr *value = *next++;
    const Items items = argument->kind == ExprKind::Starred ? itemsOf(value) : Items{value};
    arguments.positional.insert(arguments.positional.end(), items.begin(), items.end());
  }
  for (const syntax::Keyword &keyword : call.keywords)
    arguments.keywords.emplace_back(keyword.name, *next++);
}

/// Whether the library's function of the same key is called: NumPy's rows are for real numbers, and those of `math` for
/// as many as an operation has.
bool ExpressionRules::isForLibrary(const Builtin &row, const Arguments &arguments) {
  const auto isReal = [](const typed::Expr *argument) {
    const Type *type = argument->type;
    return (type->isOptional() ? type->element() : type)->isReal();
  };
  const Items &given = arguments.positional;
  const bool isOther = row.key.starts_with("numpy.")  ? !std::all_of(given.begin(), given.end(), isReal)
                       : row.key.starts_with("math.") ? given.size() > row.maximum
                                                      : false;
  return isOther && compilation.libraryFunction(row.key).type;
}

/// The library computes functions of math in float32 where they are of halves alone; these have halves as results.
typed::Expr *ExpressionRules::asHalf(const Type &function, typed::Expr *result, const Items &given) {
  const bool isOfHalves =
      std::all_of(given.begin(), given.end(), [](auto *one) { return one->type == types::float16(); });
  const bool isRounded = isOfHalves && !given.empty() && result->type == types::float32();
  return isRounded && function.text().starts_with("math.") ? convert(result, types::float16()) : result;
}

typed::Expr *ExpressionRules::callValue(typed::Expr *callee, Arguments &arguments) {
  const Type *type = callee->type;
  if (isClosure(*type))
    return callClosure(callee, arguments);
  switch (type->kind()) {
  case TypeKind::Builtin:
    if (const bool hasTarget = !arguments.keywords.empty() && arguments.keywords.front().first == "out";
        hasTarget || areElementwise(arguments.positional))
      if (const std::optional<size_t> operands = elementwiseOperands(type->text()))
        return callElementwise(type->text(), *operands, arguments);
    if (const CapturedValue *own = libraryOfTimes(type->text(), arguments))
      return callFunction(own->type, arguments);
    if (const Builtin *row = findBuiltin(type->text()); row && !isForLibrary(*row, arguments))
      return callBuiltin(*row, arguments);
    if (const CapturedValue &function = compilation.libraryFunction(type->text()); function.type)
      return asHalf(*type, callFunction(function.type, arguments), arguments.positional);
    failUnsupported(arguments.span, quoted(type->text()) + " is not supported in kernels");
  case TypeKind::Function:
    return callFunction(type, arguments);
  case TypeKind::TypeObject:
    return callTypeObject(type->element(), arguments);
  case TypeKind::Object:
    return callObject(*callee, arguments);
  default:
    fail(arguments.call->callee->span, {.kind = CompileErrorKind::Typing,
                                        .message = "this cannot be called",
                                        .found = type->name(),
                                        .expected = "a function",
                                        .remedy = type->isNumber() ? "a local variable hides a function of the same "
                                                                     "name, if there is one"
                                                                   : ""});
  }
}

typed::Expr *BuiltinRules::callMethod(typed::Expr *value, std::string_view method, const Arguments &arguments) {
  const bool isArray = value->type->isArray() || value->type->is(Series::Elementwise);
  if (const Builtin *row = isArray ? findBuiltin("array." + std::string(method)) : nullptr) {
    Arguments all = arguments;
    all.positional.insert(all.positional.begin(), value);
    settle(all.positional);
    return callBuiltin(*row, all);
  }
  const bool hasArguments = !arguments.positional.empty() || !arguments.keywords.empty();
  if (value->type->isNumber() && method == "conjugate" && !hasArguments) {
    if (!value->type->isComplex())
      return value;
    return nodes.operation(Operation::Conjugate, value->type, {value}, arguments.span);
  }
  if (value->type->isNumber() && method == "item" && !hasArguments)
    return value;
  fail(arguments.span,
       {.kind = CompileErrorKind::Unsupported,
        .message = "the method " + quoted(method) + " of " + value->type->name() + " is not supported in kernels",
        .found = {},
        .expected = {},
        .remedy = {}});
}

typed::Expr *BuiltinRules::callTypeObject(const Type *type, const Arguments &arguments) {
  const bool isNumber = type->isNumber();
  if (arguments.positional.size() != 1 || !arguments.keywords.empty() || !isNumber) {
    fail(arguments.span,
         {.kind = CompileErrorKind::Type,
          .message = isNumber ? type->name() + "() takes one argument" : type->name() + " cannot be called in a kernel",
          .found = counted(arguments.positional.size() + arguments.keywords.size(), "argument"),
          .expected = {},
          .remedy =
              type->isOpaque() ? "kernels do not have " + type->name() + ": use float16, float32 or complex64" : ""});
  }
  typed::Expr *value = unwrap(arguments.positional[0]);
  if (!value->type->isNumber() || (value->type->isComplex() && !type->isComplex() && !type->isBool())) {
    fail(value->span, {.kind = CompileErrorKind::Typing,
                       .message = "this cannot be converted to " + type->name(),
                       .found = value->type->name(),
                       .expected = type->isComplex() ? "a number" : "a real number",
                       .remedy = value->type->isComplex() ? "take a part of it: .real, .imag or abs()"
                                 : value->type->isArray() ? "index the array"
                                                          : ""});
  }
  value = value->kind == typed::ExprKind::Const ? foldConvert(nodes, value->as<typed::Const>(), type)
                                                : convert(value, type);
  // The user has chosen the type: the constant is no longer a literal, which could take another one.
  if (value->kind == typed::ExprKind::Const) {
    value->as<typed::Const>().isLiteral = false;
    value->as<typed::Const>().isNumpy = true;
  }
  return value;
}

typed::Expr *ExpressionRules::callObject(const typed::Expr &callee, const Arguments &arguments) {
  const Type *type = callee.type;
  const SourceSpan span = arguments.call->callee->span;
  if (const std::string_view name = compilation.names().undecoratedFunction(type->handle()); !name.empty()) {
    fail(span, {.kind = CompileErrorKind::Typing,
                .message = quoted(name) + " is a plain Python function; kernels can only call device functions",
                .found = {},
                .expected = {},
                .remedy = "decorate it with @cuda.jit(device=True)"});
  }
  if (typed::Expr *member = callEnumeration(*type, arguments))
    return member;
  const CapturedValue &fields = compilation.attribute(type->handle(), "_fields");
  if (fields.type && fields.type->isTuple())
    return makeNamedTuple(type, fields, arguments);
  fail(span, {.kind = CompileErrorKind::Typing,
              .message = quoted(type->text()) + " cannot be called in a kernel",
              .found = type->name(),
              .expected = "a device function, a type, or a function that kernels have",
              .remedy = {}});
}

typed::Expr *ExpressionRules::makeNamedTuple(const Type *classType, const CapturedValue &fields,
                                             const Arguments &arguments) {
  std::vector<std::string_view> names;
  for (const CapturedValue &field : fields.items)
    names.push_back(field.type->text());
  Items items = arguments.positional;
  items.resize(std::max(items.size(), names.size()));
  bool fits = arguments.positional.size() + arguments.keywords.size() == names.size();
  for (const auto &[name, value] : arguments.keywords) {
    const auto place = std::find(names.begin(), names.end(), name);
    if (place == names.end() || items[size_t(place - names.begin())]) {
      fits = false;
      break;
    }
    items[size_t(place - names.begin())] = value;
  }
  if (!fits) {
    std::string list;
    for (std::string_view name : names)
      list += (list.empty() ? "" : ", ") + std::string(name);
    fail(arguments.span,
         {.kind = CompileErrorKind::Type,
          .message = quoted(classType->text()) + " takes " + counted(names.size(), "value") + " (" + list + ")",
          .found = counted(arguments.positional.size() + arguments.keywords.size(), "value"),
          .expected = {},
          .remedy = {}});
  }
  std::vector<const Type *> itemTypes;
  for (const typed::Expr *item : items)
    itemTypes.push_back(item->type);
  return nodes.tuple(types::namedTuple(classType->handle(), classType->text(), itemTypes, names), items,
                     arguments.span);
}

} // namespace treadle

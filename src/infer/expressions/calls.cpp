// Calls: arguments, methods, and what is called by what the callee is.
// A call is looked up in this order: methods of run-time values; array expressions, if an argument is an array; the
// library's functions of dates; the table of builtins; the library. The library is CUDA Python itself
// (python/treadle/library): what can be written in the language is not built in.
#include "infer/expressions/calls.h"

#include "infer/tree/advice.h"

#include <algorithm>

namespace treadle {

using syntax::ExprKind;

namespace {

/// The library's own version of a function for dates and durations, if there is one and some argument is of that kind.
/// `max(t, u)` of dates calls time.max. The library's own calls are not looked up again, as they would call themselves.
const CapturedValue *libraryOfTimes(Compilation &compilation, std::string_view key, const Arguments &arguments) {
  if (!hasTimes(arguments.positional) || key.starts_with("time.") || key.starts_with("library.") ||
      key.starts_with("computed."))
    return nullptr;
  const CapturedValue &found = compilation.libraryFunction("time." + std::string(key.substr(key.rfind('.') + 1)));
  return found.type ? &found : nullptr;
}

/// The library function that implements a method of values of that type, or nullptr.
/// `a.sum()` calls array.sum with the array as the first argument.
const CapturedValue *libraryMethod(Compilation &compilation, const Type &type, std::string_view name) {
  const char *prefix = type.isArray() || type.is(Series::Elementwise) ? "array."
                       : type.isNumber()                              ? "number."
                                                                      : nullptr;
  if (!prefix)
    return nullptr;
  const CapturedValue &found = compilation.libraryFunction(prefix + std::string(name));
  return found.type ? &found : nullptr;
}

/// Whether the library function with the same key is called: NumPy's rows are for real numbers, and those of `math` for
/// the number of operands that an operation has.
/// `np.exp(z)` of a complex z, `math.log(x, 2)`.
bool isForLibrary(Compilation &compilation, const Builtin &row, const Arguments &arguments) {
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

/// The library computes math functions of halves alone in float32; their results are halves.
/// As builtin math functions do; NumPy's, which give float16 by a rule of their own, are not meant.
typed::Expr *asHalf(Tree &tree, const Type &function, typed::Expr *result, const Items &given) {
  const bool isOfHalves =
      std::all_of(given.begin(), given.end(), [](auto *one) { return one->type == types::float16(); });
  const bool isRounded = isOfHalves && !given.empty() && result->type == types::float32();
  return isRounded && function.text().starts_with("math.") ? tree.convert(result, types::float16()) : result;
}

/// The number of operands of the elementwise function with that key; nullopt if it is not one.
/// Those of `math` are not elementwise: `math.sin(array)` is an error in Python, too.
std::optional<size_t> elementwiseOperands(Compilation &compilation, std::string_view key) {
  if (const Builtin *row = findBuiltin(key)) {
    using enum BuiltinRule;
    switch (row->rule) {
    case MathUnary:
    case MathBinary:
    case MathRounding:
    case MathClassify:
      return key.starts_with("numpy.") ? std::optional<size_t>(row->minimum) : std::nullopt;
    case Abs:
      return 1;
    case Power:
    case Binary:
    case Unary:
    case Compare:
      return row->minimum;
    default:
      return std::nullopt;
    }
  }
  const CapturedValue &function = compilation.libraryFunction(key);
  if (!function.type || !function.type->is(TypeKind::Function))
    return std::nullopt;
  const CalledFunction &called = compilation.function(function.type->handle()).called;
  return called.isElementwise ? std::optional(called.syntax->root().parameters.size()) : std::nullopt;
}

} // namespace

/// Called by its own name, a nested function is not handed on: it reads its variables at the call, and those may have
/// been assigned more than once.
typed::Expr *Calls::calleeValue(const syntax::Expr &callee) {
  if (callee.kind == ExprKind::Name)
    return names.read(callee.as<syntax::Name>());
  return callee.kind == ExprKind::Lambda ? names.lambda(callee.as<syntax::Lambda>()) : whole.expr(callee);
}

/// Python evaluates the callee first, `value` in `value.method(...)`, then the arguments. A method is recognised by its
/// value having a value at run time; a named tuple's fields may be functions, `t.f(x)`, and `a.dtype(x)` calls a type.
typed::Expr *Calls::call(const syntax::Call &expression) {
  return tree.inBlock(expression.span, [&]() -> typed::Expr * {
    Arguments arguments;
    typed::Expr *callee = nullptr;
    if (expression.callee->kind == ExprKind::Attribute) {
      const auto &attribute = expression.callee->as<syntax::Attribute>();
      typed::Expr *value = whole.expr(*attribute.value);
      const bool isField = value->type->isTuple() && !value->type->itemNames().empty();
      const bool isType = attribute.name == "dtype"; // a.dtype(x)
      if (value->type->isRuntime() && !isField && !isType) {
        evaluateArguments(expression, arguments);
        value = tree.unwrap(value);
        if (value->type->is(Series::Text))
          if (typed::Expr *result = builtins.callTextMethod(value, attribute.name, arguments))
            return result;
        if (const CapturedValue *method = libraryMethod(compilation, *value->type, attribute.name)) {
          arguments.positional.insert(arguments.positional.begin(), value);
          tree.settle(arguments.positional);
          return functions.callFunction(method->type, arguments);
        }
        if (value->type->isPlainTuple() && flow.isList(*attribute.value))
          tree.failUnsupported(expression.span, "lists have no method " + quoted(attribute.name) + " in kernels",
                               std::string(insteadOfLists));
        return builtins.callMethod(value, attribute.name, arguments);
      }
      if (value->type->is(TypeKind::String)) {
        evaluateArguments(expression, arguments);
        if (typed::Expr *result = builtins.callTextMethod(value, attribute.name, arguments))
          return result;
      }
      callee = attributes.attributeOf(value, attribute);
    } else {
      callee = calleeValue(*expression.callee);
    }
    evaluateArguments(expression, arguments);
    return callValue(callee, arguments);
  });
}

/// In the order in which they are written: arguments, then keywords. `f(*t)` unpacks a tuple after all were evaluated.
void Calls::evaluateArguments(const syntax::Call &call, Arguments &arguments) {
  arguments.call = &call;
  arguments.span = call.span;
  Items values;
  for (const syntax::Expr *argument : call.arguments) {
    const bool isStarred = argument->kind == ExprKind::Starred;
    values.push_back(whole.expr(isStarred ? *argument->as<syntax::Starred>().value : *argument));
    if (isStarred && !values.back()->type->isPlainTuple())
      tree.failTyping(argument->span,
                      "only a tuple can be unpacked into arguments, not " + values.back()->type->name());
  }
  for (const syntax::Keyword &keyword : call.keywords) {
    if (keyword.name.empty())
      tree.failUnsupported(keyword.span, "unpacking a dictionary into arguments (**) is not supported",
                           "write the keywords one by one");
    values.push_back(whole.expr(*keyword.value));
  }
  tree.settle(values);
  auto next = values.begin();
  for (const syntax::Expr *argument : call.arguments) {
    typed::Expr *value = *next++;
    const Items items = argument->kind == ExprKind::Starred ? tree.itemsOf(value) : Items{value};
    arguments.positional.insert(arguments.positional.end(), items.begin(), items.end());
  }
  for (const syntax::Keyword &keyword : call.keywords)
    arguments.keywords.emplace_back(keyword.name, *next++);
}

/// By the kind of callee: a closure, a builtin, a function, a type, an object such as a class.
typed::Expr *Calls::callValue(typed::Expr *callee, Arguments &arguments) {
  const Type *type = callee->type;
  if (functions.isClosure(*type))
    return functions.callClosure(callee, arguments);
  switch (type->kind()) {
  case TypeKind::Builtin:
    if (const bool hasTarget = !arguments.keywords.empty() && arguments.keywords.front().first == "out";
        hasTarget || areElementwise(arguments.positional))
      if (const std::optional<size_t> operands = elementwiseOperands(compilation, type->text()))
        return callElementwise(type->text(), *operands, arguments);
    if (const CapturedValue *own = libraryOfTimes(compilation, type->text(), arguments))
      return functions.callFunction(own->type, arguments);
    if (const Builtin *row = findBuiltin(type->text()); row && !isForLibrary(compilation, *row, arguments)) {
      if (row->rule == BuiltinRule::IsInstance && flow.isOfList(*arguments.call))
        tree.failUnsupported(arguments.call->arguments[0]->span, "isinstance() cannot be asked about a list in kernels",
                             "write a tuple, of which kernels know the class");
      return builtins.callBuiltin(*row, arguments);
    }
    if (const CapturedValue &function = compilation.libraryFunction(type->text()); function.type)
      return asHalf(tree, *type, functions.callFunction(function.type, arguments), arguments.positional);
    tree.failUnsupported(arguments.span, quoted(type->text()) + " is not supported in kernels",
                         insteadOfFunction(type->text()));
  case TypeKind::Function:
    return functions.callFunction(type, arguments);
  case TypeKind::TypeObject:
    return builtins.callTypeObject(type->element(), arguments);
  case TypeKind::Object:
    return callObject(*callee, arguments);
  default:
    tree.fail(arguments.call->callee->span,
              {.kind = CompileErrorKind::Typing,
               .message = "this cannot be called",
               .found = type->name(),
               .expected = "a function",
               .remedy = type->isNumber() ? "a local variable hides a function of the same "
                                            "name, if there is one"
                                          : ""});
  }
}

/// The function's own operands come first; one more is the output array.
/// `np.add(a, b, out=c)` and `np.add(a, b, c)` store at once and give c, as in NumPy. Without a target it is an array
/// expression, which computes nothing yet. `out=(c,)` is the tuple that NumPy allows.
typed::Expr *Calls::callElementwise(std::string_view key, size_t operands, Arguments &arguments) {
  typed::Expr *target = nullptr;
  Items &given = arguments.positional;
  for (const auto &[name, value] : arguments.keywords) {
    if (name != "out" || target)
      tree.failUnsupported(arguments.span, "the keyword " + quoted(name) + " of " + std::string(key) +
                                               "() is not supported in kernels");
    target = value;
  }
  if (given.size() == operands + 1 && !target) {
    target = given.back();
    given.pop_back();
  }
  if (given.size() != operands)
    tree.fail(arguments.span, {.kind = CompileErrorKind::Type,
                               .message = std::string(key) + "() takes " + counted(operands, "argument") +
                                          ", and an array " + "for the result",
                               .found = counted(given.size(), "argument")});
  typed::Expr *value = areElementwise(given) ? sequences.elementwise(key, given, arguments.span) : nullptr;
  if (!target)
    return value ? value : whole.applied(key, given, arguments.span);
  if (target->type->isTuple() && target->type->items().size() == 1)
    target = tree.itemsOf(target)[0];
  access.checkStorable(*target, target->span);
  return tree.inBlock(arguments.span, [&] {
    if (!value)
      value = whole.applied(key, given, arguments.span);
    target = tree.spill(target);
    tree.phase()->storeElements(tree.clone(target), value, arguments.span);
    return target;
  });
}

/// Returns if there is no advice.
void Calls::failWithAdvice(const typed::Expr &callee, std::string_view name, SourceSpan span) {
  const NameResolver::Advice advice = compilation.names().adviceOn(callee.type->handle(), "");
  if (!advice.message.empty())
    tree.failTyping(span, quoted(name) + " " + advice.message, advice.remedy);
}

/// What Python has as an object: a plain function, which must be decorated first; an enumeration; a class of named
/// tuples, known by its `_fields`. The resolver has advice for what is often called by mistake.
typed::Expr *Calls::callObject(const typed::Expr &callee, const Arguments &arguments) {
  const Type *type = callee.type;
  const SourceSpan span = arguments.call->callee->span;
  if (const std::string_view name = compilation.names().undecoratedFunction(type->handle()); !name.empty()) {
    failWithAdvice(callee, name, span);
    tree.fail(span, {.kind = CompileErrorKind::Typing,
                     .message = quoted(name) + " is a plain Python function; kernels can only call device functions",
                     .remedy = "decorate it with @cuda.jit(device=True)"});
  }
  if (typed::Expr *member = enumerations.callEnumeration(*type, arguments))
    return member;
  const CapturedValue &fields = compilation.attribute(type->handle(), "_fields");
  if (fields.type && fields.type->isTuple())
    return makeNamedTuple(type, fields, arguments);
  failWithAdvice(callee, type->text(), span);
  tree.fail(span, {.kind = CompileErrorKind::Typing,
                   .message = quoted(type->text()) + " cannot be called in a kernel",
                   .found = type->name(),
                   .expected = "a device function, a type, or a function that kernels have"});
}

/// `Point(1, y=2)`, by position and keyword, without defaults. The class is part of the type, so that isinstance()
/// knows it.
typed::Expr *Calls::makeNamedTuple(const Type *classType, const CapturedValue &fields, const Arguments &arguments) {
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
    tree.fail(arguments.span,
              {.kind = CompileErrorKind::Type,
               .message = quoted(classType->text()) + " takes " + counted(names.size(), "value") + " (" + list + ")",
               .found = counted(arguments.positional.size() + arguments.keywords.size(), "value")});
  }
  std::vector<const Type *> itemTypes;
  for (const typed::Expr *item : items)
    itemTypes.push_back(item->type);
  return tree.tuple(types::namedTuple(classType->handle(), classType->text(), itemTypes, names), items, arguments.span);
}

} // namespace treadle

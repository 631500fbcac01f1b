// Calls of device functions, nested functions and lambdas.
// A callee is an instance of a function: one for each list of argument types, and of constants where it needs them.
// Nested functions are functions with further parameters, the variables that they capture; no environment exists at run
// time.
#include "infer/expressions/functions.h"

#include <algorithm>
#include <array>

namespace treadle {

using syntax::ParameterKind;

namespace {

std::string describe(const syntax::Function &function) {
  std::string names;
  for (const syntax::Parameter &parameter : function.parameters) {
    const char *stars = parameter.kind == ParameterKind::Star ? "*" : "";
    names += (names.empty() ? "" : ", ") + std::string(stars) + std::string(parameter.name);
  }
  const std::string name = function.isLambda ? "this lambda" : quoted(function.name);
  return name + " takes " + counted(function.parameters.size(), "argument") + (names.empty() ? "" : " (" + names + ")");
}

} // namespace

/// Python's binding of arguments: by position, then `*rest`, then by name; each once.
Items Functions::matchParameters(const syntax::Function &function, const Arguments &arguments) {
  const auto &parameters = function.parameters;
  auto failArity = [&](const std::string &found) {
    tree.fail(arguments.span, {.kind = CompileErrorKind::Type, .message = describe(function), .found = found});
  };
  Items values(parameters.size());
  size_t next = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].kind == ParameterKind::DoubleStar)
      tree.failUnsupported(parameters[i].span, "a parameter for any keywords (**) is not supported",
                           "name the parameters");
    if (parameters[i].kind == ParameterKind::Star) {
      values[i] = tree.makeTuple(
          {arguments.positional.begin() + std::min(next, arguments.positional.size()), arguments.positional.end()},
          arguments.span);
      next = arguments.positional.size();
    } else if (parameters[i].kind == ParameterKind::Plain && next < arguments.positional.size()) {
      values[i] = arguments.positional[next++];
    }
  }
  if (next < arguments.positional.size())
    failArity(counted(arguments.positional.size(), "argument"));
  for (const auto &[name, value] : arguments.keywords) {
    const auto place = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const syntax::Parameter &one) { return one.name == name; });
    if (place == parameters.end() || place->kind == ParameterKind::Star)
      failArity("a keyword " + quoted(name) + ", which it does not have");
    typed::Expr *&target = values[size_t(place - parameters.begin())];
    if (target)
      failArity("two values for " + quoted(name));
    target = value;
  }
  for (size_t i = 0; i < parameters.size(); ++i)
    if (!values[i] && !parameters[i].hasDefault && !parameters[i].defaultValue)
      failArity("no value for " + quoted(parameters[i].name));
  return values;
}

/// The library's functions take the rules of their caller, and array expressions as arguments: they are written for
/// both. A user's function gets none, as an expression has no memory of its own.
typed::Expr *Functions::callFunction(const Type *function, const Arguments &arguments) {
  if (const Compilation::Nested *nested = compilation.nested(function->handle()))
    return callNested(*nested, capturesAt(*arguments.call->callee, *nested->scope), arguments,
                      statics.sourcesAt(*arguments.call->callee, *nested->scope));
  InstanceRequest callee;
  callee.known = &compilation.function(function->handle());
  callee.scope = callee.known->scope.get();
  callee.rules = callee.known->called.libraryName.empty() ? callee.known->called.rules : request.rules;
  Items values = matchParameters(callee.function(), arguments);
  checkInto(callee, values, arguments.span);
  if (callee.known->called.libraryName.empty())
    for (const typed::Expr *value : values)
      if (value && value->type->is(Series::Elementwise))
        tree.failUnsupported(value->span, "an array expression cannot be an argument: it has no memory of its own",
                             "assign it to elements of an array, and pass that");
  chooseSignature(callee, values, arguments);
  bindArguments(callee, values, arguments);
  return makeCall(callee, values, arguments);
}

/// For a function that stores its result into an argument: that must not share memory with the others.
/// `np.dot(a, b, out=a)` is refused; `np.cumsum(a, out=a)`, with one array to read, stores each element after it was
/// read.
void Functions::checkInto(const InstanceRequest &callee, const Items &values, SourceSpan span) {
  const CalledFunction &called = callee.known->called;
  const auto &parameters = callee.function().parameters;
  const auto isInto = [&](const syntax::Parameter &one) { return one.name == called.into; };
  const size_t into = size_t(std::ranges::find_if(parameters, isInto) - parameters.begin());
  if (called.into.empty() || into == parameters.size() || !values[into] || !values[into]->type->isArray())
    return;
  std::vector<size_t> read;
  for (size_t i = 0; i < values.size(); ++i)
    if (i != into && values[i] && areElementwise({values[i]}))
      read.push_back(i);
  for (const size_t i : read)
    tree.phase()->checkInto({called.libraryName, called.into, parameters[i].name, read.size() == 1, span},
                            *values[into], *values[i]);
}

/// `captures`: the enclosing functions' values that it uses, in the order of Scope::captured.
/// Captured constants are constants inside of it, too, without being asked for, as in Python a captured 3 is just 3.
typed::Expr *Functions::callNested(const Compilation::Nested &nested, const Items &captures, const Arguments &arguments,
                                   const std::vector<const CapturedValue *> &sources) {
  InstanceRequest callee;
  callee.known = nested.owner;
  callee.scope = nested.scope;
  callee.rules = request.rules;
  Items values = matchParameters(callee.function(), arguments);
  bindArguments(callee, values, arguments);
  for (size_t i = 0; i < captures.size(); ++i) {
    typed::Expr *value = captures[i];
    const bool isKnown = value->kind == typed::ExprKind::Const;
    const CapturedValue *source = i < sources.size() ? sources[i] : nullptr;
    callee.bindings.push_back({value->type, isKnown ? compilation.keep(*value) : nullptr, source});
    values.push_back(isKnown ? nullptr : value);
  }
  return makeCall(callee, values, arguments);
}

/// A call of a closure, with the values that it captured when it was created.
typed::Expr *Functions::callClosure(typed::Expr *closure, Arguments &arguments) {
  return tree.inBlock(arguments.span, [&] {
    Items all{closure};
    all.insert(all.end(), arguments.positional.begin(), arguments.positional.end());
    tree.settle(all);
    arguments.positional.assign(all.begin() + 1, all.end());
    return callNested(*compilation.nested(all[0]->type->handle()), tree.itemsOf(all[0]), arguments);
  });
}

/// Explicit signatures: the one with the fewest of the worst conversions, as Numba ranks them.
/// A device function with signatures is compiled for these alone; the arguments are converted, except for arrays.
void Functions::chooseSignature(const InstanceRequest &callee, Items &values, const Arguments &arguments) {
  if (callee.scope->enclosing() || callee.known->called.signatures.empty())
    return;
  using Cost = std::array<int, 3>; // unsafe, safe, promote
  const std::vector<const Type *> *best = nullptr;
  Cost bestCost{};
  bool isTie = false;
  std::string found;
  for (const typed::Expr *value : values)
    found += (found.empty() ? "" : ", ") + (value ? value->type->name() : "default");
  for (const auto &signature : callee.known->called.signatures) {
    Cost cost{};
    bool fits = signature.size() <= values.size();
    for (size_t i = 0; fits && i < signature.size(); ++i) {
      if (!values[i])
        continue;
      const Conversion one = NumberRules::conversion(values[i]->type, signature[i]);
      fits = one != Conversion::None;
      if (fits && one != Conversion::Exact)
        ++cost[one == Conversion::Unsafe ? 0 : one == Conversion::Safe ? 1 : 2];
    }
    if (!fits || (best && bestCost < cost))
      continue;
    isTie = best && bestCost == cost;
    best = &signature;
    bestCost = cost;
  }
  const std::string name(callee.function().name);
  if (!best || isTie)
    tree.fail(arguments.span,
              {.kind = CompileErrorKind::Typing,
               .message = isTie ? "two signatures of " + quoted(name) + " fit these arguments equally well"
                                : "no signature of " + quoted(name) + " fits these arguments",
               .found = found,
               .expected = Signature{callee.known->called.signatures.front(), nullptr}.name()});
  for (size_t i = 0; i < best->size(); ++i)
    if (values[i] && !(*best)[i]->isArray())
      values[i] = tree.convert(values[i], (*best)[i]);
}

/// Arrays are passed with their layout and space: the callee is compiled for each combination.
void Functions::bindArguments(InstanceRequest &callee, Items &values, const Arguments &arguments) {
  const auto &parameters = callee.function().parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!values[i]) {
      callee.bindings.push_back(defaultOf(callee, parameters[i], arguments.span));
      continue;
    }
    callee.bindings.push_back({values[i]->type});
  }
}

/// Of a nested function, the default is an expression of the function around; of others Python has evaluated it at
/// `def`.
Binding Functions::defaultOf(const InstanceRequest &callee, const syntax::Parameter &parameter, SourceSpan span) {
  typed::Expr *value = nullptr;
  if (parameter.defaultValue) {
    value = whole.expr(*parameter.defaultValue);
  } else {
    const CapturedValue &captured = compilation.parameterDefault(callee.known->called.handle, parameter.name);
    TREADLE_CHECK(captured.type != nullptr);
    value = names.captured(captured, span, parameter.name);
  }
  if (!typed::isConstant(*value))
    tree.failUnsupported(span, "the default of " + quoted(parameter.name) + " is not a constant",
                         "pass the value in the call");
  return {value->type, compilation.keep(*value)};
}

/// The captured names' values where `place` reads the nested function.
/// Not found: the function has come here in another way than by its name, so its variables are those of another place.
Items Functions::capturesAt(const syntax::Expr &place, const Scope &nested) {
  Items values;
  const auto found = flow.captures.find(&place);
  for (std::string_view name : nested.captured()) {
    const Flow::Captures none;
    const Flow::Captures &here = found == flow.captures.end() ? none : found->second;
    const auto one = std::find_if(here.begin(), here.end(), [&](const auto &pair) { return pair.first == name; });
    if (one == here.end()) {
      tree.failUnsupported(
          place.span, "a nested function that uses " + quoted(name) + " of the function around it is called elsewhere",
          "pass " + quoted(name) + " as an argument");
    }
    values.push_back(names.readNode(one->second, place.span, name));
  }
  return values;
}

/// A nested function that becomes a closure carries its captured values along: a tuple of them, whose handle is the
/// function's. Any other value is returned unchanged.
/// `g = f` or `apply(f, x)`. Without captures the type of the function says all.
typed::Expr *Functions::handedOn(typed::Expr *value, const syntax::Expr &place) {
  const Compilation::Nested *nested =
      value->type->is(TypeKind::Function) ? compilation.nested(value->type->handle()) : nullptr;
  if (!nested || nested->scope->captured().empty())
    return value;
  const Items captures = capturesAt(place, *nested->scope);
  std::vector<const Type *> types;
  for (const typed::Expr *one : captures)
    types.push_back(one->type);
  return tree.tuple(types::namedTuple(value->type->handle(), value->type->text(), types, {}), captures, place.span);
}

/// Named tuples have handles of Python's classes, which differ from those of nested functions by the top bit.
bool Functions::isClosure(const Type &type) const {
  return type.isTuple() && !type.isSeries() && compilation.nested(type.handle());
}

/// A variable that holds a closure: its captures must not change afterwards, as Python reads them at the call.
/// `n = 1; g = f; n = 2; g()` reads 2 in Python, but a closure has the value from when it was made.
void Functions::checkClosure(const Type &type, SourceSpan span) const {
  if (type.isTuple() && !isClosure(type))
    for (const Type *item : type.items())
      checkClosure(*item, span);
  if (!isClosure(type))
    return;
  const Scope &closure = *compilation.nested(type.handle())->scope;
  for (std::string_view name : closure.captured()) {
    if (closure.isCapturedFrom(scope, name) && flow.mayChange(scope.find(name)))
      tree.failUnsupported(span,
                           "a nested function that uses " + quoted(name) +
                               ", which is assigned more than once, cannot be kept in a variable",
                           "call it by its own name, or hand it on as an argument");
  }
}

/// The result type of a recursive call, as far as the returns determine it.
/// `return 1 if n < 2 else n * fact(n - 1)`: the first return that needs no recursion gives the type.
const Type *Functions::recursiveResult(SourceSpan span) {
  const FlowNode &result = flow.nodes[flow.result];
  const Type *type = request.result ? request.result : result.type;
  tree.phase()->recur(type, span);
  return type;
}

/// Binds the parameters with constant arguments to their values. False if there is none.
/// What has no storage is known by its type anyway.
bool Functions::bindConstants(InstanceRequest &callee, const Items &values) {
  bool hasNew = false;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i] || callee.bindings[i].constant || !typed::isConstant(*values[i]) ||
        !typed::hasStorage(values[i]->type))
      continue;
    callee.bindings[i].constant = compilation.keep(*values[i]);
    hasNew = true;
  }
  return hasNew;
}

/// The parameter of this function that the call passes on as `value`.
/// For `literally(n)` in a callee: if the argument is a parameter of the caller, the caller's caller must give it.
std::optional<uint32_t> Functions::literalParameter(const typed::Expr *value, const Arguments &arguments) const {
  const auto &positional = arguments.call->arguments;
  for (size_t i = 0; i < positional.size() && positional[i]->kind != syntax::ExprKind::Starred; ++i)
    if (arguments.positional[i] == value)
      return whole.parameterRead(*positional[i]);
  for (size_t i = 0; i < arguments.keywords.size() && i < arguments.call->keywords.size(); ++i)
    if (arguments.keywords[i].second == value)
      return whole.parameterRead(*arguments.call->keywords[i].value);
  return std::nullopt;
}

/// A parameter is a variable unless the callee cannot be compiled so (the shape of an array, for example, needs a
/// constant): then constant arguments are constants inside it, too, as in Numba. nullptr: the callee is this instance
/// itself.
/// Tried in this order: variables; constants where the error says that they are needed, or that it is one of types,
/// which a branch that constants rule out may have; at last a heap. If constants do not help, the first error is
/// reported, about the function as the user wrote it. A callee with constants may turn out to be this instance, by
/// recursion.
std::shared_ptr<const TypedFunction> Functions::instanceOf(InstanceRequest &callee, const Items &values,
                                                           const Arguments &arguments) {
  const auto isOwn = [&] { return compilation.keyOf(callee) == compilation.keyOf(request); };
  if (isOwn())
    return nullptr;
  std::optional<Diagnostic> first;
  for (;;) {
    try {
      return isOwn() ? nullptr : compilation.instance(callee, source, arguments.span);
    } catch (const CompileError &error) {
      Diagnostic diagnostic = error.diagnostic();
      if (const std::optional<uint32_t> asked = diagnostic.literalParameter)
        diagnostic.literalParameter = literalParameter(values[*asked], arguments);
      // An error for variables may be in a branch that the constants rule out.
      const bool isOfTypes =
          diagnostic.kind != CompileErrorKind::Unsupported && diagnostic.kind != CompileErrorKind::Limit;
      const bool mayHelp = diagnostic.needsConstant || (isOfTypes && compilation.triesConstants());
      if (mayHelp && bindConstants(callee, values)) {
        if (!diagnostic.needsConstant)
          first = std::move(diagnostic);
        continue;
      }
      if (diagnostic.needsHeap && request.allowsHeap && !callee.allowsHeap) {
        callee.allowsHeap = true;
        continue;
      }
      throw CompileError(first ? std::move(*first) : std::move(diagnostic));
    }
  }
}

namespace {

/// The function's return value, if returning a constant is all it does.
/// So that `def width(): return 32` can be the shape of an array.
const typed::Expr *constantResult(const TypedFunction &function) {
  if (function.body.size() != 1 || function.body[0]->kind != typed::StmtKind::Return)
    return nullptr;
  const typed::Expr *value = function.body[0]->as<typed::Return>().value;
  return value && typed::isConstant(*value) ? value : nullptr;
}

} // namespace

/// Arguments without storage, and those that are constants inside, are evaluated but not passed. The callee is kept
/// alive by the list of callees; a call of the function itself is not in it, as it would keep itself alive.
typed::Expr *Functions::makeCall(InstanceRequest &callee, const Items &values, const Arguments &arguments) {
  std::shared_ptr<const TypedFunction> function = instanceOf(callee, values, arguments);
  const bool isOwn = !function;
  const Type *ownResult = isOwn ? recursiveResult(arguments.span) : nullptr;
  if (isOwn)
    function = out;
  else if (const typed::Expr *result = constantResult(*function))
    return tree.after(values, tree.copyConstant(*compilation.keep(*result)));
  Items given;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] && typed::hasStorage(values[i]->type) && !callee.bindings[i].constant)
      given.push_back(values[i]);
    else if (values[i])
      tree.emitValue(values[i], arguments.span);
  }
  if (auto &callees = tree.phase()->noted().callees;
      !isOwn && std::find(callees.begin(), callees.end(), function) == callees.end())
    callees.push_back(function);
  return tree.memory().make<typed::Call>(
      typed::Expr{typed::ExprKind::Call, isOwn ? ownResult : function->signature.result, arguments.span},
      function.get(), tree.memory().list(given));
}

} // namespace treadle

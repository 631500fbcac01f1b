// Calls of device functions, nested functions and lambdas.
#include "infer/inference.h"

#include "typed/made_arrays.h"

#include <algorithm>
#include <array>

namespace treadle {

using syntax::ParameterKind;

static std::string describe(const syntax::Function &function) {
  std::string names;
  for (const syntax::Parameter &parameter : function.parameters) {
    const char *stars = parameter.kind == ParameterKind::Star ? "*" : "";
    names += (names.empty() ? "" : ", ") + std::string(stars) + std::string(parameter.name);
  }
  const std::string name = function.isLambda ? "this lambda" : quoted(function.name);
  return name + " takes " + counted(function.parameters.size(), "argument") + (names.empty() ? "" : " (" + names + ")");
}

ExpressionRules::Items ExpressionRules::matchParameters(const syntax::Function &function, const Arguments &arguments) {
  const auto &parameters = function.parameters;
  auto failArity = [&](const std::string &found) {
    fail(arguments.span,
         {.kind = CompileErrorKind::Type, .message = describe(function), .found = found, .expected = {}, .remedy = {}});
  };
  Items values(parameters.size());
  size_t next = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].kind == ParameterKind::DoubleStar)
      failUnsupported(parameters[i].span, "a parameter for any keywords (**) is not supported", "name the parameters");
    if (parameters[i].kind == ParameterKind::Star) {
      values[i] = makeTuple(
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

typed::Expr *ExpressionRules::callFunction(const Type *function, const Arguments &arguments) {
  if (const Compilation::Nested *nested = compilation.nested(function->handle()))
    return callNested(*nested, capturesAt(*arguments.call->callee, *nested->scope), arguments,
                      sourcesAt(*arguments.call->callee, *nested->scope));
  InstanceRequest callee;
  callee.known = &compilation.function(function->handle());
  callee.scope = callee.known->scope.get();
  callee.rules = callee.known->called.libraryName.empty() ? callee.known->called.rules : request.rules;
  Items values = matchParameters(callee.function(), arguments);
  checkInto(callee, values, arguments.span);
  if (callee.known->called.libraryName.empty())
    for (const typed::Expr *value : values)
      if (value && value->type->is(Series::Elementwise))
        failUnsupported(value->span, "an array expression cannot be an argument: it has no memory of its own",
                        "assign it to elements of an array, and pass that");
  chooseSignature(callee, values, arguments);
  bindArguments(callee, values, arguments);
  return makeCall(callee, values, arguments);
}

/// Of a function that stores its result into an argument: that has no memory of the others.
void ExpressionRules::checkInto(const InstanceRequest &callee, const Items &values, SourceSpan span) {
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
    phase->checkInto({called.libraryName, called.into, parameters[i].name, read.size() == 1, span}, *values[into],
                     *values[i]);
}

/// `captures`: what the function uses of those around it, in the order of Scope::captured.
typed::Expr *ExpressionRules::callNested(const Compilation::Nested &nested, const Items &captures,
                                         const Arguments &arguments,
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

/// A function that was handed on, with what it had captured then.
typed::Expr *ExpressionRules::callClosure(typed::Expr *closure, Arguments &arguments) {
  return inBlock(arguments.span, [&] {
    Items all{closure};
    all.insert(all.end(), arguments.positional.begin(), arguments.positional.end());
    settle(all);
    arguments.positional.assign(all.begin() + 1, all.end());
    return callNested(*compilation.nested(all[0]->type->handle()), itemsOf(all[0]), arguments);
  });
}

/// Explicit signatures: the one whose worst conversions are fewest, as Numba ranks them.
void ExpressionRules::chooseSignature(const InstanceRequest &callee, Items &values, const Arguments &arguments) {
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
    fail(arguments.span, {.kind = CompileErrorKind::Typing,
                          .message = isTie ? "two signatures of " + quoted(name) + " fit these arguments equally well"
                                           : "no signature of " + quoted(name) + " fits these arguments",
                          .found = found,
                          .expected = Signature{callee.known->called.signatures.front(), nullptr}.name(),
                          .remedy = {}});
  for (size_t i = 0; i < best->size(); ++i)
    if (values[i] && !(*best)[i]->isArray())
      values[i] = convert(values[i], (*best)[i]);
}

/// Arrays are passed with the layout and space that they have: the callee is compiled for each.
void ExpressionRules::bindArguments(InstanceRequest &callee, Items &values, const Arguments &arguments) {
  const auto &parameters = callee.function().parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!values[i]) {
      callee.bindings.push_back(defaultOf(callee, parameters[i], arguments.span));
      continue;
    }
    callee.bindings.push_back({values[i]->type});
  }
}

Binding ExpressionRules::defaultOf(const InstanceRequest &callee, const syntax::Parameter &parameter, SourceSpan span) {
  typed::Expr *value = nullptr;
  if (parameter.defaultValue) {
    value = expr(*parameter.defaultValue);
  } else {
    const CapturedValue &captured = compilation.parameterDefault(callee.known->called.handle, parameter.name);
    TREADLE_CHECK(captured.type != nullptr);
    value = this->captured(captured, span, parameter.name);
  }
  if (!typed::isConstant(*value))
    failUnsupported(span, "the default of " + quoted(parameter.name) + " is not a constant",
                    "pass the value in the call");
  return {value->type, compilation.keep(*value)};
}

/// What the names that a nested function captures are where `place` reads it.
ExpressionRules::Items ExpressionRules::capturesAt(const syntax::Expr &place, const Scope &nested) {
  Items values;
  const auto found = flow.captures.find(&place);
  for (std::string_view name : nested.captured()) {
    const Flow::Captures none;
    const Flow::Captures &here = found == flow.captures.end() ? none : found->second;
    const auto one = std::find_if(here.begin(), here.end(), [&](const auto &pair) { return pair.first == name; });
    if (one == here.end()) {
      failUnsupported(place.span,
                      "a nested function that uses " + quoted(name) + " of the function around it is called elsewhere",
                      "pass " + quoted(name) + " as an argument");
    }
    values.push_back(readNode(one->second, place.span, name));
  }
  return values;
}

/// A nested function that is handed on takes the values with it that it has captured: a tuple of them, whose handle is
/// the function's. Any other value is itself.
typed::Expr *ExpressionRules::handedOn(typed::Expr *value, const syntax::Expr &place) {
  const Compilation::Nested *nested =
      value->type->is(TypeKind::Function) ? compilation.nested(value->type->handle()) : nullptr;
  if (!nested || nested->scope->captured().empty())
    return value;
  const Items captures = capturesAt(place, *nested->scope);
  std::vector<const Type *> types;
  for (const typed::Expr *one : captures)
    types.push_back(one->type);
  return nodes.tuple(types::namedTuple(value->type->handle(), value->type->text(), types, {}), captures, place.span);
}

bool ExpressionRules::isClosure(const Type &type) const {
  return type.isTuple() && !type.isSeries() && compilation.nested(type.handle());
}

/// Whether it is assigned in two places, or by each turn of a loop.
bool ExpressionRules::mayChange(uint32_t name) const {
  size_t assigned = 0;
  for (NodeId id = 0; id < flow.nodes.size(); ++id) {
    const FlowNode &node = flow.nodes[id];
    if (node.name != name || node.kind == FlowNode::Kind::Unset)
      continue;
    assigned += node.kind != FlowNode::Kind::Join;
    // Only a join at the head of a loop has an operand that comes after it.
    if (std::any_of(node.operands.begin(), node.operands.end(), [&](NodeId operand) { return operand > id; }))
      return true;
  }
  return assigned > 1;
}

/// A variable of the function that holds a closure: what that has captured must not change any more, as Python looks at
/// it when it is called.
void ExpressionRules::checkClosure(const Type &type, SourceSpan span) const {
  if (type.isTuple() && !isClosure(type))
    for (const Type *item : type.items())
      checkClosure(*item, span);
  if (!isClosure(type))
    return;
  const Scope &closure = *compilation.nested(type.handle())->scope;
  for (std::string_view name : closure.captured()) {
    if (closure.isCapturedFrom(scope, name) && mayChange(scope.find(name)))
      failUnsupported(span,
                      "a nested function that uses " + quoted(name) +
                          ", which is assigned more than once, cannot be kept in a variable",
                      "call it by its own name, or hand it on as an argument");
  }
}

/// The result type of a call of the function by itself, as far as its returns tell.
const Type *ExpressionRules::recursiveResult(SourceSpan span) {
  const FlowNode &result = flow.nodes[flow.result];
  const Type *type = request.result ? request.result : result.type;
  phase->recur(type, span);
  return type;
}

void Inference::failRecursionThroughBarrier(SourceSpan span) const {
  fail(span,
       {.kind = CompileErrorKind::Unsupported,
        .message = "recursion through a barrier: " + quoted(out->name) + " calls itself, and waits for other threads",
        .found = {},
        .expected = {},
        .remedy = "wait in the kernel, or write the recursion as a loop"});
}

void Inference::failRecursionWithHeap(SourceSpan span) const {
  fail(span, {.kind = CompileErrorKind::Unsupported,
              .message = quoted(out->name) + " calls itself, and makes an array whose shape is known only at run time",
              .found = {},
              .expected = {},
              .remedy = "make the array in the kernel and pass it, or write the recursion as a loop"});
}

/// Refuses what needs two arrays where kernels have one: the same place made again while its last array is in use.
void Inference::followMadeArrays() {
  const typed::MadeArrays arrays = typed::followMadeArrays(*out);
  out->givesArrays = arrays.mayBeResult;
  if (out->isRecursive && out->givesArrays)
    fail(recursion, {.kind = CompileErrorKind::Unsupported,
                     .message = quoted(out->name) + " calls itself, and returns an array that it makes",
                     .found = {},
                     .expected = {},
                     .remedy = "make the array in the kernel and pass it, or write the recursion as a loop"});
  if (!arrays.kept)
    return;
  const std::string_view name = arrays.kept->slot->name;
  fail(arrays.kept->span,
       {.kind = CompileErrorKind::Unsupported,
        .message = (name.empty() ? "an array" : quoted(name)) + " may be used after the loop has made the array anew",
        .found = "the array made in line " + std::to_string(arrays.made->span.line),
        .expected = {},
        .remedy = "kernels have one array for each place that makes one: make as many as are in use before the loop, "
                  "and fill, copy (kept[:] = new) or swap them (a, b = b, a) in it"});
}

/// Binds the parameters that get constants to their values. False if there is none.
bool ExpressionRules::bindConstants(InstanceRequest &callee, const Items &values) {
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

std::optional<uint32_t> ExpressionRules::parameterRead(const syntax::Expr &expression) const {
  if (expression.kind != syntax::ExprKind::Name)
    return std::nullopt;
  const auto read = flow.reads.find(&expression.as<syntax::Name>());
  const auto &parameters = scope.function().parameters;
  if (read == flow.reads.end() || read->second >= parameters.size() ||
      parameters[read->second].kind == syntax::ParameterKind::Star)
    return std::nullopt;
  return read->second;
}

/// The parameter of this function that the call hands on as `value`.
std::optional<uint32_t> ExpressionRules::literalParameter(const typed::Expr *value, const Arguments &arguments) const {
  const auto &positional = arguments.call->arguments;
  for (size_t i = 0; i < positional.size() && positional[i]->kind != syntax::ExprKind::Starred; ++i)
    if (arguments.positional[i] == value)
      return parameterRead(*positional[i]);
  for (size_t i = 0; i < arguments.keywords.size() && i < arguments.call->keywords.size(); ++i)
    if (arguments.keywords[i].second == value)
      return parameterRead(*arguments.call->keywords[i].value);
  return std::nullopt;
}

/// A parameter is a variable unless the callee cannot be compiled so (the shape of an array, say, needs a constant):
/// then those that are given as constants are constants inside it, too, as in Numba. nullptr: the callee is this
/// instance itself.
std::shared_ptr<const TypedFunction> ExpressionRules::instanceOf(InstanceRequest &callee, const Items &values,
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
      // What is wrong for variables may be in a branch that the constants rule out.
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

/// What the function returns, if that is all it does and it is known while compiling.
static const typed::Expr *constantResult(const TypedFunction &function) {
  if (function.body.size() != 1 || function.body[0]->kind != typed::StmtKind::Return)
    return nullptr;
  const typed::Expr *value = function.body[0]->as<typed::Return>().value;
  return value && typed::isConstant(*value) ? value : nullptr;
}

typed::Expr *ExpressionRules::makeCall(InstanceRequest &callee, const Items &values, const Arguments &arguments) {
  std::shared_ptr<const TypedFunction> function = instanceOf(callee, values, arguments);
  const bool isOwn = !function;
  const Type *ownResult = isOwn ? recursiveResult(arguments.span) : nullptr;
  if (isOwn)
    function = out;
  else if (const typed::Expr *result = constantResult(*function))
    return after(values, copyConstant(*compilation.keep(*result)));
  Items given;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] && typed::hasStorage(values[i]->type) && !callee.bindings[i].constant)
      given.push_back(values[i]);
    else if (values[i])
      emitValue(values[i], arguments.span);
  }
  if (auto &callees = phase->noted().callees;
      !isOwn && std::find(callees.begin(), callees.end(), function) == callees.end())
    callees.push_back(function);
  return nodes.memory().make<typed::Call>(
      typed::Expr{typed::ExprKind::Call, isOwn ? ownResult : function->signature.result, arguments.span},
      function.get(), nodes.memory().list(given));
}

} // namespace treadle

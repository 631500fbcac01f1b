// Instances, each inferred once; meanings of names, each resolved once.
// Everything that Python is asked for is remembered here: answers must be the same for all functions of a compilation,
// and the questions are recorded for the compilation cache (border/recorded_names). References to answers stay valid as
// long as the compilation: maps keep them by pointer.
#include "infer/instances/compilation.h"

#include "infer/flow/mistake.h"

#include <algorithm>
#include <bit>
#include <fmt/core.h>
#include <unordered_set>

namespace treadle {

namespace {

/// Marks handles of nested functions, which Python does not know.
constexpr uint64_t ownHandle = uint64_t(1) << 63;

/// The maximum nesting of calls of one Python function with different argument types: `f((x, x))` in f(x) would not
/// end.
constexpr size_t maxOwnDepth = 64;

} // namespace

/// Asks for the source at the first call only: a function that is never called may have none.
const KnownFunction &Compilation::function(uint64_t handle) {
  auto found = functions.find(handle);
  if (found != functions.end())
    return *found->second;
  CalledFunction called = resolver.function(handle);
  called.handle = handle;
  return addFunction(std::move(called));
}

/// Parsed trees are shared by all closures of the same lines; the scope belongs to the function.
const KnownFunction &Compilation::addFunction(CalledFunction function) {
  auto known = std::make_unique<KnownFunction>();
  known->scope = std::make_unique<Scope>(function.syntax->root());
  const uint64_t handle = function.handle;
  known->called = std::move(function);
  return *functions.emplace(handle, std::move(known)).first->second;
}

const CapturedValue &Compilation::resolve(uint64_t function, std::string_view name) {
  auto [place, isNew] = resolved.try_emplace({function, std::string(name)});
  if (isNew)
    place->second = std::make_unique<CapturedValue>(resolver.resolve(function, name));
  return *place->second;
}

const CapturedValue &Compilation::attribute(uint64_t handle, std::string_view name) {
  auto [place, isNew] = attributes.try_emplace({handle, std::string(name)});
  if (isNew)
    place->second = std::make_unique<CapturedValue>(resolver.attribute(handle, name));
  return *place->second;
}

const CapturedValue &Compilation::members(uint64_t handle) {
  auto [place, isNew] = enumerations.try_emplace(handle);
  if (isNew)
    place->second = std::make_unique<CapturedValue>(resolver.members(handle));
  return *place->second;
}

/// Two names of one device array are one pointer, which may be read and written through both.
uint32_t Compilation::positionOf(const CapturedValue &deviceArray) {
  const auto [known, isNew] = positions.try_emplace(deviceArray.object.get(), uint32_t(pointers.size()));
  if (isNew)
    pointers.push_back(*deviceArray.devicePointer);
  return known->second;
}

/// Keeps the object itself as the key: an address alone might be used again for another array.
std::shared_ptr<const std::vector<std::byte>> Compilation::contentsOf(const CapturedValue &hostArray) {
  return contents.try_emplace(hostArray.object, hostArray.data).first->second;
}

const CapturedValue &Compilation::parameterDefault(uint64_t function, std::string_view name) {
  auto [place, isNew] = defaults.try_emplace({function, std::string(name)});
  if (isNew)
    place->second = std::make_unique<CapturedValue>(resolver.parameterDefault(function, name));
  return *place->second;
}

const CapturedValue &Compilation::libraryFunction(std::string_view key) {
  auto [place, isNew] = library.try_emplace({0, std::string(key)});
  if (isNew)
    place->second = std::make_unique<CapturedValue>(resolver.libraryFunction(key));
  return *place->second;
}

namespace {

// Keys are bytes of what they consist of, types by their pointers: equal types have equal ones. Keys do not leave the
// process.
void append(std::string &key, const auto &bits) { key.append(reinterpret_cast<const char *>(&bits), sizeof bits); }

/// Objects count by identity, not by what Python would find equal.
void appendValue(std::string &key, const CapturedValue &value) {
  const void *object = value.object.get();
  append(key, value.type);
  append(key, object);
  append(key, value.integer);
  append(key, value.real);
  append(key, value.imag);
  key += value.isNumpy ? 'n' : 'p';
  for (const CapturedValue &item : value.items)
    appendValue(key, item);
}

} // namespace

/// Python's code runs once for each list of values, also if it stands in a function of several instances.
const ConstevalResult &Compilation::evaluate(uint64_t function, const ConstevalRequest &request) {
  std::string key;
  append(key, function);
  append(key, request.code);
  key += request.wantsItems ? 'i' : 'v';
  for (const ConstevalName &one : request.names) {
    key.append(one.name) += char('0' + int(one.kind));
    appendValue(key, one.value);
  }
  auto [place, isNew] = evaluated.try_emplace(std::move(key));
  if (isNew)
    place->second = std::make_unique<ConstevalResult>(resolver.evaluate(function, request));
  return *place->second;
}

/// By definition and owner: the same definition in another closure of the outer function is another function.
const Type *Compilation::nestedFunction(const syntax::Function &function, std::string_view name, const Scope &scope,
                                        const KnownFunction &owner) {
  auto found = std::find_if(nestedFunctions.begin(), nestedFunctions.end(), [&](const Nested &nested) {
    return nested.function == &function && nested.owner == &owner;
  });
  const uint64_t index = uint64_t(found - nestedFunctions.begin());
  if (found == nestedFunctions.end())
    nestedFunctions.push_back({&function, &scope, &owner});
  return types::function(ownHandle | index, name);
}

const Compilation::Nested *Compilation::nested(uint64_t handle) const {
  return handle & ownHandle ? &nestedFunctions[handle & ~ownHandle] : nullptr;
}

namespace {

/// Bitwise, as 0.0 and -0.0 give different code; literals differ from other constants in the types that they lead to.
void appendConstant(std::string &key, const typed::Expr &value) {
  if (value.kind == typed::ExprKind::Tuple) {
    for (const typed::Expr *item : value.as<typed::Tuple>().items)
      appendConstant(key, *item);
    return;
  }
  const auto &constant = value.as<typed::Const>();
  key.append(reinterpret_cast<const char *>(&constant.integer), sizeof constant.integer);
  key.append(reinterpret_cast<const char *>(&constant.real), sizeof constant.real);
  key.append(reinterpret_cast<const char *>(&constant.imag), sizeof constant.imag);
  key += constant.isLiteral ? 'l' : 'v';
  key += constant.isNumpy ? 'n' : 'p';
}

/// Bitwise: nan equals nan, and 0.0 differs from -0.0.
bool areSameBits(double left, double right) { return std::bit_cast<uint64_t>(left) == std::bit_cast<uint64_t>(right); }

} // namespace

/// Asks for sources that may not be needed, so that an error is no answer.
bool Compilation::areSameFunctions(const Type *left, const Type *right, Pairs &assumed) {
  try {
    return areSame(function(left->handle()), function(right->handle()), assumed);
  } catch (const CompileError &) {
    return false; // its source is unavailable: an error only if it is called
  }
}

/// Whether kernels could tell them apart. Two functions with the same code are the same if their names mean the same.
bool Compilation::areSame(const CapturedValue &left, const CapturedValue &right, Pairs &assumed) {
  if (!left.type || !right.type)
    return left.type == right.type;
  if (left.type->is(TypeKind::Function) && right.type->is(TypeKind::Function))
    return left.type == right.type || areSameFunctions(left.type, right.type, assumed);
  if (left.items.size() != right.items.size())
    return false;
  for (size_t i = 0; i < left.items.size(); ++i)
    if (!areSame(left.items[i], right.items[i], assumed))
      return false;
  // Objects and modules differ by their types. Only tuples of functions may differ in type and still be equal.
  if (left.type != right.type)
    return left.type->isTuple() && right.type->isTuple() && left.type->itemNames().empty() &&
           right.type->itemNames().empty();
  return left.isLiteral == right.isLiteral && left.integer == right.integer && areSameBits(left.real, right.real) &&
         areSameBits(left.imag, right.imag) && left.object == right.object;
}

/// A pair that is being compared counts as equal: functions that refer to each other would not end otherwise.
bool Compilation::areSame(const KnownFunction &left, const KnownFunction &right, Pairs &assumed) {
  if (&left == &right)
    return true;
  const CalledFunction &one = left.called, &other = right.called;
  if (&one.syntax->root() != &other.syntax->root() || one.rules != other.rules ||
      one.forceInline != other.forceInline || one.neverInline != other.neverInline)
    return false;
  // Python may distinguish values that are equal to kernels.
  if (left.scope->hasConsteval())
    return false;
  if (!assumed.emplace(&left, &right).second)
    return true;
  const std::vector<std::string_view> names = left.scope->outsideNames();
  return std::all_of(names.begin(), names.end(), [&](std::string_view name) {
    return areSame(resolve(one.handle, name), resolve(other.handle, name), assumed);
  });
}

/// A factory that is called in a loop makes many functions that are equal; each list of types is inferred once for all.
const KnownFunction &Compilation::firstLike(const KnownFunction &function) {
  if (function.first)
    return *function.first;
  std::vector<const KnownFunction *> &known = firsts[&function.called.syntax->root()];
  const auto found = std::find_if(known.begin(), known.end(), [&](const KnownFunction *one) {
    Pairs assumed;
    return areSame(*one, function, assumed);
  });
  function.first = found == known.end() ? &function : *found;
  if (function.first == &function)
    known.push_back(&function);
  return *function.first;
}

/// Everything that differs between calls of functions. What only the requested function has (a declared result, being a
/// kernel) goes with keepsAllParameters.
std::string Compilation::keyOf(const InstanceRequest &request) {
  std::string key;
  const KnownFunction *known = &firstLike(*request.known);
  key.append(reinterpret_cast<const char *>(&known), sizeof known);
  const syntax::Function *function = &request.function();
  key.append(reinterpret_cast<const char *>(&function), sizeof function);
  key += request.keepsAllParameters ? 'k' : 'd';
  key += request.allowsHeap ? 'h' : 'c';
  key += char('0' + int(request.rules));
  for (const Binding &binding : request.bindings) {
    key.append(reinterpret_cast<const char *>(&binding.type), sizeof binding.type);
    key += binding.constant ? 'c' : 'v';
    if (binding.constant)
      appendConstant(key, *binding.constant);
    if (binding.source)
      appendValue(key, *binding.source);
  }
  return key;
}

/// The whole way from the function to itself, as it may lead through several others.
void Compilation::reportCycle(const std::string &key, const SourceRef &source, SourceSpan span) const {
  std::string cycle;
  auto first = std::find_if(active.begin(), active.end(), [&](const Active &one) { return one.key == key; });
  for (auto next = first; next != active.end(); ++next)
    cycle += next->name + " -> ";
  cycle += first->name;
  throwMistake({.kind = CompileErrorKind::Unsupported,
                .message = "recursion: " + quoted(first->name) + " calls itself" +
                           (active.end() - first > 1 ? " by way of other functions" : ""),
                .found = cycle,
                .remedy = "write it as a loop"},
               source, span);
}

void Compilation::reportGrowth(std::string_view name, const SourceRef &source, SourceSpan span) const {
  throwMistake({.kind = CompileErrorKind::Limit,
                .message = "recursion: " + quoted(name) + " calls itself with ever new argument types",
                .found = fmt::format("more than {} calls within each other", maxOwnDepth),
                .remedy = "write it as a loop"},
               source, span);
}

namespace {

/// An error inside a library function, restated for its caller, who does not know its source.
Diagnostic mistakeOfCall(const InstanceRequest &request, const Diagnostic &inside, const Diagnostic::Site &call) {
  Diagnostic diagnostic = inside;
  diagnostic.span = call.span;
  diagnostic.source = call.source;
  diagnostic.calledFrom.clear();
  std::string given;
  for (const Binding &binding : request.bindings)
    if (binding.type)
      given += (given.empty() ? "" : ", ") + binding.type->name();
  if (inside.isOfCall) {
    diagnostic.found = diagnostic.found.empty() ? given : diagnostic.found;
    return diagnostic;
  }
  diagnostic.isOfCall = true;
  diagnostic.message = request.known->called.libraryName + " cannot be called with these arguments";
  diagnostic.found = given;
  // The library's own messages about itself mean nothing to its users.
  diagnostic.expected = inside.message.find(" library.") != std::string::npos
                            ? inside.expected
                            : inside.message + (inside.expected.empty() ? "" : ": " + inside.expected);
  return diagnostic;
}

} // namespace

/// The stack of active instances finds recursion: a function that is asked for while it is inferred is called by itself
/// or by what it calls. An error in a callee gets the position of each call on its way out; one inside of the library
/// is said in terms of the user's call.
std::shared_ptr<const TypedFunction> Compilation::instance(const InstanceRequest &request, const SourceRef &source,
                                                           SourceSpan span) {
  stack.check(source, span);
  std::string key = keyOf(request);
  if (auto found = instances.find(key); found != instances.end())
    return found->second;
  const syntax::Function *function = &request.function();
  const KnownFunction *known = &firstLike(*request.known);
  size_t depth = 0;
  for (const Active &one : active) {
    if (one.key == key)
      reportCycle(key, source, span);
    depth += one.function == function && one.known == known;
  }
  if (depth >= maxOwnDepth)
    reportGrowth(function->name, source, span);
  active.push_back({key, std::string(function->isLambda ? "<lambda>" : function->name), function, known});
  struct Leave {
    std::vector<Active> &active;
    ~Leave() { active.pop_back(); }
  } leave{active};
  try {
    std::shared_ptr<const TypedFunction> made = infer(*this, request);
    return instances.emplace(std::move(key), std::move(made)).first->second;
  } catch (const CompileError &error) {
    if (!span.isKnown())
      throw;
    // Of library functions that call each other, the first is the one that the user has called.
    const bool isInside = active.size() > 1 && !active[active.size() - 2].known->called.libraryName.empty();
    if (isInside && !known->called.libraryName.empty())
      throw;
    if (!known->called.libraryName.empty())
      throw CompileError(mistakeOfCall(request, error.diagnostic(), {span, source}));
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.calledFrom.push_back({span, source});
    throw CompileError(std::move(diagnostic));
  }
}

/// Of functions that the kernel reaches in the end: a trial that failed may have warned as well.
std::vector<std::string> Compilation::warnings(const TypedFunction &function) const {
  std::vector<std::string> all;
  std::unordered_set<const TypedFunction *> seen;
  std::vector<const TypedFunction *> work{&function};
  while (!work.empty()) {
    const TypedFunction *next = work.back();
    work.pop_back();
    if (!seen.insert(next).second)
      continue;
    if (auto found = warningsOf.find(next); found != warningsOf.end())
      for (const std::string &text : found->second)
        if (std::find(all.begin(), all.end(), text) == all.end())
          all.push_back(text);
    for (const auto &callee : next->callees)
      work.push_back(callee.get());
  }
  return all;
}

/// Not a literal: what a variable holds has its type, and does not adopt another one.
typed::Expr *Compilation::keep(const typed::Expr &value) {
  typed::Nodes keeper(constants);
  if (value.kind == typed::ExprKind::Tuple) {
    std::vector<typed::Expr *> items;
    for (const typed::Expr *item : value.as<typed::Tuple>().items)
      items.push_back(keep(*item));
    return keeper.tuple(value.type, items, value.span);
  }
  // Such as a call of print(): a value without storage, determined by its type.
  if (value.kind != typed::ExprKind::Const)
    return keeper.unit(value.type, value.span);
  auto *kept = constants.make<typed::Const>(value.as<typed::Const>());
  kept->isLiteral = false;
  return kept;
}

} // namespace treadle

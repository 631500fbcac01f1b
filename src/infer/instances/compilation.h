// Compilation: everything read, resolved and typed for one kernel; each function instance is inferred once.
#pragma once

#include "border/name_resolver.h"
#include "infer/flow/scope.h"
#include "infer/flow/stack_guard.h"
#include "typed/nodes.h"
#include "typed/typed.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace treadle {

/// A Python function, with the state that it shares with its nested functions.
struct KnownFunction {
  CalledFunction called;
  std::unique_ptr<Scope> scope;
  /// The first function of the compilation with the same code and the same meaning of its names (canonical); nullptr
  /// until looked up.
  mutable const KnownFunction *first = nullptr;
};

/// The type or value that a parameter or captured name is bound to.
struct Binding {
  const Type *type = nullptr;
  typed::Expr *constant = nullptr; ///< a compile-time constant, in Compilation::constants
  /// Of a captured name: a result of consteval(...) that contains arrays, which are not constants; owned by
  /// Compilation.
  const CapturedValue *source = nullptr;
};

/// One function for one list of argument types.
struct InstanceRequest {
  const KnownFunction *known = nullptr;
  const Scope *scope = nullptr;   ///< of the function itself: a known function or one nested in it
  RuleSet rules = RuleSet::Numba; ///< the function's own; a library function uses its caller's
  std::vector<Binding> bindings;  ///< parameters, then captured names
  const Type *result = nullptr;   ///< declared, or nullptr
  bool isKernel = false;
  /// May make arrays of shapes known only at run time: when the callers' constants do not help.
  bool allowsHeap = false;
  /// Kernels and separately compiled functions keep a parameter for every argument; a callee has none for arguments
  /// without storage.
  bool keepsAllParameters = false;
  /// For a kernel with `*rest`: the number of arguments collected.
  size_t starCount = 0;

  const syntax::Function &function() const { return scope->function(); }
};

class Compilation;
/// Types one instance: the layer above, which compilations call on demand.
using InferInstance = std::shared_ptr<TypedFunction> (*)(Compilation &, const InstanceRequest &);

/// Lives as long as one call of infer(): typed functions that it has made outlive it.
class Compilation {
public:
  Compilation(NameResolver &names, InferInstance infer) : resolver(names), infer(infer) {}

  /// The instance; inferred on first demand. Recursion is an error at `span` of `source`.
  std::shared_ptr<const TypedFunction> instance(const InstanceRequest &request, const SourceRef &source,
                                                SourceSpan span);

  const KnownFunction &function(uint64_t handle);
  /// Registers the function at which compilation starts.
  const KnownFunction &addFunction(CalledFunction function);
  NameResolver &names() { return resolver; }
  const CapturedValue &resolve(uint64_t function, std::string_view name);
  const CapturedValue &attribute(uint64_t handle, std::string_view name);
  /// NameResolver::members, cached per class.
  const CapturedValue &members(uint64_t handle);
  const CapturedValue &parameterDefault(uint64_t function, std::string_view name);
  /// NameResolver::evaluate, cached per list of values.
  const ConstevalResult &evaluate(uint64_t function, const ConstevalRequest &request);
  /// NameResolver::libraryFunction, cached per key.
  const CapturedValue &libraryFunction(std::string_view key);

  /// The type of a function nested in a kernel or device function. Its handle has the top bit set; the resolver's do
  /// not.
  const Type *nestedFunction(const syntax::Function &function, std::string_view name, const Scope &scope,
                             const KnownFunction &owner);
  struct Nested {
    const syntax::Function *function;
    const Scope *scope;
    const KnownFunction *owner;
  };
  /// nullptr if the handle is the resolver's.
  const Nested *nested(uint64_t handle) const;

  /// Kept by function, as only those that the kernel reaches count in the end.
  void warn(const TypedFunction *function, std::string text) { warningsOf[function].push_back(std::move(text)); }
  /// CapturedArray::position of a device array: the same for all functions that capture the object.
  uint32_t positionOf(const CapturedValue &deviceArray);
  /// By position.
  const std::vector<uint64_t> &capturedPointers() const { return pointers; }
  /// CapturedArray::data of an array in host memory: the same for all functions that capture the object.
  std::shared_ptr<const std::vector<std::byte>> contentsOf(const CapturedValue &hostArray);
  /// Warnings of `function` and its callees, each once.
  std::vector<std::string> warnings(const TypedFunction &function) const;

  /// Copies a compile-time value into `constants`; the copy does not count as a literal.
  typed::Expr *keep(const typed::Expr &value);

  /// For errors that do not need a constant: whether to retry with the constants of a call. Limited, as an error below
  /// several calls is found again by each of them.
  bool triesConstants() { return ++constantTrials <= maxConstantTrials; }

  /// For constants that several functions and flows refer to.
  Arena constants;
  uint32_t allocations = 0; ///< shared and local arrays so far; also the id of the next one
  const StackGuard stack;

  /// The key of an instance: the code, its captures, its parameter bindings. Functions made by one factory share a key
  /// if and only if their captured values are equal.
  std::string keyOf(const InstanceRequest &request);
  [[noreturn]] void reportCycle(const std::string &key, const SourceRef &source, SourceSpan span) const;

private:
  /// Pairs assumed to be equal until a difference is found, as functions may refer to each other.
  using Pairs = std::set<std::pair<const KnownFunction *, const KnownFunction *>>;
  const KnownFunction &firstLike(const KnownFunction &function);
  bool areSame(const KnownFunction &left, const KnownFunction &right, Pairs &assumed);
  bool areSame(const CapturedValue &left, const CapturedValue &right, Pairs &assumed);
  bool areSameFunctions(const Type *left, const Type *right, Pairs &assumed);

  [[noreturn]] void reportGrowth(std::string_view name, const SourceRef &source, SourceSpan span) const;

  struct Active {
    std::string key;
    std::string name;
    const syntax::Function *function;
    const KnownFunction *known; ///< the canonical one
  };
  NameResolver &resolver;
  const InferInstance infer;
  std::map<uint64_t, std::unique_ptr<KnownFunction>> functions;
  std::unordered_map<const syntax::Function *, std::vector<const KnownFunction *>> firsts; ///< by their code
  std::map<std::pair<uint64_t, std::string>, std::unique_ptr<CapturedValue>> resolved, attributes, defaults, library;
  std::map<uint64_t, std::unique_ptr<CapturedValue>> enumerations; ///< by their classes
  std::unordered_map<std::string, std::unique_ptr<ConstevalResult>> evaluated;
  std::map<const void *, uint32_t> positions; ///< by CapturedValue::object
  std::map<std::shared_ptr<const void>, std::shared_ptr<const std::vector<std::byte>>> contents; ///< likewise
  std::vector<uint64_t> pointers;
  std::vector<Nested> nestedFunctions;
  std::unordered_map<std::string, std::shared_ptr<const TypedFunction>> instances;
  static constexpr unsigned maxConstantTrials = 32;
  unsigned constantTrials = 0;
  std::vector<Active> active;
  std::unordered_map<const TypedFunction *, std::vector<std::string>> warningsOf;
};

} // namespace treadle

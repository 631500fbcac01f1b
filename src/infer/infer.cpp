// Starts a compilation at the requested function.
// The function asked for is compiled as called from outside: it keeps a parameter for each argument, as the caller's
// parameter block is laid out by the signature. Functions that it calls are instances of the same compilation.
#include "infer/infer.h"

#include "infer/flow/mistake.h"
#include "infer/inference.h"
#include "infer/instances/compilation.h"
#include "infer/memory_limits.h"
#include "typed/verify.h"

#include <bit>
#include <fmt/core.h>
#include <vector>

namespace treadle {

namespace {

std::string parameterNames(const syntax::Function &function) {
  std::string names;
  for (const syntax::Parameter &parameter : function.parameters)
    names += (names.empty() ? "" : ", ") + std::string(parameter.name);
  return names;
}

} // namespace

/// Found while compiling, not by the launch: a signature may be given without a launch.
[[noreturn]] static void failArity(const InferRequest &request) {
  const syntax::Function &function = request.function->root();
  throwMistake({.kind = CompileErrorKind::Type,
                .message = fmt::format("{} takes {} ({}), {} given", quoted(function.name),
                                       counted(function.parameters.size(), "argument"), parameterNames(function),
                                       request.signature.arguments.size()),
                .found = request.signature.name()},
               request.function->source(), function.span);
}

namespace {

/// Types of kernels that are compiled for values (`literally(n)`) contain the values: Literal[int](3), also in tuples.
const Type *withoutLiterals(const Type *type) {
  if (type->is(TypeKind::Literal))
    return type->element();
  std::vector<const Type *> items;
  for (const Type *item : type->items())
    items.push_back(withoutLiterals(item));
  return types::namedTuple(type->handle(), type->text(), items, type->itemNames());
}

/// The value that such a type stands for: bits of a float, or an integer, in the type's handle.
typed::Expr *valueOf(const Type *literal, Arena &memory) {
  const typed::Nodes nodes(memory);
  if (literal->is(TypeKind::Literal)) {
    const Type *number = literal->element();
    return number->isFloat() ? nodes.real(number, std::bit_cast<double>(literal->handle()), {})
                             : nodes.integer(number, int64_t(literal->handle()), {});
  }
  std::vector<typed::Expr *> items;
  for (const Type *item : literal->items())
    items.push_back(valueOf(item, memory));
  return nodes.tuple(withoutLiterals(literal), items, {});
}

/// The constant is in the memory of the compilation, as the request is for an instance that is yet to be made.
Binding bindingOf(const Type *argument, Arena &memory) {
  return argument->isLiteral() ? Binding{withoutLiterals(argument), valueOf(argument, memory)} : Binding{argument};
}

/// Assigns argument types to parameters; `*rest` takes the remaining ones, defaults replace missing ones.
void bindSignature(const InferRequest &request, InstanceRequest &instance, Arena &memory) {
  const syntax::Function &function = request.function->root();
  const std::vector<const Type *> &arguments = request.signature.arguments;
  size_t next = 0;
  for (const syntax::Parameter &parameter : function.parameters) {
    if (parameter.kind == syntax::ParameterKind::Star) {
      const size_t named = function.parameters.size() - 1;
      instance.starCount = arguments.size() > named ? arguments.size() - named : 0;
      instance.bindings.push_back({types::tuple(std::span(arguments).subspan(next, instance.starCount))});
      next += instance.starCount;
    } else if (next < arguments.size()) {
      instance.bindings.push_back(bindingOf(arguments[next++], memory));
    } else if (parameter.hasDefault) {
      instance.bindings.push_back({}); // the instance resolves the default
    } else {
      failArity(request);
    }
  }
  if (next < arguments.size())
    failArity(request);
}

} // namespace

/// The kernel itself may take a heap at once (`allowsHeap`): it has no callers whose constants could give its arrays a
/// constant shape. The compilation ends with this function; trees live on in their TypedFunctions.
InferResult infer(const InferRequest &request) {
  Compilation compilation(*request.names, [](Compilation &asking, const InstanceRequest &instance) {
    return Inference(asking, instance).run();
  });
  CalledFunction called;
  called.syntax = request.function;
  called.handle = request.handle;
  called.rules = request.rules;
  const KnownFunction &known = compilation.addFunction(std::move(called));
  InstanceRequest instance;
  instance.known = &known;
  instance.scope = known.scope.get();
  instance.rules = request.rules;
  instance.result = request.signature.result;
  instance.isKernel = request.isKernel;
  instance.keepsAllParameters = true;
  instance.allowsHeap = true;
  bindSignature(request, instance, compilation.constants);
  InferResult result;
  result.function = compilation.instance(instance, request.function->source(), {});
  checkMemoryLimits(*result.function);
  result.result = result.function->signature.result;
  result.capturedPointers = compilation.capturedPointers();
  result.warnings = compilation.warnings(*result.function);
  return result;
}

} // namespace treadle

// Starts a compilation at the requested function.
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

static std::string parameterNames(const syntax::Function &function) {
  std::string names;
  for (const syntax::Parameter &parameter : function.parameters)
    names += (names.empty() ? "" : ", ") + std::string(parameter.name);
  return names;
}

[[noreturn]] static void failArity(const InferRequest &request) {
  const syntax::Function &function = request.function->root();
  throwMistake({.kind = CompileErrorKind::Type,
                .message = fmt::format("{} takes {} ({}), {} given", quoted(function.name),
                                       counted(function.parameters.size(), "argument"), parameterNames(function),
                                       request.signature.arguments.size()),
                .found = request.signature.name(),
                .expected = {},
                .remedy = {}},
               request.function->source(), function.span);
}

static const Type *withoutLiterals(const Type *type) {
  if (type->is(TypeKind::Literal))
    return type->element();
  std::vector<const Type *> items;
  for (const Type *item : type->items())
    items.push_back(withoutLiterals(item));
  return types::namedTuple(type->handle(), type->text(), items, type->itemNames());
}

static typed::Expr *valueOf(const Type *literal, Arena &memory) {
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

static Binding bindingOf(const Type *argument, Arena &memory) {
  return argument->isLiteral() ? Binding{withoutLiterals(argument), valueOf(argument, memory)} : Binding{argument};
}

/// Assigns argument types to parameters; `*rest` takes the remaining ones, defaults replace missing ones.
static void bindSignature(const InferRequest &request, InstanceRequest &instance, Arena &memory) {
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

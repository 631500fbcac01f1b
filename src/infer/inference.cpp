// The phases of inference.
#include "infer/inference.h"

#include "infer/phases.h"
#include "infer/slot_maker.h"
#include "support/error.h"
#include "typed/purity.h"
#include "typed/verify.h"

namespace treadle {

Inference::Inference(Compilation &compilation, const InstanceRequest &request)
    : ExpressionRules(compilation, request), solver(compilation, request, flow) {}

std::shared_ptr<TypedFunction> Inference::run() {
  const syntax::Function &function = scope.function();
  out->name = function.isLambda ? "lambda" : std::string(function.name);
  out->source = source;
  out->span = function.span;
  out->rules = rules.ruleSet();
  out->isKernel = request.isKernel;
  out->forceInline = request.known->called.forceInline || function.isLambda;
  out->neverInline = request.known->called.neverInline && !out->forceInline;
  out->isLibrary = !request.known->called.libraryName.empty();
  solve();
  Building building(*this);
  phase = &building;
  makeIn(out->nodes);
  SlotMaker(request, flow, *out).run();
  finishResult();
  out->body = collect([&] {
    assignParameters();
    buildBody(function.body);
  });
  finish();
  return out;
}

/// Repeated when a loop turns out to need unrolling.
void Inference::solve() {
  Solving solving(*this);
  phase = &solving;
  do {
    buildFlow();
  } while (!solver.solve([this](const FlowAssignment &assignment) {
    makeInDiscarded();
    evaluate(assignment);
  }));
}

void Inference::evaluate(const FlowAssignment &assignment) {
  using Kind = FlowAssignment::Kind;
  switch (assignment.kind) {
  case Kind::Value:
    if (assignment.target)
      return assignTo(*assignment.target, expr(*assignment.source));
    return assign(assignment.statement->as<syntax::Assign>());
  case Kind::Element:
    return bindElement(assignment.statement->as<syntax::For>());
  case Kind::Augmented:
    return augment(assignment.statement->as<syntax::AugAssign>());
  case Kind::Function:
    return defineFunction(assignment.statement->as<syntax::FunctionDef>(), assignment.node);
  case Kind::Return:
    return solver.setType(assignment.node, assignment.source ? expr(*assignment.source)
                                                             : nodes.unit(types::none(), scope.function().span));
  }
}

void Inference::buildFlow() {
  flow = {};
  early.clear();
  const Decide decides = [this](const syntax::Expr &test) {
    // Parameters are known before anything else.
    bindParameters();
    return decide(test);
  };
  const Unroll unrolls = [this](const syntax::For &loop) {
    bindParameters();
    unrollEarly(loop);
  };
  FlowBuilder(scope, source, rules.ruleSet(), unrolled).run(flow, decides, unrolls);
  bindParameters();
}

void Inference::bindParameters() {
  const auto &parameters = scope.function().parameters;
  for (size_t i = 0; i < request.bindings.size(); ++i) {
    FlowNode &node = flow.nodes[i];
    if (node.type)
      return;
    Binding binding = request.bindings[i];
    if (!binding.type)
      binding = defaultOf(request, parameters[i], parameters[i].span);
    node.type = binding.type;
    node.constant = binding.constant;
    if (!node.constant && !typed::hasStorage(node.type))
      node.constant = typed::Nodes(compilation.constants).unit(node.type, node.span);
  }
}

void Inference::finishResult() {
  const FlowNode &result = flow.nodes[flow.result];
  out->signature.result = request.result ? request.result : result.type ? result.type : types::none();
  if (out->isKernel)
    out->signature.result = types::none();
}

/// Sums up what the function and its callees do: barriers, warp operations, shared memory, effects.
void Inference::finish() {
  out->recurses = out->isRecursive;
  for (const auto &callee : out->callees) {
    out->recurses |= callee->recurses;
    out->hasBarrier |= callee->hasBarrier;
    out->hasGridBarrier |= callee->hasGridBarrier;
    out->usesClusters |= callee->usesClusters;
    out->hasWarpOps |= callee->hasWarpOps;
    out->hasSharedMemory |= callee->hasSharedMemory;
    out->hasHeapArrays |= callee->hasHeapArrays;
    out->writesMemory |= callee->writesMemory;
  }
  if (out->isRecursive && (out->hasBarrier || out->hasWarpOps))
    failRecursionThroughBarrier(recursion);
  if (out->isRecursive && out->hasHeapArrays)
    failRecursionWithHeap(recursion);
  followMadeArrays();
  out->size = typed::countNodes(*out);
  out->effects = effectsOf(*out);
  if (verifiesTrees)
    verify(*out);
}

} // namespace treadle

// The phases of inference.
// The order of phases is fixed by what each needs: flow by tests that are decided without types, slots by final types,
// the tree by slots. The flow and the syntax are read by all phases; what is kept beyond them is copied into the
// function.
#include "infer/inference.h"

#include "infer/instances/slot_maker.h"
#include "infer/phases.h"
#include "support/error.h"
#include "typed/made_arrays.h"
#include "typed/purity.h"
#include "typed/unset_slots.h"
#include "typed/verify.h"

#include <fmt/core.h>

namespace treadle {

Inference::Inference(Compilation &compilation, const InstanceRequest &request)
    : expressions(compilation, request), solver(compilation, request, flow) {}

/// A lambda is always inlined: it is one expression.
std::shared_ptr<TypedFunction> Inference::run() {
  const syntax::Function &function = scope.function();
  out.name = function.isLambda ? "lambda" : std::string(function.name);
  out.source = source;
  out.span = function.span;
  out.rules = tree.rules.ruleSet();
  out.isKernel = request.isKernel;
  out.forceInline = request.known->called.forceInline || function.isLambda;
  out.neverInline = request.known->called.neverInline && !out.forceInline;
  out.isLibrary = !request.known->called.libraryName.empty();
  solve();
  Building building(*this);
  tree.build(building, out.nodes);
  SlotMaker(request, flow, out).run();
  finishResult();
  out.body = tree.collect([&] {
    assignParameters();
    statements.buildBody(function.body);
  });
  finish();
  return instance.out;
}

/// Repeated if a loop turns out to need unrolling.
void Inference::solve() {
  Solving solving(*this);
  tree.solve(solving);
  do {
    buildFlow();
  } while (!solver.solve([this](const FlowAssignment &assignment) {
    tree.discard();
    evaluate(assignment);
  }));
}

/// Called by the solver, possibly several times for each assignment.
void Inference::evaluate(const FlowAssignment &assignment) {
  using Kind = FlowAssignment::Kind;
  switch (assignment.kind) {
  case Kind::Value:
    if (assignment.target)
      return assignments.assignTo(*assignment.target, expressions.expr(*assignment.source));
    return assignments.assign(assignment.statement->as<syntax::Assign>());
  case Kind::Element:
    return statements.loops.bindElement(assignment.statement->as<syntax::For>());
  case Kind::Augmented:
    return assignments.augment(assignment.statement->as<syntax::AugAssign>());
  case Kind::Function:
    return statements.defineFunction(assignment.statement->as<syntax::FunctionDef>(), assignment.node);
  case Kind::Return:
    return solver.setType(assignment.node, assignment.source ? expressions.expr(*assignment.source)
                                                             : tree.unit(types::none(), scope.function().span));
  }
}

/// Tests such as `isinstance(x, float)` are decided during the walk, by the types of parameters, so that dead branches
/// have no nodes. Parameters have nodes as soon as the walk begins, and get their types at the first question.
void Inference::buildFlow() {
  flow = {};
  parts.statics.clear();
  const Decide decides = [this](const syntax::Expr &test) {
    // Parameters are typed first.
    bindParameters();
    return parts.statics.decide(test);
  };
  const Unroll unrolls = [this](const syntax::For &loop) {
    bindParameters();
    statements.loops.unrollEarly(loop);
  };
  FlowBuilder(scope, source, tree.rules.ruleSet(), statements.loops.unrolledBodies()).run(flow, decides, unrolls);
  bindParameters();
}

/// Runs at most once for each flow: the first parameter has a type afterwards. A missing argument has the default's
/// value. An argument without storage, as a function or a text, is a constant by its type.
void Inference::bindParameters() {
  const auto &parameters = scope.function().parameters;
  for (size_t i = 0; i < request.bindings.size(); ++i) {
    FlowNode &node = flow.nodes[i];
    if (node.type)
      return;
    Binding binding = request.bindings[i];
    if (!binding.type)
      binding = parts.functions.defaultOf(request, parameters[i], parameters[i].span);
    node.type = binding.type;
    node.constant = binding.constant;
    if (!node.constant && !typed::hasStorage(node.type))
      node.constant = typed::Nodes(compilation.constants).unit(node.type, node.span);
  }
}

/// Before the body is built, whose returns are converted to this type. A signature's result has precedence.
void Inference::finishResult() {
  const FlowNode &result = flow.nodes[flow.result];
  out.signature.result = request.result ? request.result : result.type ? result.type : types::none();
  if (out.isKernel)
    out.signature.result = types::none();
}

/// A local variable is zero until something is assigned to it.
/// As under Numba, where Python raises UnboundLocalError. Only slots that some path may read unset are cleared.
void Inference::clearUnset() {
  std::vector<typed::Stmt *> all;
  for (typed::Slot *slot : typed::unsetSlots(out))
    all.push_back(tree.assign(slot, tree.zero(slot->type, out.span), out.span));
  if (all.empty())
    return;
  all.insert(all.end(), out.body.begin(), out.body.end());
  out.body = tree.body(all);
}

/// Lanes of a warp may be at different depths: they would not meet at the same barrier.
void Inference::failRecursionThroughBarrier(SourceSpan span) const {
  tree.failUnsupported(
      span, "recursion through a barrier: " + quoted(out.name) + " calls itself, and waits for other threads",
      "wait in the kernel, or write the recursion as a loop");
}

/// Each place that makes an array has one array for each thread, not one for each depth.
void Inference::failRecursionWithHeap(SourceSpan span) const {
  tree.failUnsupported(span,
                       quoted(out.name) + " calls itself, and makes an array whose shape is known only at run time",
                       "make the array in the kernel and pass it, or write the recursion as a loop");
}

/// Rejects code that needs two arrays where kernels have one: a place reached again while its last array is in use.
void Inference::followMadeArrays() {
  const typed::MadeArrays arrays = typed::followMadeArrays(out);
  out.givesArrays = arrays.mayBeResult;
  if (out.isRecursive && out.givesArrays)
    tree.failUnsupported(recursion, quoted(out.name) + " calls itself, and returns an array that it makes",
                         "make the array in the kernel and pass it, or write the recursion as a loop");
  if (!arrays.kept)
    return;
  const std::string_view name = arrays.kept->slot->name;
  tree.fail(
      arrays.kept->span,
      {.kind = CompileErrorKind::Unsupported,
       .message = (name.empty() ? "an array" : quoted(name)) + " may be used after the loop has made the array anew",
       .found = fmt::format("the array made in line {}", arrays.made->span.line),
       .remedy = "kernels have one array for each place that makes one: make as many as are in use before the loop, "
                 "and fill, copy (kept[:] = new) or swap them (a, b = b, a) in it"});
}

/// Summarises the function and its callees: barriers, warp operations, shared memory, effects.
/// Callees are finished before their callers. A function that calls itself is not among its own callees, and there are
/// no longer cycles, so that these marks are final.
void Inference::finish() {
  out.recurses = out.isRecursive;
  for (const auto &callee : out.callees) {
    out.recurses |= callee->recurses;
    out.hasBarrier |= callee->hasBarrier;
    out.hasGridBarrier |= callee->hasGridBarrier;
    out.usesClusters |= callee->usesClusters;
    out.hasWarpOps |= callee->hasWarpOps;
    out.hasSharedMemory |= callee->hasSharedMemory;
    out.hasHeapArrays |= callee->hasHeapArrays;
    out.writesMemory |= callee->writesMemory;
  }
  if (out.isRecursive && (out.hasBarrier || out.hasWarpOps))
    failRecursionThroughBarrier(recursion);
  if (out.isRecursive && out.hasHeapArrays)
    failRecursionWithHeap(recursion);
  followMadeArrays();
  clearUnset();
  out.size = typed::countNodes(out);
  out.expandedSize = typed::countExpanded(out);
  out.effects = effectsOf(out);
  if (verifiesTrees)
    verify(out);
}

} // namespace treadle

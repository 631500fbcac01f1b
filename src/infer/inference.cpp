// The phases of inference, and what all of its files use.
#include "infer/inference.h"

#include "infer/phases.h"
#include "infer/slot_maker.h"
#include "support/error.h"
#include "typed/purity.h"
#include "typed/verify.h"

namespace treadle {

Inference::Inference(Compilation &compilation, const InstanceRequest &request)
    : compilation(compilation), request(request), scope(*request.scope), source(request.known->called.syntax->source()),
      rules(request.known->called.rules), out(std::make_shared<TypedFunction>()), solver(compilation, request, flow),
      scratch(std::make_unique<Arena>()), nodes(*scratch) {}

std::shared_ptr<TypedFunction> Inference::run() {
  const syntax::Function &function = scope.function();
  out->name = function.isLambda ? "lambda" : std::string(function.name);
  out->source = source;
  out->span = function.span;
  out->rules = rules.ruleSet();
  out->isKernel = request.isKernel;
  out->forceInline = request.known->called.forceInline || function.isLambda;
  out->neverInline = request.known->called.neverInline && !out->forceInline;
  solve();
  Building building(*this);
  phase = &building;
  nodes.moveTo(out->nodes);
  SlotMaker(request, flow, *out).run();
  finishResult();
  out->body = collect([&] {
    assignParameters();
    buildBody(function.body);
  });
  finish();
  return out;
}

/// Again where a loop turns out to need unrolling.
void Inference::solve() {
  Solving solving(*this);
  phase = &solving;
  do {
    nodes.moveTo(*scratch);
    buildFlow();
  } while (!solver.solve([this](const FlowAssignment &assignment) {
    scratchStatements.clear();
    statements = &scratchStatements;
    scratch = std::make_unique<Arena>();
    nodes.moveTo(*scratch);
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
  FlowBuilder(scope, source, rules.ruleSet(), unrolled).run(flow, [this](const syntax::Expr &test) {
    // Parameters are known before anything else is.
    bindParameters();
    return decide(test);
  });
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

void Inference::fail(SourceSpan span, const Mistake &mistake) const { throwMistake(mistake, source, span); }

void Inference::failTyping(SourceSpan span, std::string message, std::string remedy) const {
  fail(span, {.kind = CompileErrorKind::Typing,
              .message = std::move(message),
              .found = {},
              .expected = {},
              .remedy = std::move(remedy)});
}

void Inference::failUnsupported(SourceSpan span, std::string message, std::string remedy) const {
  fail(span, {.kind = CompileErrorKind::Unsupported,
              .message = std::move(message),
              .found = {},
              .expected = {},
              .remedy = std::move(remedy)});
}

typed::Slot *Inference::newSlot(const Type *type, std::string_view name, SourceSpan span) {
  return phase->newSlot(type, name, span);
}

typed::Expr *Inference::once(typed::Expr *value) { return typed::isSimple(*value) ? value : storedOnce(value); }

typed::Expr *Inference::storedOnce(typed::Expr *value) {
  if (!typed::hasStorage(value->type)) {
    emitValue(value, value->span);
    return nodes.unit(value->type, value->span);
  }
  typed::Slot *slot = newSlot(value->type, "", value->span);
  emit(nodes.assign(slot, value, value->span));
  return nodes.read(slot, value->span);
}

typed::Expr *Inference::duplicate(const typed::Expr *simple) {
  TREADLE_CHECK(typed::isSimple(*simple));
  if (simple->kind == typed::ExprKind::Slot)
    return nodes.read(simple->as<typed::SlotRead>().slot, simple->span);
  return nodes.memory().make<typed::Const>(simple->as<typed::Const>());
}

typed::Expr *Inference::copyConstant(const typed::Expr &constant) {
  if (constant.kind != typed::ExprKind::Tuple)
    return duplicate(&constant);
  Items items;
  for (const typed::Expr *item : constant.as<typed::Tuple>().items)
    items.push_back(copyConstant(*item));
  return nodes.tuple(constant.type, items, constant.span);
}

void Inference::finishResult() {
  const FlowNode &result = flow.nodes[flow.result];
  out->signature.result = request.result ? request.result : result.type ? result.type : types::none();
  if (out->isKernel)
    out->signature.result = types::none();
}

/// The arrays that a function makes visible to the block, and what it does to memory, with all that it calls.
void Inference::finish() {
  for (const auto &callee : out->callees) {
    out->hasBarrier |= callee->hasBarrier;
    out->hasGridBarrier |= callee->hasGridBarrier;
    out->hasWarpOps |= callee->hasWarpOps;
    out->hasSharedMemory |= callee->hasSharedMemory;
    out->writesMemory |= callee->writesMemory;
  }
  if (out->isRecursive && (out->hasBarrier || out->hasWarpOps))
    failRecursionThroughBarrier(recursion);
  out->size = typed::countNodes(*out);
  out->effects = effectsOf(*out);
  if (verifiesTrees)
    verify(*out);
}

} // namespace treadle

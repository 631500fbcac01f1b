// Constructors of syntax nodes for tests, and the names that tests know.
#include "tests/unit/syntax_builder.h"

#include "builtins/builtin.h"
#include "support/error.h"
#include "typed/verify.h"

namespace treadle::testing {

using E = SyntaxBuilder::E;
using syntax::ExprKind;
using syntax::StmtKind;

std::span<syntax::Expr *const> SyntaxBuilder::list(const std::vector<E> &items) {
  std::vector<syntax::Expr *> nodes;
  for (const E &item : items)
    nodes.push_back(item.node);
  return arena->list(nodes);
}

E SyntaxBuilder::name(std::string_view id) { return make<syntax::Name>(ExprKind::Name, arena->text(id)); }
E SyntaxBuilder::number(int64_t value) {
  return make<syntax::Literal>(ExprKind::Literal, syntax::LiteralKind::Int, false, false, value, 0.0);
}
E SyntaxBuilder::real(double value) {
  return make<syntax::Literal>(ExprKind::Literal, syntax::LiteralKind::Float, false, false, int64_t(0), value);
}
E SyntaxBuilder::boolean(bool value) {
  return make<syntax::Literal>(ExprKind::Literal, syntax::LiteralKind::Bool, false, false, int64_t(value), 0.0);
}
E SyntaxBuilder::none() {
  return make<syntax::Literal>(ExprKind::Literal, syntax::LiteralKind::None, false, false, int64_t(0), 0.0);
}
E SyntaxBuilder::string(std::string_view text) { return make<syntax::String>(ExprKind::String, arena->text(text)); }
E SyntaxBuilder::unary(UnaryOperator op, E operand) { return make<syntax::Unary>(ExprKind::Unary, op, operand.node); }
E SyntaxBuilder::binary(BinaryOperator op, E left, E right) {
  return make<syntax::Binary>(ExprKind::Binary, op, false, left.node, right.node);
}
E SyntaxBuilder::both(E left, E right) { return make<syntax::Boolean>(ExprKind::Boolean, true, list({left, right})); }
E SyntaxBuilder::either(E left, E right) {
  return make<syntax::Boolean>(ExprKind::Boolean, false, list({left, right}));
}
E SyntaxBuilder::compare(E left, const std::vector<std::pair<syntax::Comparison, E>> &rest) {
  std::vector<syntax::Comparison> ops;
  std::vector<E> rights;
  for (const auto &[op, right] : rest) {
    ops.push_back(op);
    rights.push_back(right);
  }
  return make<syntax::Compare>(ExprKind::Compare, left.node, std::span<const syntax::Comparison>(arena->list(ops)),
                               list(rights));
}
E SyntaxBuilder::conditional(E test, E then, E otherwise) {
  return make<syntax::Conditional>(ExprKind::Conditional, test.node, then.node, otherwise.node);
}
E SyntaxBuilder::call(E callee, const std::vector<E> &arguments,
                      const std::vector<std::pair<std::string_view, E>> &keywords) {
  std::vector<syntax::Keyword> made;
  for (const auto &[name, value] : keywords)
    made.push_back({arena->text(name), value.node, here()});
  return make<syntax::Call>(ExprKind::Call, callee.node, list(arguments),
                            std::span<const syntax::Keyword>(arena->list(made)));
}
E SyntaxBuilder::attribute(E value, std::string_view name) {
  return make<syntax::Attribute>(ExprKind::Attribute, value.node, arena->text(name));
}
E SyntaxBuilder::subscript(E value, std::vector<E> indices) {
  E index = indices.size() == 1 ? indices[0] : tuple(indices);
  return make<syntax::Subscript>(ExprKind::Subscript, value.node, index.node);
}
E SyntaxBuilder::tuple(const std::vector<E> &items) { return make<syntax::Sequence>(ExprKind::Tuple, list(items)); }
E SyntaxBuilder::walrus(std::string_view id, E value) {
  return make<syntax::Walrus>(ExprKind::Walrus, static_cast<syntax::Name *>(name(id).node), value.node);
}
E SyntaxBuilder::starred(E value) { return make<syntax::Starred>(ExprKind::Starred, value.node); }
E SyntaxBuilder::lambda(const syntax::Function *function) { return make<syntax::Lambda>(ExprKind::Lambda, function); }

syntax::Stmt *SyntaxBuilder::assign(E target, E value) {
  return statement<syntax::Assign>(StmtKind::Assign, list({target}), value.node);
}
syntax::Stmt *SyntaxBuilder::augment(E target, BinaryOperator op, E value) {
  return statement<syntax::AugAssign>(StmtKind::AugAssign, target.node, op, value.node);
}
syntax::Stmt *SyntaxBuilder::expression(E value) {
  return statement<syntax::ExprStmt>(StmtKind::Expression, value.node);
}
syntax::Stmt *SyntaxBuilder::ifThen(E test, const Body &then, const Body &otherwise) {
  return statement<syntax::If>(StmtKind::If, test.node, body(then), body(otherwise));
}
syntax::Stmt *SyntaxBuilder::whileLoop(E test, const Body &loop, const Body &otherwise) {
  return statement<syntax::While>(StmtKind::While, test.node, body(loop), body(otherwise));
}
syntax::Stmt *SyntaxBuilder::forLoop(E target, E iterable, const Body &loop, const Body &otherwise) {
  return statement<syntax::For>(StmtKind::For, target.node, iterable.node, body(loop), body(otherwise));
}
syntax::Stmt *SyntaxBuilder::leave() { return statement<syntax::Stmt>(StmtKind::Break); }
syntax::Stmt *SyntaxBuilder::proceed() { return statement<syntax::Stmt>(StmtKind::Continue); }
syntax::Stmt *SyntaxBuilder::result(E value) { return statement<syntax::Return>(StmtKind::Return, value.node); }
syntax::Stmt *SyntaxBuilder::result() {
  return statement<syntax::Return>(StmtKind::Return, static_cast<syntax::Expr *>(nullptr));
}
syntax::Stmt *SyntaxBuilder::define(std::string_view id, const syntax::Function *function) {
  return statement<syntax::FunctionDef>(StmtKind::FunctionDef, arena->text(id), function);
}

std::span<const syntax::Parameter> SyntaxBuilder::parameters(const std::vector<std::string_view> &names) {
  std::vector<syntax::Parameter> made;
  for (std::string_view id : names) {
    const bool isStar = id.starts_with('*'), hasDefault = id.ends_with('=');
    id = id.substr(isStar, id.size() - isStar - hasDefault);
    made.push_back({arena->text(id),
                    {1, 0, 1, 1},
                    isStar ? syntax::ParameterKind::Star : syntax::ParameterKind::Plain,
                    nullptr,
                    hasDefault});
  }
  return arena->list(made);
}

const syntax::Function *SyntaxBuilder::nested(std::string_view id, const std::vector<std::string_view> &names,
                                              const Body &code, bool isLambda) {
  return arena->make<syntax::Function>(arena->text(id), here(), parameters(names), body(code), isLambda);
}

std::shared_ptr<const SyntaxFunction>
SyntaxBuilder::function(std::string_view id, const std::vector<std::string_view> &names, const Body &code) {
  auto text = std::make_shared<SourceText>();
  text->file = "test.py";
  text->function = id;
  const syntax::Function *root =
      arena->make<syntax::Function>(arena->text(id), SourceSpan{1, 0, 1, 1}, parameters(names), body(code), false);
  return std::make_shared<SyntaxFunction>(std::move(text), std::move(arena), root);
}

E operator+(E left, E right) { return left.builder->binary(BinaryOperator::Add, left, right); }
E operator-(E left, E right) { return left.builder->binary(BinaryOperator::Sub, left, right); }
E operator*(E left, E right) { return left.builder->binary(BinaryOperator::Mul, left, right); }
E operator/(E left, E right) { return left.builder->binary(BinaryOperator::TrueDiv, left, right); }
E operator<(E left, E right) { return left.builder->compare(left, {{syntax::Comparison::Less, right}}); }

namespace {

CapturedValue ofType(const Type *type) {
  CapturedValue value;
  value.type = type;
  return value;
}

} // namespace

CapturedValue FakeNames::resolve(uint64_t, std::string_view name) {
  if (auto found = globals.find(name); found != globals.end())
    return found->second;
  constexpr std::string_view modules[] = {"cuda", "math", "operator"};
  for (size_t i = 0; i < std::size(modules); ++i)
    if (name == modules[i])
      return ofType(types::module(i + 1, name));
  return findBuiltin(name) ? ofType(types::builtin(name)) : CapturedValue{};
}

CapturedValue FakeNames::attribute(uint64_t handle, std::string_view name) {
  constexpr std::string_view prefixes[] = {"cuda.",        "math.",       "operator.",
                                           "cuda.shared.", "cuda.local.", "cuda.atomic."};
  if (handle == 0 || handle > std::size(prefixes))
    return {};
  if (handle == 1 && (name == "shared" || name == "local" || name == "atomic"))
    return ofType(types::module(name == "shared" ? 4 : name == "local" ? 5 : 6, name));
  const std::string key = std::string(prefixes[handle - 1]) + std::string(name);
  return findBuiltin(key) ? ofType(types::builtin(key)) : CapturedValue{};
}

CapturedValue FakeNames::dtypeNamed(std::string_view text) {
  CapturedValue named;
  named.type = text == "f4" ? types::float32() : nullptr;
  return named;
}

CapturedValue FakeNames::parameterDefault(uint64_t, std::string_view name) {
  auto found = defaults.find(name);
  return found == defaults.end() ? CapturedValue{} : found->second;
}

void FakeNames::addType(std::string_view name, const Type *type) { add(name, ofType(types::typeObject(type))); }

void FakeNames::addInteger(std::string_view name, int64_t number, bool isLiteral) {
  CapturedValue value = ofType(types::int64());
  value.integer = number;
  value.isLiteral = isLiteral;
  add(name, std::move(value));
}

void FakeNames::addDefault(std::string_view parameter, int64_t number) {
  CapturedValue value = ofType(types::int64());
  value.integer = number;
  value.isLiteral = true;
  defaults[std::string(parameter)] = std::move(value);
}

void FakeNames::addFunction(std::string_view name, std::shared_ptr<const SyntaxFunction> function, RuleSet rules,
                            std::vector<std::vector<const Type *>> signatures) {
  const uint64_t handle = 100 + functions.size();
  CalledFunction called;
  called.syntax = std::move(function);
  called.handle = handle;
  called.rules = rules;
  called.signatures = std::move(signatures);
  functions[handle] = std::move(called);
  add(name, ofType(types::function(handle, name)));
}

std::vector<std::string> Inferred::slots(std::string_view name) const {
  std::vector<std::string> found;
  for (const typed::Slot *slot : function->slots)
    if (slot->name == name)
      found.push_back(slot->type->name());
  return found;
}

namespace {

Inferred run(std::shared_ptr<const SyntaxFunction> function, std::vector<const Type *> arguments, FakeNames &names,
             RuleSet rules, bool isKernel) {
  InferRequest request;
  request.function = std::move(function);
  request.handle = 1;
  request.names = &names;
  request.signature.arguments = std::move(arguments);
  request.rules = rules;
  request.isKernel = isKernel;
  InferResult result = infer(request);
  verify(*result.function);
  return {result.function, result.warnings};
}

} // namespace

Inferred inferKernel(std::shared_ptr<const SyntaxFunction> function, std::vector<const Type *> arguments,
                     FakeNames &names, RuleSet rules) {
  return run(std::move(function), std::move(arguments), names, rules, true);
}

Inferred inferDevice(std::shared_ptr<const SyntaxFunction> function, std::vector<const Type *> arguments,
                     FakeNames &names, RuleSet rules) {
  return run(std::move(function), std::move(arguments), names, rules, false);
}

std::string errorOf(std::shared_ptr<const SyntaxFunction> function, std::vector<const Type *> arguments,
                    FakeNames &names, RuleSet rules) {
  try {
    run(std::move(function), std::move(arguments), names, rules, true);
    return {};
  } catch (const CompileError &error) {
    const Diagnostic &it = error.diagnostic();
    return "line " + std::to_string(it.span.line) + ": " + it.message + " | " + it.found + " | " + it.expected + " | " +
           it.remedy;
  }
}

} // namespace treadle::testing

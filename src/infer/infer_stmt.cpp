// Statements other than assignments and loops.
#include "infer/inference.h"
#include "infer/known_text.h"

#include <cstdio>

namespace treadle {

using syntax::StmtKind;

void Inference::buildBody(syntax::Body body) {
  for (const syntax::Stmt *next : body) {
    if (flow.unreachable.contains(next))
      return;
    buildStatement(*next);
  }
}

void Inference::buildStatement(const syntax::Stmt &statement) {
  compilation.stack.check(source, statement.span);
  switch (statement.kind) {
  case StmtKind::Assign:
    return assign(statement.as<syntax::Assign>());
  case StmtKind::AugAssign:
    return augment(statement.as<syntax::AugAssign>());
  case StmtKind::Expression:
    return buildExpression(statement.as<syntax::ExprStmt>());
  case StmtKind::If:
    return buildIf(statement.as<syntax::If>());
  case StmtKind::While:
    return buildWhile(statement.as<syntax::While>());
  case StmtKind::For:
    return buildFor(statement.as<syntax::For>());
  case StmtKind::Break:
    return emit(nodes.statement<typed::Stmt>(typed::StmtKind::Break, statement.span));
  case StmtKind::Continue:
    return emit(nodes.statement<typed::Stmt>(typed::StmtKind::Continue, statement.span));
  case StmtKind::Return:
    return buildReturn(statement.as<syntax::Return>());
  case StmtKind::Raise:
    return buildRaise(statement.as<syntax::Raise>());
  case StmtKind::Assert:
    return buildAssert(statement.as<syntax::Assert>());
  case StmtKind::FunctionDef:
    return defineFunction(statement.as<syntax::FunctionDef>(), flow.writes.at(&statement));
  }
}

typed::Expr *ExpressionRules::test(const syntax::Expr &expression) {
  if (expression.kind == syntax::ExprKind::Boolean)
    return truthOfBoolean(expression.as<syntax::Boolean>(), 0);
  if (expression.kind == syntax::ExprKind::Unary && expression.as<syntax::Unary>().op == UnaryOperator::Not)
    return unaryValue(UnaryOperator::Not, test(*expression.as<syntax::Unary>().operand), expression.span);
  return truth(expr(expression));
}

void Inference::buildIf(const syntax::If &statement) {
  std::optional<bool> known;
  if (auto decided = flow.decided.find(&statement); decided != flow.decided.end())
    known = decided->second;
  typed::Expr *condition = known ? knownTest(*statement.test, *known) : test(*statement.test);
  if (known)
    emitValue(condition, statement.span);
  if (condition->kind == typed::ExprKind::Const)
    known = condition->as<typed::Const>().integer != 0;
  if (known)
    return buildBody(*known ? statement.then : statement.otherwise);
  const typed::Body then = collect([&] { buildBody(statement.then); });
  const typed::Body otherwise = collect([&] { buildBody(statement.otherwise); });
  emit(nodes.statement<typed::If>(typed::StmtKind::If, statement.span, condition, then, otherwise));
}

void Inference::buildReturn(const syntax::Return &statement) {
  typed::Expr *value = statement.value ? expr(*statement.value) : nullptr;
  const bool returnsNone = !value || value->type->isNone();
  if (request.isKernel && !returnsNone) {
    fail(statement.span, {.kind = CompileErrorKind::Type,
                          .message = "a kernel cannot return a value",
                          .found = value->type->name(),
                          .expected = "return without a value",
                          .remedy = "store the value into an array argument"});
  }
  if (value && value->type->is(Series::Elementwise) && request.known->called.libraryName.empty())
    failUnsupported(value->span, "an array expression cannot be returned: it has no memory of its own",
                    "pass an array for the result");
  const Type *result = out->signature.result;
  if (result->isNone() && !returnsNone)
    failTyping(statement.span, "the signature says that " + quoted(out->name) + " returns nothing",
               "change the signature's return type");
  if (!typed::hasStorage(result)) {
    if (value)
      emitValue(value, statement.span);
    value = nullptr;
  } else {
    value = convertFor(value ? value : nodes.unit(types::none(), statement.span), result,
                       "this value cannot be returned as what the signature says", statement.span);
  }
  emit(nodes.statement<typed::Return>(typed::StmtKind::Return, statement.span, value));
}

void Inference::buildExpression(const syntax::ExprStmt &statement) {
  // Docstrings, and `...` as a body.
  if (statement.value->kind == syntax::ExprKind::String || statement.value->kind == syntax::ExprKind::Ellipsis)
    return;
  emitValue(expr(*statement.value), statement.span);
}

/// The text of a constant as Python writes it; nullopt if the value is not a constant.
static std::optional<std::string> literalText(const typed::Expr &value) {
  if (value.type->is(TypeKind::String))
    return asWritten(value.type->text());
  if (value.type->isNone())
    return "None";
  if (value.kind != typed::ExprKind::Const)
    return std::nullopt;
  const auto &constant = value.as<typed::Const>();
  if (value.type->isBool())
    return constant.integer ? "True" : "False";
  if (value.type->isInt())
    return value.type->isSigned() ? std::to_string(constant.integer) : std::to_string(uint64_t(constant.integer));
  if (!value.type->isFloat())
    return std::nullopt;
  char shown[40];
  std::snprintf(shown, sizeof shown, "%.17g", constant.real);
  const std::string text = shown;
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string_view Inference::literalArguments(const std::vector<const syntax::Expr *> &arguments) {
  std::string text;
  for (const syntax::Expr *argument : arguments) {
    const typed::Expr *value = expr(*argument);
    const std::optional<std::string> literal = literalText(*value);
    if (!literal)
      fail(argument->span, {.kind = CompileErrorKind::Unsupported,
                            .message = "what an exception is raised with must be known while compiling",
                            .found = value->type->name() + ", known only at run time",
                            .expected = "strings, numbers or None that are constant",
                            .remedy = "print() the value before, or store it into an array"});
    text += *literal + ",";
  }
  return nodes.memory().text(text);
}

/// The expression as a dotted name, such as "errors.Overflow"; "" if it is none.
static std::string dottedName(const syntax::Expr &expression) {
  if (expression.kind == syntax::ExprKind::Name)
    return std::string(expression.as<syntax::Name>().id);
  if (expression.kind != syntax::ExprKind::Attribute)
    return {};
  const std::string outer = dottedName(*expression.as<syntax::Attribute>().value);
  return outer.empty() ? outer : outer + "." + std::string(expression.as<syntax::Attribute>().name);
}

/// The handle of the object that a dotted name means; 0 if the name is not from outside of the function, or undefined.
uint64_t ExpressionRules::outsideObject(const syntax::Expr &expression) {
  const CapturedValue *found = nullptr;
  if (expression.kind == syntax::ExprKind::Name) {
    const auto &name = expression.as<syntax::Name>();
    if (!flow.reads.contains(&name))
      found = &compilation.resolve(request.known->called.handle, name.id);
  } else if (expression.kind == syntax::ExprKind::Attribute) {
    const auto &attribute = expression.as<syntax::Attribute>();
    if (const uint64_t owner = outsideObject(*attribute.value))
      found = &compilation.attribute(owner, attribute.name);
  }
  const bool isObject =
      found && found->type && (found->type->is(TypeKind::Object) || found->type->is(TypeKind::Module));
  return isObject ? found->type->handle() : 0;
}

void Inference::buildRaise(const syntax::Raise &statement) {
  std::string name = "RuntimeError", qualified;
  uint64_t handle = 0;
  std::string_view arguments;
  const syntax::Expr *exception = statement.exception;
  if (exception && exception->kind == syntax::ExprKind::Call) {
    const auto &call = exception->as<syntax::Call>();
    arguments = literalArguments({call.arguments.begin(), call.arguments.end()});
    exception = call.callee;
  }
  if (exception) {
    name = dottedName(*exception);
    if (name.empty())
      failUnsupported(exception->span, "only an exception class, or a call of one, can be raised",
                      "write raise ValueError(\"...\")");
    handle = outsideObject(*exception);
    qualified = handle != 0 ? compilation.names().qualifiedName(handle) : "";
  }
  emit(nodes.statement<typed::Raise>(typed::StmtKind::Raise, statement.span, nodes.memory().text(name), handle,
                                     nodes.memory().text(qualified), arguments));
}

void Inference::buildAssert(const syntax::Assert &statement) {
  typed::Expr *condition = test(*statement.test);
  std::string_view arguments;
  if (statement.message)
    arguments = literalArguments({statement.message});
  emit(nodes.statement<typed::Assert>(typed::StmtKind::Assert, statement.span, condition, arguments));
}

} // namespace treadle

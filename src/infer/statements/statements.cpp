// Statements other than assignments and loops.
// Only while building: solving sees assignments alone. What the flow has found unreachable is not built, so that it may
// be wrong for the types at hand.
#include "infer/statements/statements.h"
#include "infer/tree/advice.h"
#include "infer/tree/known_text.h"
#include "support/text/plain_numbers.h"

#include <cstdio>

namespace treadle {

using syntax::StmtKind;

/// Only the first unreachable statement of a body is marked; none follows that could be reached.
void Statements::buildBody(syntax::Body body) {
  for (const syntax::Stmt *next : body) {
    if (flow.unreachable.contains(next))
      return;
    buildStatement(*next);
  }
}

/// As deep as the source nests: the stack is checked.
void Statements::buildStatement(const syntax::Stmt &statement) {
  compilation.stack.check(source, statement.span);
  switch (statement.kind) {
  case StmtKind::Assign:
    return assignments.assign(statement.as<syntax::Assign>());
  case StmtKind::AugAssign:
    return assignments.augment(statement.as<syntax::AugAssign>());
  case StmtKind::Expression:
    return buildExpression(statement.as<syntax::ExprStmt>());
  case StmtKind::If:
    return buildIf(statement.as<syntax::If>());
  case StmtKind::While:
    return loops.buildWhile(statement.as<syntax::While>());
  case StmtKind::For:
    return loops.buildFor(statement.as<syntax::For>());
  case StmtKind::Break:
    return tree.emit(tree.statement<typed::Stmt>(typed::StmtKind::Break, statement.span));
  case StmtKind::Continue:
    return tree.emit(tree.statement<typed::Stmt>(typed::StmtKind::Continue, statement.span));
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

/// Tests that are decided before typing have removed a branch from the flow. Others may turn out to be constant here;
/// their dead branch is typed, but makes no code.
void Statements::buildIf(const syntax::If &statement) {
  std::optional<bool> known;
  if (auto decided = flow.decided.find(&statement); decided != flow.decided.end())
    known = decided->second;
  typed::Expr *condition = known ? expressions.knownTest(*statement.test, *known) : expressions.test(*statement.test);
  if (known)
    tree.emitValue(condition, statement.span);
  if (condition->kind == typed::ExprKind::Const)
    known = condition->as<typed::Const>().integer != 0;
  if (known)
    return buildBody(*known ? statement.then : statement.otherwise);
  const typed::Body then = tree.collect([&] { buildBody(statement.then); });
  const typed::Body otherwise = tree.collect([&] { buildBody(statement.otherwise); });
  tree.emit(tree.statement<typed::If>(typed::StmtKind::If, statement.span, condition, then, otherwise));
}

/// All returns were unified by the solver, unless the signature says what is returned. A kernel returns nothing, though
/// a bare `return` and `return None` are allowed.
void Statements::buildReturn(const syntax::Return &statement) {
  typed::Expr *value = statement.value ? expressions.expr(*statement.value) : nullptr;
  const bool returnsNone = !value || value->type->isNone();
  // A lambda can only return its result: `lambda x: cuda.atomic.add(x, 0, 1)`.
  const bool isDropped = request.isKernel && scope.function().isLambda;
  if (request.isKernel && !returnsNone && !isDropped) {
    tree.fail(statement.span, {.kind = CompileErrorKind::Type,
                               .message = "a kernel cannot return a value",
                               .found = value->type->name(),
                               .expected = "return without a value",
                               .remedy = "store the value into an array argument"});
  }
  if (value && value->type->is(Series::Elementwise) && request.known->called.libraryName.empty())
    tree.failUnsupported(value->span, "an array expression cannot be returned: it has no memory of its own",
                         "pass an array for the result");
  const Type *result = out.signature.result;
  if (result->isNone() && !returnsNone && !isDropped)
    tree.failTyping(statement.span, "the signature says that " + quoted(out.name) + " returns nothing",
                    "change the signature's return type");
  if (!typed::hasStorage(result)) {
    if (value)
      tree.emitValue(value, statement.span);
    value = nullptr;
  } else {
    value = tree.convertFor(value ? value : tree.unit(types::none(), statement.span), result,
                            "this value cannot be returned as what the signature says", statement.span);
  }
  tree.emit(tree.statement<typed::Return>(typed::StmtKind::Return, statement.span, value));
}

/// `cuda.syncthreads` without parentheses would do nothing in Python either, but is surely meant as a call.
void Statements::buildExpression(const syntax::ExprStmt &statement) {
  // Docstrings, and `...` as a body.
  if (statement.value->kind == syntax::ExprKind::String || statement.value->kind == syntax::ExprKind::Ellipsis)
    return;
  typed::Expr *value = expressions.calls.calleeValue(*statement.value);
  using syntax::ExprKind;
  const bool isName = statement.value->kind == ExprKind::Name || statement.value->kind == ExprKind::Attribute;
  const Type &type = *value->type;
  if (isName && (type.is(TypeKind::Builtin) || type.is(TypeKind::Function) || type.is(TypeKind::Object)))
    tree.fail(statement.span, {.kind = CompileErrorKind::Typing,
                               .message = "this statement names a function, and does not call it",
                               .found = type.name(),
                               .remedy = useOfFunction(type)});
  tree.emitValue(value, statement.span);
}

/// A definition has no code: the variable's type is the function, and the value at each call its captures.
void Statements::defineFunction(const syntax::FunctionDef &statement, NodeId node) {
  const Type *type = compilation.nestedFunction(*statement.function, statement.name, scope.nested(*statement.function),
                                                *request.known);
  tree.phase()->define(node, tree.unit(type, statement.span), statement.span);
}

namespace {

/// A constant in Python's notation; nullopt if the value is not a constant.
/// For the arguments of exceptions, which the launch makes again from this text. 17 digits identify any float64.
std::optional<std::string> literalText(const typed::Expr &value) {
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
  const PlainNumbers plain;
  char shown[40];
  std::snprintf(shown, sizeof shown, "%.17g", constant.real);
  const std::string text = shown;
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

} // namespace

/// Each is followed by a comma, as in a tuple of one item.
std::string_view Statements::literalArguments(const std::vector<const syntax::Expr *> &arguments) {
  std::string text;
  for (const syntax::Expr *argument : arguments) {
    const typed::Expr *value = expressions.expr(*argument);
    const std::optional<std::string> literal = literalText(*value);
    if (!literal)
      tree.fail(argument->span, {.kind = CompileErrorKind::Unsupported,
                                 .message = "what an exception is raised with must be known while compiling",
                                 .found = value->type->name() + ", known only at run time",
                                 .expected = "strings, numbers or None that are constant",
                                 .remedy = "print() the value before, or store it into an array"});
    text += *literal + ",";
  }
  return tree.memory().text(text);
}

namespace {

/// The expression as a dotted name, such as "errors.Overflow"; "" if it is not one.
/// The class of an exception is found by its name in the source, so it must have one.
std::string dottedName(const syntax::Expr &expression) {
  if (expression.kind == syntax::ExprKind::Name)
    return std::string(expression.as<syntax::Name>().id);
  if (expression.kind != syntax::ExprKind::Attribute)
    return {};
  const std::string outer = dottedName(*expression.as<syntax::Attribute>().value);
  return outer.empty() ? outer : outer + "." + std::string(expression.as<syntax::Attribute>().name);
}

} // namespace

/// `raise E`, `raise E(...)`, `raise`. By its handle the class is found in this process, by its qualified name in
/// another one that loads the image.
void Statements::buildRaise(const syntax::Raise &statement) {
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
      tree.failUnsupported(exception->span, "only an exception class, or a call of one, can be raised",
                           "write raise ValueError(\"...\")");
    handle = names.outsideObject(*exception);
    qualified = handle != 0 ? compilation.names().qualifiedName(handle) : "";
  }
  tree.emit(tree.statement<typed::Raise>(typed::StmtKind::Raise, statement.span, tree.memory().text(name), handle,
                                         tree.memory().text(qualified), arguments));
}

/// The message is a constant, as the arguments of `raise` are.
void Statements::buildAssert(const syntax::Assert &statement) {
  typed::Expr *condition = expressions.test(*statement.test);
  std::string_view arguments;
  if (statement.message)
    arguments = literalArguments({statement.message});
  tree.emit(tree.statement<typed::Assert>(typed::StmtKind::Assert, statement.span, condition,
                                          std::string_view("AssertionError"), arguments));
}

} // namespace treadle

// The typed tree as indented text.
#include "typed/print.h"

#include "typed/nodes.h"

#include <charconv>
#include <fmt/core.h>
#include <set>

namespace treadle {

namespace {

using namespace typed;

std::string shown(double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  return {digits, end.ptr};
}

class Printer {
public:
  std::string run(const TypedFunction &function) {
    print(function);
    // Callees after their callers, each once.
    std::set<const TypedFunction *> done{&function};
    std::vector<const TypedFunction *> pending{&function};
    for (size_t i = 0; i < pending.size(); ++i)
      for (const auto &callee : pending[i]->callees)
        if (done.insert(callee.get()).second)
          pending.push_back(callee.get());
    for (size_t i = 1; i < pending.size(); ++i) {
      text += '\n';
      print(*pending[i]);
    }
    return std::move(text);
  }

  std::string lineOf(const Stmt &statement) {
    print(statement, 0);
    return text.substr(0, text.find('\n'));
  }

  std::string expr(const Expr &expression);

private:
  void print(const TypedFunction &function) {
    text += (function.isKernel ? "kernel " : "function ") + function.name + "(";
    for (uint32_t i = 0; i < function.parameterCount; ++i)
      text += (i ? ", " : "") + name(*function.slots[i]) + ": " + function.slots[i]->type->name();
    text += ") -> " + function.signature.result->name() + "\n";
    for (size_t i = function.parameterCount; i < function.slots.size(); ++i)
      text += "  var " + name(*function.slots[i]) + ": " + function.slots[i]->type->name() + "\n";
    body(function.body, 1);
  }

  static std::string name(const Slot &slot) {
    return fmt::format("{}.{}", slot.name.empty() ? "t" : slot.name, slot.index);
  }

  void line(unsigned depth, const std::string &content) { text += std::string(2 * depth, ' ') + content + "\n"; }

  void body(Body statements, unsigned depth) {
    for (const Stmt *statement : statements)
      print(*statement, depth);
  }

  void arms(unsigned depth, Body then, Body otherwise) {
    body(then, depth + 1);
    if (!otherwise.empty()) {
      line(depth, "else");
      body(otherwise, depth + 1);
    }
  }

  void print(const Stmt &statement, unsigned depth);
  std::string constant(const Const &value) const;
  std::string operation(const OperationExpr &expression);
  std::string view(const View &expression);
  std::string block(const Block &expression);

  std::string list(std::span<Expr *const> items) {
    std::string joined;
    for (const Expr *item : items)
      joined += (joined.empty() ? "" : ", ") + expr(*item);
    return joined;
  }
  std::string at(const Indexed &indexed) { return expr(*indexed.array) + "[" + list(indexed.indices) + "]"; }

  std::string text;
};

void Printer::print(const Stmt &statement, unsigned depth) {
  switch (statement.kind) {
  case StmtKind::Assign:
    return line(depth, name(*statement.as<Assign>().slot) + " = " + expr(*statement.as<Assign>().value));
  case StmtKind::Store:
    return line(depth, "store " + at(statement.as<Store>().at) + " = " + expr(*statement.as<Store>().value));
  case StmtKind::Effect:
    return line(depth, "do " + expr(*statement.as<Effect>().value));
  case StmtKind::If:
    line(depth, "if " + expr(*statement.as<If>().test));
    return arms(depth, statement.as<If>().then, statement.as<If>().otherwise);
  case StmtKind::While:
    line(depth, "while " + expr(*statement.as<While>().test));
    return arms(depth, statement.as<While>().body, statement.as<While>().otherwise);
  case StmtKind::Range: {
    const auto &range = statement.as<Range>();
    line(depth, "for " + name(*range.slot) + " in range(" + expr(*range.start) + ", " + expr(*range.stop) + ", " +
                    expr(*range.step) + ")");
    return arms(depth, range.body, range.otherwise);
  }
  case StmtKind::Break:
    return line(depth, "break");
  case StmtKind::Continue:
    return line(depth, "continue");
  case StmtKind::Return:
    return line(depth, statement.as<Return>().value ? "return " + expr(*statement.as<Return>().value) : "return");
  case StmtKind::Barrier:
    return line(depth, std::string(barrierText(statement.as<Barrier>().barrier)) +
                           (statement.as<Barrier>().predicate ? " " + expr(*statement.as<Barrier>().predicate) : ""));
  case StmtKind::Raise:
    return line(depth, "raise " + std::string(statement.as<Raise>().exceptionClass) + "(" +
                           std::string(statement.as<Raise>().arguments) + ")");
  case StmtKind::Assert:
    return line(depth, "assert " + expr(*statement.as<Assert>().test));
  case StmtKind::Print:
    return line(depth, "print " + list(statement.as<Print>().items));
  }
}

std::string Printer::constant(const Const &value) const {
  const Type *type = value.type;
  if (type->is(TypeKind::String))
    return "\"" + std::string(type->text()) + "\"";
  if (type->isBool())
    return value.integer ? "true" : "false";
  if (type->isInt())
    return type->name() + " " +
           (type->isSigned() ? std::to_string(value.integer) : std::to_string(uint64_t(value.integer)));
  if (type->isFloat())
    return type->name() + " " + shown(value.real);
  if (type->isComplex())
    return type->name() + " (" + shown(value.real) + ", " + shown(value.imag) + ")";
  return type->name();
}

std::string Printer::operation(const OperationExpr &expression) {
  std::string shownName(operationText(expression.op));
  // The result's type, unless the operands imply it.
  const bool tells = !expression.operands.empty() && expression.operands[0]->type == expression.type;
  if (!tells && !isComparison(expression.op))
    shownName += ":" + expression.type->name();
  return expression.operands.empty() ? shownName : shownName + "(" + list(expression.operands) + ")";
}

std::string Printer::view(const View &expression) {
  if (expression.view == ViewKind::Field) {
    const RecordField &field = expression.array->type->element()->fields()[expression.field];
    return expr(*expression.array) + "." + std::string(field.name);
  }
  constexpr std::string_view kinds[] = {"view", "transpose", "real", "imag", "field", "retype", "peer", "reshape"};
  std::string shownText(kinds[unsigned(expression.view)]);
  shownText += ":" + expression.type->name() + "(" + expr(*expression.array) + ")";
  if (expression.axes.empty())
    return shownText;
  std::string axes;
  for (const ViewAxis &axis : expression.axes) {
    axes += axes.empty() ? "" : ", ";
    if (axis.kind == ViewAxis::Kind::Index)
      axes += expr(*axis.start);
    else if (axis.kind == ViewAxis::Kind::NewAxis)
      axes += "new";
    else
      axes += (axis.start ? expr(*axis.start) : "") + ":" + (axis.stop ? expr(*axis.stop) : "") +
              (axis.step ? ":" + expr(*axis.step) : "");
  }
  return shownText + "[" + axes + "]";
}

std::string Printer::block(const Block &expression) {
  // Inner statements on the same line, in braces.
  std::string outer = std::move(text);
  text.clear();
  body(expression.body, 0);
  std::string inner = std::move(text);
  text = std::move(outer);
  std::string joined;
  for (char character : inner)
    joined += character == '\n' ? std::string("; ") : std::string(1, character);
  return "{" + joined + expr(*expression.value) + "}";
}

std::string Printer::expr(const Expr &expression) {
  switch (expression.kind) {
  case ExprKind::Const:
    return constant(expression.as<Const>());
  case ExprKind::Slot:
    return name(*expression.as<SlotRead>().slot);
  case ExprKind::Operation:
    return operation(expression.as<OperationExpr>());
  case ExprKind::Conditional: {
    const auto &choice = expression.as<Conditional>();
    return "(" + expr(*choice.test) + " ? " + expr(*choice.then) + " : " + expr(*choice.otherwise) + ")";
  }
  case ExprKind::Call:
    return "call " + expression.as<Call>().callee->name + "(" + list(expression.as<Call>().arguments) + ")";
  case ExprKind::Load:
    return at(expression.as<Load>().at);
  case ExprKind::View:
    return view(expression.as<View>());
  case ExprKind::Attribute: {
    constexpr std::string_view names[] = {"shape", "strides", "size", "nbytes", "address"};
    const auto &attribute = expression.as<Attribute>();
    std::string shownText = expr(*attribute.array) + "." + std::string(names[unsigned(attribute.attribute)]);
    const bool isAxis = attribute.attribute <= ArrayAttribute::Strides && attribute.axis >= 0;
    return isAxis ? fmt::format("{}[{}]", shownText, attribute.axis) : shownText;
  }
  case ExprKind::Tuple:
    return "(" + list(expression.as<Tuple>().items) + (expression.as<Tuple>().items.size() == 1 ? ",)" : ")");
  case ExprKind::Item:
    return fmt::format("{}.{}", expr(*expression.as<Item>().tuple), expression.as<Item>().index);
  case ExprKind::ItemAt:
    return expr(*expression.as<ItemAt>().tuple) + ".[" + expr(*expression.as<ItemAt>().index) + "]";
  case ExprKind::Block:
    return block(expression.as<Block>());
  case ExprKind::Allocation: {
    std::string shape;
    for (int64_t extent : expression.as<Allocation>().shape)
      shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
    const bool isShared = expression.type->space() == Space::Shared;
    return std::string(isShared ? "shared" : "local") + " " + expression.type->element()->name() + "(" + shape + ")";
  }
  case ExprKind::HeapArray:
    return "heap " + expression.type->element()->name() + "(" + expr(*expression.as<HeapArray>().count) + ")";
  case ExprKind::Captured:
    return fmt::format("captured {}", expression.as<Captured>().id);
  case ExprKind::WarpOp:
    return std::string(warpText(expression.as<WarpOp>().op)) + "(" + list(expression.as<WarpOp>().operands) + ")";
  case ExprKind::Atomic: {
    const auto &atomic = expression.as<Atomic>();
    const std::string compare = atomic.compare ? ", " + expr(*atomic.compare) : "";
    return "atomic " + std::string(atomicText(atomic.op)) + " " + at(atomic.at) + compare + ", " + expr(*atomic.value);
  }
  }
  return {};
}

} // namespace

std::string typed::printed(const Expr &expression) { return Printer().expr(expression); }

std::string typed::printed(const Stmt &statement) { return Printer().lineOf(statement); }

std::string TypedFunction::print() const { return Printer().run(*this); }

} // namespace treadle

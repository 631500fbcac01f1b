// Prints a syntax tree as text resembling Python: every operation in parentheses, the line number before each line.
#include "syntax/syntax.h"

#include <charconv>
#include <cmath>

namespace treadle {

using namespace syntax;

namespace {

constexpr std::string_view binarySigns[] = {"+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"};
constexpr std::string_view unarySigns[] = {"-", "+", "~", "not "};
constexpr std::string_view comparisonSigns[] = {"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"};

std::string shortest(double value) {
  if (std::isnan(value) || std::isinf(value))
    return std::isnan(value) ? "nan" : value < 0 ? "-1e999" : "1e999";
  char digits[32];
  const auto [end, failure] = std::to_chars(digits, digits + sizeof digits, value);
  std::string text(digits, end);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

std::string quoted(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string result = "'";
  for (char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '\'' || character == '\\')
      (result += '\\') += character;
    else if (character == '\n')
      result += "\\n";
    else if (byte < ' ' || byte == 0x7f)
      ((result += "\\x") += hex[byte >> 4]) += hex[byte & 15];
    else
      result += character;
  }
  return result + "'";
}

class Printer {
public:
  std::string text;

  void definition(const Function &function) {
    line(function.span);
    text += "def " + std::string(function.name) + "(" + parameters(function) + "):\n";
    block(function.body);
  }

private:
  unsigned indent = 0;

  void line(const SourceSpan &span) {
    const std::string number = std::to_string(span.line);
    text.append(number.size() < 4 ? 4 - number.size() : 0, ' ');
    text += number + "  ";
    text.append(indent * 2, ' ');
  }

  void block(Body body) {
    ++indent;
    for (const Stmt *stmt : body)
      statement(*stmt);
    --indent;
  }

  void otherwise(const SourceSpan &span, Body body) {
    if (body.empty())
      return;
    line(span);
    text += "else:\n";
    block(body);
  }

  std::string parameters(const Function &function) {
    std::string list;
    bool hasStar = false;
    for (const Parameter &parameter : function.parameters) {
      if (!list.empty())
        list += ", ";
      if (parameter.kind == ParameterKind::KeywordOnly && !hasStar)
        list += "*, ";
      hasStar = hasStar || parameter.kind != ParameterKind::Plain;
      list += parameter.kind == ParameterKind::Star ? "*" : parameter.kind == ParameterKind::DoubleStar ? "**" : "";
      list += parameter.name;
      if (parameter.hasDefault)
        list += parameter.defaultValue ? "=" + expression(*parameter.defaultValue) : "=...";
    }
    return list;
  }

  void statement(const Stmt &stmt) {
    if (stmt.kind == StmtKind::FunctionDef)
      return definition(*stmt.as<FunctionDef>().function);
    line(stmt.span);
    switch (stmt.kind) {
    case StmtKind::If:
      return ifStatement(stmt.as<If>());
    case StmtKind::While:
      return whileStatement(stmt.as<While>());
    case StmtKind::For:
      return forStatement(stmt.as<For>());
    default:
      text += simple(stmt) + "\n";
    }
  }

  void ifStatement(const If &stmt) {
    text += "if " + expression(*stmt.test) + ":\n";
    block(stmt.then);
    otherwise(stmt.span, stmt.otherwise);
  }

  void whileStatement(const While &stmt) {
    text += "while " + expression(*stmt.test) + ":\n";
    block(stmt.body);
    otherwise(stmt.span, stmt.otherwise);
  }

  void forStatement(const For &stmt) {
    text += "for " + expression(*stmt.target) + " in " + expression(*stmt.iterable) + ":\n";
    block(stmt.body);
    otherwise(stmt.span, stmt.otherwise);
  }

  std::string simple(const Stmt &stmt) {
    switch (stmt.kind) {
    case StmtKind::Assign: {
      std::string result;
      for (const Expr *target : stmt.as<Assign>().targets)
        result += expression(*target) + " = ";
      return result + expression(*stmt.as<Assign>().value);
    }
    case StmtKind::AugAssign: {
      const auto &assign = stmt.as<AugAssign>();
      const std::string_view sign = binarySigns[unsigned(assign.op)];
      return expression(*assign.target) + " " + std::string(sign) + "= " + expression(*assign.value);
    }
    case StmtKind::Expression:
      return expression(*stmt.as<ExprStmt>().value);
    case StmtKind::Break:
      return "break";
    case StmtKind::Continue:
      return "continue";
    case StmtKind::Return:
      return "return" + after(" ", stmt.as<Return>().value);
    case StmtKind::Raise:
      return "raise" + after(" ", stmt.as<Raise>().exception);
    case StmtKind::Assert:
      return "assert " + expression(*stmt.as<Assert>().test) + after(", ", stmt.as<Assert>().message);
    default:
      return "?";
    }
  }

  std::string after(std::string_view separator, const Expr *expr) {
    return expr ? std::string(separator) + expression(*expr) : std::string();
  }

  std::string joined(std::span<Expr *const> items) {
    std::string list;
    for (const Expr *item : items)
      list += (list.empty() ? "" : ", ") + expression(*item);
    return list;
  }

  std::string format(const Format &part) {
    const std::string conversion = part.conversion ? std::string("!") + part.conversion : "";
    return "{" + expression(*part.value) + conversion + (part.spec ? ":" + expression(*part.spec) : "") + "}";
  }

  std::string expression(const Expr &expr) {
    switch (expr.kind) {
    case ExprKind::Name:
      return std::string(expr.as<Name>().id);
    case ExprKind::Literal:
      return literal(expr.as<Literal>());
    case ExprKind::String:
      return (expr.as<String>().isBytes ? "b" : "") + quoted(expr.as<String>().text);
    case ExprKind::Ellipsis:
      return "...";
    case ExprKind::Attribute:
      return expression(*expr.as<Attribute>().value) + "." + std::string(expr.as<Attribute>().name);
    case ExprKind::Subscript:
      return expression(*expr.as<Subscript>().value) + "[" + expression(*expr.as<Subscript>().index) + "]";
    case ExprKind::Slice:
      return slice(expr.as<Slice>());
    case ExprKind::Tuple:
      return "(" + joined(expr.as<Sequence>().items) + (expr.as<Sequence>().items.size() == 1 ? ",)" : ")");
    case ExprKind::List:
      return "[" + joined(expr.as<Sequence>().items) + "]";
    case ExprKind::Joined:
      return "f(" + joined(expr.as<Sequence>().items) + ")";
    case ExprKind::Format:
      return format(expr.as<Format>());
    case ExprKind::Starred:
      return "*" + expression(*expr.as<Starred>().value);
    case ExprKind::Call:
      return call(expr.as<Call>());
    case ExprKind::Comprehension:
      return "[" + expression(*expr.as<Comprehension>().each) + "]";
    case ExprKind::Consteval:
      return expression(*expr.as<Consteval>().callee) + "<" + joined(expr.as<Consteval>().names) + ">";
    default:
      return "(" + operation(expr) + ")";
    }
  }

  std::string operation(const Expr &expr) {
    switch (expr.kind) {
    case ExprKind::Unary:
      return std::string(unarySigns[unsigned(expr.as<Unary>().op)]) + expression(*expr.as<Unary>().operand);
    case ExprKind::Binary: {
      const auto &binary = expr.as<Binary>();
      const std::string_view sign = binary.isMatMul ? "@" : binarySigns[unsigned(binary.op)];
      return expression(*binary.left) + " " + std::string(sign) + " " + expression(*binary.right);
    }
    case ExprKind::Boolean: {
      std::string result;
      for (const Expr *value : expr.as<Boolean>().values)
        result += (result.empty() ? "" : expr.as<Boolean>().isAnd ? " and " : " or ") + expression(*value);
      return result;
    }
    case ExprKind::Compare:
      return compare(expr.as<Compare>());
    case ExprKind::Conditional: {
      const auto &choice = expr.as<Conditional>();
      return expression(*choice.then) + " if " + expression(*choice.test) + " else " + expression(*choice.otherwise);
    }
    case ExprKind::Walrus:
      return std::string(expr.as<Walrus>().target->id) + " := " + expression(*expr.as<Walrus>().value);
    case ExprKind::Lambda:
      return lambda(*expr.as<Lambda>().function);
    default:
      return "?";
    }
  }

  std::string compare(const Compare &compare) {
    std::string result = expression(*compare.left);
    for (size_t i = 0; i < compare.ops.size(); ++i)
      result += " " + std::string(comparisonSigns[unsigned(compare.ops[i])]) + " " + expression(*compare.rights[i]);
    return result;
  }

  std::string call(const Call &call) {
    std::string list = joined(call.arguments);
    for (const Keyword &keyword : call.keywords) {
      list += list.empty() ? "" : ", ";
      list += keyword.name.empty() ? "**" : std::string(keyword.name) + "=";
      list += expression(*keyword.value);
    }
    return expression(*call.callee) + "(" + list + ")";
  }

  std::string slice(const Slice &slice) {
    return after("", slice.start) + ":" + after("", slice.stop) + after(":", slice.step);
  }

  std::string lambda(const Function &function) {
    const std::string list = parameters(function);
    const Expr *value = function.body.back()->as<Return>().value;
    return "lambda" + (list.empty() ? "" : " " + list) + ": " + expression(*value);
  }

  static std::string literal(const Literal &literal) {
    switch (literal.literal) {
    case LiteralKind::None:
      return "None";
    case LiteralKind::Bool:
      return literal.integer != 0 ? "True" : "False";
    case LiteralKind::Int:
      if (literal.tooLarge)
        return "<integer beyond 64 bits>";
      return literal.isUnsigned ? std::to_string(uint64_t(literal.integer)) : std::to_string(literal.integer);
    case LiteralKind::Float:
      return shortest(literal.real);
    case LiteralKind::Complex:
      return shortest(literal.real) + "j";
    }
    return "?";
  }
};

} // namespace

std::string SyntaxFunction::print() const {
  Printer printer;
  printer.definition(*top);
  return std::move(printer.text);
}

} // namespace treadle

// Instructions and their operands; names of inner scopes, which may hide those around them.
#include "body_parser.h"

#include "fault.h"
#include "variable_parser.h"

#include <map>

namespace ptxmachine {

namespace {

class BodyParser {
public:
  explicit BodyParser(Lexer &lexer) : lexer(lexer) {}

  Body parse() {
    lexer.expect("{");
    scopes.emplace_back();
    while (!scopes.empty())
      item();
    return std::move(body);
  }

private:
  using Names = std::map<std::string, std::string>; ///< as written, to as unique

  void item() {
    if (lexer.accept("{")) {
      scopes.emplace_back();
    } else if (lexer.accept("}")) {
      scopes.pop_back();
    } else if (lexer.accept("@")) {
      Statement statement;
      statement.isGuardNegated = lexer.accept("!");
      statement.guard = resolved(lexer.name());
      instruction(std::move(statement), lexer.name());
    } else {
      const std::string word = lexer.name();
      if (word[0] == '.')
        directive(word);
      else if (lexer.accept(":"))
        label(word);
      else
        instruction({}, word);
    }
  }

  void directive(const std::string &word) {
    if (word == ".reg")
      return registers();
    if (word == ".loc")
      return location();
    if (word == ".pragma") {
      while (!lexer.accept(";"))
        lexer.take();
      return;
    }
    const auto space = spaceNamed(word);
    if (!space)
      lexer.fail("the directive '" + word + "' is not known here");
    for (Variable &variable : declarations(lexer, *space, Linkage::Internal)) {
      variable.name = declare(variable.name);
      body.variables.push_back(std::move(variable));
    }
  }

  /// `.branchtargets`, `.callprototype` and plain labels.
  void label(const std::string &name) {
    if (lexer.accept(".branchtargets")) {
      std::vector<std::string> targets;
      do
        targets.push_back(resolved(lexer.name()));
      while (lexer.accept(","));
      lexer.expect(";");
      body.branchTargets.emplace_back(name, std::move(targets));
    } else if (lexer.accept(".callprototype") || lexer.accept(".calltargets")) {
      while (!lexer.accept(";"))
        lexer.take();
    } else {
      body.labels.emplace_back(name, body.statements.size());
    }
  }

  /// A name that another scope has already taken becomes one that no text can have.
  std::string declare(const std::string &name) {
    unsigned &uses = taken[name];
    const std::string unique = uses++ ? name + "#" + std::to_string(uses) : name;
    scopes.back()[name] = unique;
    return unique;
  }

  std::string resolved(const std::string &name) const {
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
      if (const auto found = scope->find(name); found != scope->end())
        return found->second;
    return name;
  }

  void registers() {
    std::string type = lexer.name();
    if (type == ".v2" || type == ".v4")
      lexer.fail("registers that are vectors are not known");
    do {
      const std::string name = lexer.name();
      if (!lexer.accept("<")) {
        body.registers.push_back({declare(name), type});
        continue;
      }
      const int64_t count = lexer.integer();
      for (int64_t at = 0; at < count; ++at)
        body.registers.push_back({declare(name + std::to_string(at)), type});
      lexer.expect(">");
    } while (lexer.accept(","));
    lexer.expect(";");
  }

  void location() {
    source.file = static_cast<unsigned>(lexer.integer());
    source.line = static_cast<unsigned>(lexer.integer());
    source.column = static_cast<unsigned>(lexer.integer());
    while (lexer.accept(",")) { // function_name L+4, inlined_at 1 2 3
      const bool isPosition = lexer.name() == "inlined_at";
      if (isPosition) {
        lexer.integer(), lexer.integer(), lexer.integer();
        continue;
      }
      lexer.name();
      if (lexer.accept("+"))
        lexer.integer();
    }
  }

  void instruction(Statement statement, const std::string &opcode) {
    statement.opcode = opcode;
    statement.source = source;
    statement.textLine = lexer.current().line;
    while (!lexer.accept(";")) {
      if (!statement.operands.empty())
        lexer.expect(",");
      statement.operands.push_back(operand());
    }
    body.statements.push_back(std::move(statement));
  }

  std::vector<Operand> items(std::string_view end) {
    std::vector<Operand> result;
    while (!lexer.accept(end)) {
      if (!result.empty())
        lexer.expect(",");
      result.push_back(operand());
    }
    return result;
  }

  Operand operand() {
    Operand result;
    if (lexer.accept("{")) {
      result.kind = Operand::Kind::Vector;
      result.items = items("}");
    } else if (lexer.accept("(")) {
      result.kind = Operand::Kind::List;
      result.items = items(")");
    } else if (lexer.accept("[")) {
      result = operand();
      result.kind = Operand::Kind::Address;
      lexer.expect("]");
    } else if (lexer.accept("!")) {
      result.isNegated = true;
      result.name = resolved(lexer.name());
    } else if (lexer.current().kind == TokenKind::Word) {
      return named();
    } else {
      return number();
    }
    return result;
  }

  Operand named() {
    Operand result;
    result.name = resolved(lexer.name());
    if (lexer.accept("|")) {
      Operand first = result, second = operand();
      result = {};
      result.kind = Operand::Kind::Pair;
      result.items = {first, second};
    } else if (lexer.accept("+")) {
      result.offset = lexer.integer();
    } else if (lexer.accept("-")) {
      result.offset = -lexer.integer();
    }
    return result;
  }

  Operand number() {
    Operand result;
    const bool isNegative = lexer.accept("-");
    const Token token = lexer.take();
    if (token.kind == TokenKind::Float) {
      result.kind = Operand::Kind::Float;
      result.isSingle = token.isSingle;
      result.bits = token.bits ^ (isNegative ? uint64_t{1} << (token.isSingle ? 31 : 63) : 0);
    } else if (token.kind == TokenKind::Integer) {
      result.kind = Operand::Kind::Integer;
      result.bits = isNegative ? 0 - token.bits : token.bits;
      result.offset = static_cast<int64_t>(result.bits);
    } else {
      lexer.fail("expected an operand before '" + std::string(token.text) + "'");
    }
    return result;
  }

  Lexer &lexer;
  Body body;
  SourceLine source;
  std::vector<Names> scopes;
  std::map<std::string, unsigned> taken;
};

} // namespace

Body parseBody(Lexer &lexer) { return BodyParser(lexer).parse(); }

} // namespace ptxmachine

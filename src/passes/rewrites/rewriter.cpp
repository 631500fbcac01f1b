// Rewriter: passes each node from rule to rule.
#include "passes/rewrites/rewriter.h"

namespace treadle {

using namespace typed;

/// After the last rule, the node is copied, and its operands begin with the first rule again.
Expr *Rule::Rest::operator()(const Expr &expression) const {
  if (next == copy.rules.size())
    return copy.TreeCopy::copyNode(expression);
  return copy.rules[next]->expression({copy, next + 1}, expression);
}

void Rule::Rest::operator()(Statements &into, const Stmt &statement) const {
  if (next == copy.rules.size())
    return copy.TreeCopy::copyInto(into, statement);
  copy.rules[next]->statement({copy, next + 1}, into, statement);
}

void Rewriter::copyInto(Rule::Statements &statements, const Stmt &statement) {
  Rule::Rest{*this, 0}(statements, statement);
}

Expr *Rewriter::copyNode(const Expr &expression) { return Rule::Rest{*this, 0}(expression); }

/// `begin` first: it may change types of slots, which reads of them are copied with.
std::shared_ptr<TypedFunction> rewritten(const TypedFunction &kernel, const Rewriter::Rules &rules) {
  if (rules.empty())
    return nullptr;
  auto made = std::make_shared<TypedFunction>();
  static_cast<FunctionHeader &>(*made) = kernel;
  Rewriter rewriter(*made, kernel, rules);
  for (const std::unique_ptr<Rule> &rule : rules)
    rule->begin(rewriter);
  made->body = rewriter.copy(kernel.body);
  return made;
}

} // namespace treadle

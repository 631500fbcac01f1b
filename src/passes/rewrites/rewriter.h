// Rewriter: applies several rules to a kernel in one copy of its tree.
#pragma once

#include "passes/analyses/uses.h"
#include "passes/rewrites/tree_copy.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace treadle {

/// What rules decide by. Outlives them.
struct RuleInput {
  const TypedFunction &kernel;
  const UsesTable &uses;
  bool noOverlap = false; ///< Facts::noOverlap, for captured arrays too
};

class Rewriter;

/// One kind of change. A rule finds in advance, in the original tree, which nodes it changes, and so does not see what
/// other rules make of them: a rule that must see it belongs into a later pass.
class Rule {
public:
  using Statements = std::vector<typed::Stmt *>;

  /// How a rule proceeds: `copy` rewrites parts of a node by all rules, calls rewrite the node itself by the later ones
  /// only.
  struct Rest {
    Rewriter &copy;
    unsigned next; ///< position among the rules
    typed::Expr *operator()(const typed::Expr &expression) const;
    void operator()(Statements &into, const typed::Stmt &statement) const;
  };

  virtual ~Rule() = default;
  /// Before anything is copied.
  virtual void begin(Rewriter &) {}
  virtual typed::Expr *expression(const Rest &rest, const typed::Expr &expression) { return rest(expression); }
  /// Appends what becomes of the statement.
  virtual void statement(const Rest &rest, Statements &into, const typed::Stmt &statement) { rest(into, statement); }
};

/// Rules that apply to a kernel, in order. The first one that changes a node decides what the others see of it.
class Rewriter final : public TreeCopy {
public:
  using Rules = std::vector<std::unique_ptr<Rule>>;
  Rewriter(TypedFunction &out, const TypedFunction &from, const Rules &rules) : TreeCopy(out, from), rules(rules) {}

  using TreeCopy::copy, TreeCopy::listOf, TreeCopy::newSlot;
  using TreeCopy::nodes, TreeCopy::out, TreeCopy::replacements, TreeCopy::slots;

private:
  friend Rule::Rest;
  void copyInto(Rule::Statements &statements, const typed::Stmt &statement) override;
  typed::Expr *copyNode(const typed::Expr &expression) override;

  const Rules &rules;
};

/// Finds out where a rule applies; null: nowhere.
struct RuleMaker {
  std::string_view name;
  std::unique_ptr<Rule> (*make)(const RuleInput &input);
};

/// The rewritten kernel; null if there are no rules. Precondition: no calls in it have been expanded.
std::shared_ptr<TypedFunction> rewritten(const TypedFunction &kernel, const Rewriter::Rules &rules);

} // namespace treadle

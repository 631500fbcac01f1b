// rewrittenBy: what one rule alone makes of a kernel.
#pragma once

#include "passes/rewrites/rewriter.h"

#include <memory>
#include <utility>

namespace treadle::test {

/// Null if the rule does not apply.
inline std::shared_ptr<TypedFunction> rewrittenBy(std::unique_ptr<Rule> (*make)(const RuleInput &),
                                                  const TypedFunction &kernel, bool noOverlap = false) {
  const UsesTable uses;
  Rewriter::Rules rules;
  if (std::unique_ptr<Rule> rule = make({kernel, uses, noOverlap}))
    rules.push_back(std::move(rule));
  return rewritten(kernel, rules);
}

} // namespace treadle::test

// forwarded_values: elements that a thread has just stored or loaded are not loaded again.
#pragma once

#include "passes/rewrites/rewriter.h"

namespace treadle {

/// The rule that makes loads of elements that the same thread has just stored or loaded reads of variables. Preserves
/// behaviour unless threads race: stores remain, and only elements in global memory that are private to their thread
/// within the block are forwarded, since programs let threads store to one place and read which of them was the last,
/// and communicate through other memory from one instruction to the next.
std::unique_ptr<Rule> forwardedValues(const RuleInput &input);

} // namespace treadle

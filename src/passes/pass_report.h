// pass_report: what each pass has done to a kernel, as text: the stage "passes".
#pragma once

#include "passes/pipeline.h"

#include <chrono>
#include <string>
#include <vector>

namespace treadle {

/// What an analysis has found, a line for each. Empty: nothing.
using Findings = std::vector<std::string>;

namespace findings {

Findings rules(const Analysis &analysis);
Findings overlap(const Analysis &analysis);
Findings waiting(const Analysis &analysis);
Findings fibers(const Analysis &analysis);
Findings gridIds(const Analysis &analysis);
Findings spans(const Analysis &analysis);
Findings tables(const Analysis &analysis);
Findings halves(const Analysis &analysis);
Findings stridedLoops(const Analysis &analysis);
Findings vectorizableLoops(const Analysis &analysis);
Findings streams(const Analysis &analysis);
Findings ranges(const Analysis &analysis);
Findings divergence(const Analysis &analysis);

} // namespace findings

/// A line about a pass that has just run, and below it the tree that it has made, or what it has found. `before`: the
/// tree before it.
std::string reportOf(const Pass &pass, const Analysis &analysis, const TypedFunction *before,
                     std::chrono::steady_clock::duration time);

} // namespace treadle

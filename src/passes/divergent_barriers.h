// divergent_barriers: barriers that threads of one warp may reach apart.
#pragma once

#include "typed/typed.h"

#include <unordered_set>

namespace treadle {

/// In the function and in all that it calls: barriers under control that may differ between the threads of a block.
/// Needs nothing. Wrong in one direction only: what threads reach together may be among them. Threads that have
/// returned do not count.
std::unordered_set<const typed::Stmt *> findDivergentBarriers(const TypedFunction &function);

} // namespace treadle

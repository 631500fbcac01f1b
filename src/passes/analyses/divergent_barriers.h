// divergent_barriers: barriers that the threads of one warp may reach separately.
#pragma once

#include "typed/typed.h"

#include <unordered_set>

namespace treadle {

/// The barriers, in the function and all its callees, at which some threads of a warp may arrive or wait while others
/// are elsewhere. If control flow that may diverge within the block leads to one barrier, all barriers are returned:
/// after it, and around it, a warp may be split. Needs no other pass. Conservative: may include barriers that threads
/// do reach together. Threads that have returned from a kernel do not count; those that have returned from a device
/// function are in its caller.
std::unordered_set<const typed::Stmt *> findDivergentBarriers(const TypedFunction &function);

} // namespace treadle

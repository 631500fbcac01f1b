// divergent_barriers: barriers that threads of one warp may reach apart.
#pragma once

#include "typed/typed.h"

#include <unordered_set>

namespace treadle {

/// In the function and in all that it calls: barriers that some threads of a warp may reach, or wait at, while others
/// are elsewhere. Where one barrier is under control that may differ between the threads of a block, that goes for all
/// of them: behind it, and around it, a warp may be in parts. Needs nothing. Wrong in one direction only: what threads
/// reach together may be among them. Threads that have returned from a kernel do not count; those that have returned
/// from a device function are in its caller.
std::unordered_set<const typed::Stmt *> findDivergentBarriers(const TypedFunction &function);

} // namespace treadle

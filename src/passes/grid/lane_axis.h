// lane_axis: along which axis of the grid neighbouring threads access neighbouring elements.
#pragma once

#include "typed/typed.h"
#include "types/wanted_facts.h"

namespace treadle {

/// The axis that a kernel's warps should run along, if the launch has enough threads on it (Facts::laneAxis).
/// - x unless that makes clearly fewer accesses scattered: those whose address steps by more than a few elements from
///   thread to thread, counted by depth of loops. `i, j = cuda.grid(2); a[i, j]` wants y, as do arrays in F order that
///   are indexed by `a[x, y]`.
/// - x if the kernel shows which threads share a warp, in warp functions, lane numbers, printed text or clusters: no
///   other program can see the axis.
/// A kernel that reads one axis takes one walk over its tree. Linear in the size of the tree, with each callee once per
/// call up to a limit.
LaneAxes preferredAxes(const TypedFunction &kernel);

} // namespace treadle

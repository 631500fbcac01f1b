// vectorizable_loops: loops of one thread that LLVM can be expected to vectorize.
#pragma once

#include "passes/analyses/liveness.h"
#include "passes/analyses/uses.h"

#include <unordered_map>
#include <vector>

namespace treadle {

/// A `range` that steps by 1, whose iterations compute, load and store, and carry little from one to the next: integers
/// into which each combines a value, which LLVM vectorizes, or what takes a few cycles, as a running maximum does, so
/// that a scalar loop is as fast as C. That is a guess at what pays; LLVM finds out what is legal. Threads may run such
/// a loop one after the other: it makes no difference which lanes run the body together.
struct VectorizableLoop {
  /// A load or store. With the counter as the last index, plus `offset` if not null, the elements of iterations that
  /// follow each other are adjacent; the other indices do not change in the loop, nor does the offset.
  struct Access {
    const typed::Indexed *at;
    bool isAdjacent;
    const typed::Expr *offset;
  };
  /// A 64-bit integer of which iterations know nothing but that they add terms or subtract them, each at most once.
  struct Sum {
    const typed::Slot *total;
    std::vector<const typed::Expr *> terms;
  };
  std::vector<Access> accesses;
  std::vector<Sum> sums;
};

using VectorizableLoops = std::unordered_map<const typed::Stmt *, VectorizableLoop>;

VectorizableLoops findVectorizableLoops(const TypedFunction &function, const Uses &uses);

} // namespace treadle

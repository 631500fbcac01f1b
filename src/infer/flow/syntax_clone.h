// Copies of syntax trees, so that each copy of an unrolled loop body is typed separately.
#pragma once

#include "support/arena.h"
#include "syntax/syntax.h"

namespace treadle {

/// The loop with new nodes for its target and body; the iterable and `else` are shared with the original.
/// Copies live as long as `arena`; they refer to names and functions of the original tree, which must outlive them.
const syntax::For *cloneLoop(const syntax::For &loop, Arena &arena);

} // namespace treadle

// Copies of syntax trees, so that each copy of an unrolled loop body is typed separately.
#pragma once

#include "support/arena.h"
#include "syntax/syntax.h"

namespace treadle {

/// The loop with new nodes for its target and body; the iterable and `else` are shared with the original.
const syntax::For *cloneLoop(const syntax::For &loop, Arena &arena);

} // namespace treadle

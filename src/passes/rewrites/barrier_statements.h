// barrier_statements: moves the barriers of a kernel and its device functions to where the kernel can be cut at them:
// into statements of the kernel itself.
#pragma once

#include "typed/typed.h"

#include <memory>

namespace treadle {

/// A copy of the kernel in which every barrier inside an expression has become a statement before it, and every call of
/// a function with a barrier has become that function's body; null if there is neither. Values that an expression
/// computes before its barrier are saved in slots. Functions with early returns stay calls (of copies), which are
/// statements. Afterwards barriers remain inside expressions only in tests of loops whose else clause leaves the
/// enclosing loop. `alsoWarpOps`: does the same for warp operations.
std::shared_ptr<TypedFunction> makeBarriersStatements(const TypedFunction &kernel, bool alsoWarpOps);

} // namespace treadle

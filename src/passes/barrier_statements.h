// barrier_statements: brings the barriers of a kernel, and of the device functions that it calls, to where it can be
// cut at them: into statements of the kernel itself.
#pragma once

#include "typed/typed.h"

#include <memory>

namespace treadle {

/// A copy of the kernel in which every barrier that stood inside of an expression is a statement in front of it, and
/// every call of a function with a barrier is that function's body; null where there is neither. What an expression has
/// evaluated before its barrier is kept in slots. Functions that return before their end stay calls, of copies, which
/// are statements. Afterwards a barrier inside of an expression is left only in tests of loops whose else clause leaves
/// the loop around them. `alsoWarpOps`: the same for what the lanes of a warp do together.
std::shared_ptr<TypedFunction> makeBarriersStatements(const TypedFunction &kernel, bool alsoWarpOps);

} // namespace treadle

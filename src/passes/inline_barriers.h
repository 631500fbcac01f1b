// inline_barriers: puts device functions that contain a barrier into the kernel, where it can be cut at them.
#pragma once

#include "typed/typed.h"

#include <memory>

namespace treadle {

/// A copy of the kernel in which every call `f(...)` and `x = f(...)` of a function with a barrier is its body; null
/// where there is no such call. Afterwards what is left of such calls stands inside of expressions or returns from the
/// middle of their function. Throws CompileError for those.
std::unique_ptr<TypedFunction> inlineBarriers(const TypedFunction &kernel);

} // namespace treadle

// Checks of what must hold of every typed tree.
#pragma once

#include "typed/typed.h"

namespace treadle {

/// Whether trees are verified where they are made, by inference and by passes: in builds with assertions.
#ifdef NDEBUG
inline constexpr bool verifiesTrees = false;
#else
inline constexpr bool verifiesTrees = true;
#endif

/// Throws InternalError at the first node whose operands do not have the types that typed.h and operation.h promise,
/// that stands in the tree twice, or that leaves a loop or Block it must not leave; and where what the function says of
/// its effects leaves one out. Does not look into callees.
void verify(const TypedFunction &function);

/// The same of the kernel and all that it calls, as a pass leaves them; and that an allocation's id means one array in
/// all of them.
void verifyAll(const TypedFunction &kernel);

} // namespace treadle

namespace treadle::typed {

/// Number of expressions and statements.
uint32_t countNodes(const TypedFunction &function);

} // namespace treadle::typed

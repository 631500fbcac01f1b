// Checks the invariants of every typed tree.
#pragma once

#include "typed/typed.h"

namespace treadle {

/// Whether inference and passes verify the trees they make: in builds with assertions.
#ifdef NDEBUG
inline constexpr bool verifiesTrees = false;
#else
inline constexpr bool verifiesTrees = true;
#endif

/// Throws InternalError at the first node whose operands lack the types that typed.h and operation.h require, that
/// occurs in the tree twice, or that leaves a loop or Block it must not leave; also if a slot may be read before it is
/// assigned, or the function's recorded effects omit one. Does not check callees.
void verify(const TypedFunction &function);

/// Checks the kernel and all its callees, as passes leave them; and that an allocation's id denotes one array in all of
/// them.
void verifyAll(const TypedFunction &kernel);

} // namespace treadle

namespace treadle::typed {

/// The number of expressions and statements.
uint32_t countNodes(const TypedFunction &function);
/// FunctionHeader::expandedSize. Callees must have theirs.
uint64_t countExpanded(const TypedFunction &function);

} // namespace treadle::typed

// Checks of what must hold of every typed tree.
#pragma once

#include "typed/typed.h"

namespace treadle {

/// Throws InternalError at the first node whose operands do not have the types that typed.h and operation.h promise,
/// or that stands in the tree twice. Does not look into callees.
void verify(const TypedFunction &function);

} // namespace treadle

namespace treadle::typed {

/// Number of expressions and statements.
uint32_t countNodes(const TypedFunction &function);

} // namespace treadle::typed

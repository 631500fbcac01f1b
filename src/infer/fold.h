// Folding: operations on constants, computed while compiling with the meaning that they have at run time.
#pragma once

#include "typed/nodes.h"

#include <vector>

namespace treadle {

/// The constant in another number type, as Convert makes it: integers wrap, floats saturate.
typed::Const *foldConvert(const typed::Nodes &nodes, const typed::Const &value, const Type *type);

/// The value of an operation on constants, or nullptr where it is left to run time. Operands have the types that
/// operation.h wants; the result's is `type`.
typed::Const *foldOperation(const typed::Nodes &nodes, Operation op, const Type *type,
                            const std::vector<typed::Expr *> &operands, SourceSpan span);

} // namespace treadle

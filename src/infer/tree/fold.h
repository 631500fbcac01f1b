// Folding: compile-time evaluation of operations on constants, with run-time semantics.
#pragma once

#include "typed/nodes.h"

#include <vector>

namespace treadle {

/// The constant in another number type, as Convert makes it: integers wrap, floats saturate.
typed::Const *foldConvert(const typed::Nodes &nodes, const typed::Const &value, const Type *type);

struct FoldedOperation {
  Operation op;
  const Type *type; ///< of the result
  SourceSpan span;
};

/// The value of an operation on constants, or nullptr if it is left to run time. Operands have the types that
/// operation.h requires.
typed::Const *foldOperation(const typed::Nodes &nodes, const FoldedOperation &what,
                            const std::vector<typed::Expr *> &operands);

} // namespace treadle

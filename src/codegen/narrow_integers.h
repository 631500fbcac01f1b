// Integers of 64 bits, as vectors, computed in 32 where that is enough.
#pragma once

#include "codegen/lanes.h"
#include "typed/typed.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace treadle::codegen {

class Emitter;

/// The operation in 32 bits, for half as many registers, if its operands come from at most 32 bits (as those of
/// Python's int64 often do: indices, bytes, small counts) and the bounds of its result allow it.
std::optional<Leaf> emitNarrow(Emitter &e, const typed::OperationExpr &expression, llvm::ArrayRef<Lanes> operands);

} // namespace treadle::codegen

// Vectors of 64-bit integers, computed in 32 bits where that suffices.
#pragma once

#include "codegen/lanes.h"
#include "typed/typed.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace treadle::codegen {

class Emitter;

/// The operation in 32 bits, with half as many registers, if its operands are widened from at most 32 bits (as those of
/// Python's int64 often are: indices, bytes, small counts) and the bounds of its result allow it.
std::optional<Leaf> emitNarrow(Emitter &e, const typed::OperationExpr &expression, llvm::ArrayRef<Lanes> operands);

} // namespace treadle::codegen

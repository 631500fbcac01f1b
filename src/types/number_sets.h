// What both rule sets say about number types: orders of generality, and which literals fit.
#pragma once

#include "types/number_rules.h"
#include "types/type.h"

namespace treadle::number_sets {

/// An Int without a sign. A bool counts as signed: in arithmetic it becomes a signed integer.
inline bool isUnsigned(const Type *type) { return type->isInt() && !type->isSigned(); }

/// numba: the type that + - * // % are computed in: 64-bit for integers (signed if either is); with floats, integers
/// whose values all fit float32 keep it, wider ones need float64.
const Type *widest(const Type *left, const Type *right);

/// cuda-python: the more generic of two types; float64 with complex64 gives complex128.
const Type *moreGeneric(const Type *left, const Type *right);

/// The smallest type that has all values of both, as NumPy's promote_types; int64 and uint64 give float64.
const Type *promoted(const Type *left, const Type *right);

/// The literal's value is one of `type`: exactly for integers, in range for floats; never for bool.
bool literalFits(const Operand &literal, const Type *type);

} // namespace treadle::number_sets

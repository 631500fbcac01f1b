// What both rule sets share about number types: orders of generality, and which literals fit.
#pragma once

#include "types/number_rules.h"
#include "types/type.h"

namespace treadle::number_sets {

/// An Int without a sign. A bool counts as signed: arithmetic turns it into a signed integer.
inline bool isUnsigned(const Type *type) { return type->isInt() && !type->isSigned(); }

/// numba: the type in which + - * // % are computed: 64-bit for integers (signed if either is); with floats, float32 is
/// kept for integers whose values all fit it, wider ones need float64.
const Type *widest(const Type *left, const Type *right);

/// cuda-python: the more generic of two types; float64 with complex64 is complex128.
const Type *moreGeneric(const Type *left, const Type *right);

/// The smallest type that holds all values of both, as NumPy's promote_types; int64 and uint64 promote to float64.
const Type *promoted(const Type *left, const Type *right);

/// Whether `type` can hold the literal's value: exactly for integers, in range for floats; never for bool.
bool literalFits(const Operand &literal, const Type *type);

} // namespace treadle::number_sets

// Conversions of float16 in software, which LLVM calls on machines without F16C.
#pragma once

#include <emmintrin.h>

namespace treadle::cpu {

/// `float __extendhfsf2(_Float16)` and `_Float16 __truncsfhf2(float)`, `__truncdfhf2(double)`. A half is passed in the
/// lowest 16 bits of a vector register; not every compiler that builds this has the type in C++.
float extendHalf(__m128i half);
__m128i truncateToHalf(float value);
__m128i truncateDoubleToHalf(double value);

} // namespace treadle::cpu

// float16 conversions in host arithmetic.
#include "device/cpu/code/half_calls.h"

#include "support/half.h"

namespace treadle::cpu {

float extendHalf(__m128i half) { return float(halfValue(uint16_t(_mm_cvtsi128_si32(half)))); }
__m128i truncateToHalf(float value) { return _mm_cvtsi32_si128(halfBits(double(value))); }
__m128i truncateDoubleToHalf(double value) { return _mm_cvtsi32_si128(halfBits(value)); }

} // namespace treadle::cpu

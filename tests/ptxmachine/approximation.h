// Approximation: which of the results that NVIDIA's stated errors allow an approximate instruction gives.
#pragma once

#include <cstdint>

namespace ptxmachine {

/// The seed of the launch that runs on this thread: hashed with the operation and its operands.
void setApproximationSeed(uint64_t seed);
uint64_t approximationSeed();

/// The f32 that is as far above or below `exact` as `error` allows (absolute), by the seed and `operand`'s bits; a
/// number never becomes an infinity or changes sign by it, and what is exact stays so.
float approximated(double exact, double error, uint64_t operand);
/// The same with an error in units of the last place.
float approximatedUlps(double exact, double ulps, uint64_t operand);

} // namespace ptxmachine

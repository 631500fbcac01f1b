// float16 on the host: IEEE 754's binary16, in terms of double.
#pragma once

#include "support/export.h"

#include <cstdint>

namespace treadle {

/// The float16 nearest to `value`, the even one of two; its bits, and as a double.
TREADLE_API uint16_t halfBits(double value);
TREADLE_API double halfValue(uint16_t bits);
inline double roundedToHalf(double value) { return halfValue(halfBits(value)); }

} // namespace treadle

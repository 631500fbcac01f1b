// The measured choices (tests/math measures them again): cheapest within CUDA's bound, cheapest of all, fallback.
#include "math/routine_table.h"

#include <algorithm>

namespace treadle::math {

namespace {

constexpr RoutineSource mvec = RoutineSource::Mvec, own = RoutineSource::Own, u05 = RoutineSource::SleefU05,
                        u10 = RoutineSource::SleefU10, u15 = RoutineSource::SleefU15, u35 = RoutineSource::SleefU35,
                        fast = RoutineSource::SleefFast;

constexpr RoutineChoice all(RoutineSource source) { return {source, source, source}; }
/// Without fused operations (SSE) some of our own routines exceed the bound, and without wide permutations some are
/// slow.
constexpr RoutineChoice levels(RoutineSource sse, RoutineSource avx2, RoutineSource avx512) {
  return {sse, avx2, avx512};
}

/// For functions whose normal routine is also the cheapest.
constexpr TypeChoice both(RoutineChoice choice, uint8_t ulp, RoutineSource fallback = u10) {
  return {choice, choice, fallback, ulp};
}
constexpr TypeChoice each(RoutineChoice normal, uint8_t ulp, RoutineChoice cheapest, RoutineSource fallback = u10) {
  return {normal, cheapest, fallback, ulp};
}

// Columns: float32, float64. The number is the largest distance measured, at millions of points, over all levels.
constexpr MathRoutineRow rows[] = {
    {"acos", 1, both(levels(u35, mvec, u35), 2), both(all(u35), 1)},
    {"asin", 1, both(all(u35), 2), both(all(u35), 2)},
    {"atan", 1, each(levels(u10, mvec, mvec), 2, levels(mvec, mvec, u35)), both(all(mvec), 1)},
    {"acosh", 1, both(all(mvec), 3), both(all(mvec), 2)},
    {"asinh", 1, both(all(mvec), 2), both(all(mvec), 2)},
    {"atanh", 1, both(all(mvec), 2), both(all(mvec), 2)},
    {"cos", 1, each(all(mvec), 2, all(fast)), each(levels(u10, own, own), 1, all(mvec))},
    {"sin", 1, each(all(mvec), 2, all(fast)), each(levels(u10, own, own), 1, all(mvec))},
    {"tan", 1, both(levels(u35, mvec, u35), 4), each(levels(u10, own, own), 2, all(mvec))},
    {"cosh", 1, both(all(mvec), 2), each(all(own), 1, all(mvec), own)},
    {"sinh", 1, both(all(mvec), 2), each(all(own), 1, all(mvec), own)},
    {"tanh", 1, both(all(mvec), 1), each(levels(u10, u10, mvec), 1, all(mvec))},
    {"exp", 1, each(all(own), 2, levels(mvec, mvec, own), own), each(all(own), 1, all(mvec), own)},
    {"expm1", 1, each(all(own), 1, levels(mvec, own, mvec), own), each(all(own), 1, all(mvec), own)},
    {"log", 1, each(all(own), 1, all(mvec), own), each(all(own), 1, levels(mvec, mvec, u35), own)},
    {"log2", 1, each(all(own), 1, all(mvec), own), each(levels(u10, own, own), 1, all(mvec))},
    {"log10", 1, each(all(own), 2, all(mvec), own), each(levels(u10, own, own), 1, all(mvec))},
    {"log1p", 1, each(all(own), 1, levels(mvec, mvec, own), own), each(all(own), 1, all(mvec), own)},
    {"exp2", 1, both(all(mvec), 1), each(levels(u10, u10, mvec), 1, all(mvec))},
    {"tgamma", 1, both(all(own), 1, own), both(all(u10), 6)},
    {"lgamma", 1, both(all(u10), 1), both(all(u10), 1)},
    {"erf", 1, both(levels(mvec, mvec, own), 2), both(all(mvec), 2)},
    {"erfc", 1, both(all(mvec), 2, u15), both(all(mvec), 2, u15)},
    {"cbrt", 1, both(all(u10), 1), both(all(u10), 1)},
    {"atan2", 2, both(all(mvec), 3), both(all(mvec), 2)},
    {"pow", 2, each(all(mvec), 1, all(fast)), both(all(mvec), 1)},
    {"hypot", 2, both(all(mvec), 1, u05), both(all(mvec), 2, u05)},
};

} // namespace

const MathRoutineRow *findMathRoutine(std::string_view name) {
  const auto *row = std::ranges::find(rows, name, &MathRoutineRow::name);
  return row == std::end(rows) ? nullptr : row;
}

} // namespace treadle::math

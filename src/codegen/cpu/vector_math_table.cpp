// The measured choices (tests/math measures them again): cheapest within CUDA's bound, cheapest of all, fallback.
#include "codegen/cpu/vector_math_table.h"

#include <algorithm>

namespace treadle::codegen {

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
    {Operation::Acos, "acos", 1, both(levels(u35, mvec, u35), 2), both(all(u35), 1)},
    {Operation::Asin, "asin", 1, both(all(u35), 2), both(all(u35), 2)},
    {Operation::Atan, "atan", 1, each(levels(u10, mvec, mvec), 2, levels(mvec, mvec, u35)), both(all(mvec), 1)},
    {Operation::Acosh, "acosh", 1, both(all(mvec), 3), both(all(mvec), 2)},
    {Operation::Asinh, "asinh", 1, both(all(mvec), 2), both(all(mvec), 2)},
    {Operation::Atanh, "atanh", 1, both(all(mvec), 2), both(all(mvec), 2)},
    {Operation::Cos, "cos", 1, each(all(mvec), 2, all(fast)), each(levels(u10, own, own), 1, all(mvec))},
    {Operation::Sin, "sin", 1, each(all(mvec), 2, all(fast)), each(levels(u10, own, own), 1, all(mvec))},
    {Operation::Tan, "tan", 1, both(levels(u35, mvec, u35), 4), each(levels(u10, own, own), 2, all(mvec))},
    {Operation::Cosh, "cosh", 1, both(all(mvec), 2), each(all(own), 1, all(mvec), own)},
    {Operation::Sinh, "sinh", 1, both(all(mvec), 2), each(all(own), 1, all(mvec), own)},
    {Operation::Tanh, "tanh", 1, both(all(mvec), 1), each(levels(u10, u10, mvec), 1, all(mvec))},
    {Operation::Exp, "exp", 1, each(all(own), 2, levels(mvec, mvec, own), own), each(all(own), 1, all(mvec), own)},
    {Operation::Expm1, "expm1", 1, each(all(own), 1, levels(mvec, own, mvec), own), each(all(own), 1, all(mvec), own)},
    {Operation::Log, "log", 1, each(all(own), 1, all(mvec), own), each(all(own), 1, levels(mvec, mvec, u35), own)},
    {Operation::Log2, "log2", 1, each(all(own), 1, all(mvec), own), each(levels(u10, own, own), 1, all(mvec))},
    {Operation::Log10, "log10", 1, each(all(own), 2, all(mvec), own), each(levels(u10, own, own), 1, all(mvec))},
    {Operation::Log1p, "log1p", 1, each(all(own), 1, levels(mvec, mvec, own), own), each(all(own), 1, all(mvec), own)},
    {Operation::Exp2, "exp2", 1, both(all(mvec), 1), each(levels(u10, u10, mvec), 1, all(mvec))},
    {Operation::Tgamma, "tgamma", 1, both(all(own), 1, own), both(all(u10), 6)},
    {Operation::Lgamma, "lgamma", 1, both(all(u10), 1), both(all(u10), 1)},
    {Operation::Erf, "erf", 1, both(levels(mvec, mvec, own), 2), both(all(mvec), 2)},
    {Operation::Erfc, "erfc", 1, both(all(mvec), 2, u15), both(all(mvec), 2, u15)},
    {Operation::Cbrt, "cbrt", 1, both(all(u10), 1), both(all(u10), 1)},
    {Operation::Atan2, "atan2", 2, both(all(mvec), 3), both(all(mvec), 2)},
    {Operation::PowFloat, "pow", 2, each(all(mvec), 1, all(fast)), both(all(mvec), 1)},
    {Operation::Hypot, "hypot", 2, both(all(mvec), 1, u05), both(all(mvec), 2, u05)},
};

} // namespace

const MathRoutineRow *findMathRoutine(Operation operation) {
  const auto *row = std::ranges::find(rows, operation, &MathRoutineRow::operation);
  return row == std::end(rows) ? nullptr : row;
}

const MathRoutineRow *findMathRoutine(std::string_view name) {
  const auto *row = std::ranges::find(rows, name, &MathRoutineRow::name);
  return row == std::end(rows) ? nullptr : row;
}

} // namespace treadle::codegen

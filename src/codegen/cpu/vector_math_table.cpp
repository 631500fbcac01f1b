// The measured choices (tests/math measures them again): cheapest within CUDA's bound, cheapest of all, fallback.
#include "codegen/cpu/vector_math_table.h"

#include <algorithm>

namespace treadle::cpu {

namespace {

constexpr RoutineSource mvec = RoutineSource::Mvec, u05 = RoutineSource::SleefU05, u10 = RoutineSource::SleefU10,
                        u15 = RoutineSource::SleefU15, u35 = RoutineSource::SleefU35;

constexpr RoutineChoice all(RoutineSource source) { return {source, source, source}; }
/// The same at all levels.
constexpr TypeChoice one(RoutineSource normal, RoutineSource fast, uint8_t ulp, RoutineSource fallback = u10) {
  return {all(normal), all(fast), fallback, ulp};
}

constexpr MathRoutineRow rows[] = {
    {Operation::Acos, "acos", 1, one(mvec, mvec, 2), one(u35, u35, 1)},
    {Operation::Asin, "asin", 1, one(u35, u35, 2), one(u35, u35, 2)},
    {Operation::Atan, "atan", 1, one(mvec, mvec, 2), one(mvec, mvec, 1)},
    {Operation::Acosh, "acosh", 1, one(mvec, mvec, 2), one(mvec, mvec, 2)},
    {Operation::Asinh, "asinh", 1, one(mvec, mvec, 2), one(mvec, mvec, 2)},
    {Operation::Atanh, "atanh", 1, one(mvec, mvec, 2), one(mvec, mvec, 2)},
    {Operation::Cos, "cos", 1, one(mvec, mvec, 2), one(u10, mvec, 1)},
    {Operation::Sin, "sin", 1, one(mvec, mvec, 2), one(u10, mvec, 1)},
    {Operation::Tan, "tan", 1, one(mvec, mvec, 3), one(u35, mvec, 2)},
    {Operation::Cosh, "cosh", 1, one(mvec, mvec, 2), one(u10, mvec, 1)},
    {Operation::Sinh, "sinh", 1, one(mvec, mvec, 2), one(u10, mvec, 1)},
    {Operation::Tanh, "tanh", 1, one(mvec, mvec, 1), one(u10, mvec, 1)},
    {Operation::Exp, "exp", 1, one(mvec, mvec, 2), one(u10, mvec, 1)},
    {Operation::Expm1, "expm1", 1, one(u10, mvec, 1), one(u10, mvec, 1)},
    {Operation::Log, "log", 1, one(u10, mvec, 1), one(mvec, mvec, 1)},
    {Operation::Log2, "log2", 1, one(u10, mvec, 1), one(u10, mvec, 1)},
    {Operation::Log10, "log10", 1, one(mvec, mvec, 2), one(u10, mvec, 1)},
    {Operation::Log1p, "log1p", 1, one(u10, mvec, 1), one(u10, mvec, 1)},
    {Operation::Erf, "erf", 1, one(u10, mvec, 1), one(mvec, mvec, 2)},
    {Operation::Erfc, "erfc", 1, one(mvec, mvec, 1, u15), one(mvec, mvec, 2, u15)},
    {Operation::Atan2, "atan2", 2, one(mvec, mvec, 3), one(mvec, mvec, 2)},
    {Operation::PowFloat, "pow", 2, one(mvec, mvec, 1), one(mvec, mvec, 1)},
    {Operation::Hypot, "hypot", 2, one(mvec, mvec, 1, u05), one(mvec, mvec, 2, u05)},
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

} // namespace treadle::cpu

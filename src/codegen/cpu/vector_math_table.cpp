// The measured choices (tests/math measures them again): cheapest within CUDA's bound, cheapest of all, fallback.
#include "codegen/cpu/vector_math_table.h"

#include <algorithm>

namespace treadle::cpu {

namespace {

constexpr RoutineChoice all(RoutineSource source) { return {source, source, source}; }
constexpr TypeChoice one(RoutineSource source, uint8_t ulp) { return {all(source), all(source), source, ulp}; }

constexpr TypeChoice u05 = one(RoutineSource::SleefU05, 1);
constexpr TypeChoice u10 = one(RoutineSource::SleefU10, 1);
constexpr TypeChoice u15 = one(RoutineSource::SleefU15, 2);

constexpr MathRoutineRow rows[] = {
    {Operation::Acos, "acos", 1, u10, u10},   {Operation::Asin, "asin", 1, u10, u10},
    {Operation::Atan, "atan", 1, u10, u10},   {Operation::Acosh, "acosh", 1, u10, u10},
    {Operation::Asinh, "asinh", 1, u10, u10}, {Operation::Atanh, "atanh", 1, u10, u10},
    {Operation::Cos, "cos", 1, u10, u10},     {Operation::Sin, "sin", 1, u10, u10},
    {Operation::Tan, "tan", 1, u10, u10},     {Operation::Cosh, "cosh", 1, u10, u10},
    {Operation::Sinh, "sinh", 1, u10, u10},   {Operation::Tanh, "tanh", 1, u10, u10},
    {Operation::Exp, "exp", 1, u10, u10},     {Operation::Expm1, "expm1", 1, u10, u10},
    {Operation::Log, "log", 1, u10, u10},     {Operation::Log2, "log2", 1, u10, u10},
    {Operation::Log10, "log10", 1, u10, u10}, {Operation::Log1p, "log1p", 1, u10, u10},
    {Operation::Erf, "erf", 1, u10, u10},     {Operation::Erfc, "erfc", 1, u15, u15},
    {Operation::Atan2, "atan2", 2, u10, u10}, {Operation::PowFloat, "pow", 2, u10, u10},
    {Operation::Hypot, "hypot", 2, u05, u05},
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

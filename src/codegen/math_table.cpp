// The one table of math functions.
#include "codegen/math_table.h"

#include <algorithm>

namespace treadle::codegen {

namespace {

// Operands; bounds of float32 and float64 (CUDA C Programming Guide, mathematical functions); own, of both.
constexpr MathFunction functions[] = {
    {Operation::Acos, "acos", 1, 3, 1, 1, 1, false},      {Operation::Asin, "asin", 1, 4, 2, 1, 1, false},
    {Operation::Atan, "atan", 1, 2, 2, 1, 1, false},      {Operation::Acosh, "acosh", 1, 4, 2, 2, 1, false},
    {Operation::Asinh, "asinh", 1, 3, 2, 2, 1, false},    {Operation::Atanh, "atanh", 1, 3, 2, 1, 1, false},
    {Operation::Cos, "cos", 1, 2, 1, 2, 1, true},         {Operation::Sin, "sin", 1, 2, 1, 2, 1, true},
    {Operation::Tan, "tan", 1, 4, 2, 3, 1, true},         {Operation::Cosh, "cosh", 1, 2, 1, 2, 1, false},
    {Operation::Sinh, "sinh", 1, 3, 1, 2, 1, false},      {Operation::Tanh, "tanh", 1, 2, 1, 2, 1, false},
    {Operation::Atan2, "atan2", 2, 3, 2, 2, 1, false},    {Operation::Exp, "exp", 1, 2, 1, 1, 1, true},
    {Operation::Expm1, "expm1", 1, 1, 1, 1, 1, false},    {Operation::Log, "log", 1, 1, 1, 1, 1, true},
    {Operation::Log2, "log2", 1, 1, 1, 1, 1, true},       {Operation::Log10, "log10", 1, 2, 1, 1, 1, true},
    {Operation::Log1p, "log1p", 1, 1, 1, 1, 1, false},    {Operation::PowFloat, "pow", 2, 8, 2, 1, 1, true},
    {Operation::Hypot, "hypot", 2, 3, 2, 1, 1, false},    {Operation::Erf, "erf", 1, 2, 2, 1, 1, false},
    {Operation::Erfc, "erfc", 1, 4, 4, 0, 2, false},      {Operation::Cbrt, "cbrt", 1, 1, 1, 1, 1, false},
    {Operation::Sqrt, "sqrt", 1, 0, 0, 0, 0, false},      {Operation::Fabs, "fabs", 1, 0, 0, 0, 0, false},
    {Operation::Ceil, "ceil", 1, 0, 0, 0, 0, false},      {Operation::Floor, "floor", 1, 0, 0, 0, 0, false},
    {Operation::Trunc, "trunc", 1, 0, 0, 0, 0, false},    {Operation::Copysign, "copysign", 2, 0, 0, 0, 0, false},
    {Operation::Fmod, "fmod", 2, 0, 0, 0, 0, false},      {Operation::Exp2, "exp2", 1, 2, 1, 1, 1, false},
    {Operation::Tgamma, "tgamma", 1, 11, 8, 0, 7, false}, {Operation::Lgamma, "lgamma", 1, 6, 4, 3, 3, false},
};

} // namespace

std::span<const MathFunction> mathFunctions() { return functions; }

/// The table is short and asked once for each operation that is emitted, so it is searched.
const MathFunction *findMathFunction(Operation operation) {
  const auto *row = std::ranges::find(functions, operation, &MathFunction::operation);
  return row == std::end(functions) ? nullptr : row;
}

/// The fast variants are approximations by the hardware's function units, which have float32 only.
std::string libdeviceSymbol(const MathFunction &function, unsigned bits, bool fastMath) {
  std::string prefix = fastMath && bits == 32 && function.hasFast32 ? "__nv_fast_" : "__nv_";
  return prefix + std::string(function.name) + (bits == 32 ? "f" : "");
}

} // namespace treadle::codegen

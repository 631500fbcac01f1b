// Vector math: the routines that operations on vectors call.
#include "codegen/cpu/lanes/vector_math.h"

#include "codegen/math_table.h"

#include <utility>

namespace treadle::codegen {

namespace {

using Element = VectorRequest::Element;

/// Operations whose result is exact; the routines are our own.
/// Empty for operations that only approximate routines compute.
std::string_view exactName(const VectorRequest &request) {
  bool isUnsigned = request.element == Element::Unsigned;
  switch (request.operation) {
  case Operation::FloorDiv:
    return isUnsigned ? "quotient" : "floordiv";
  case Operation::Mod:
    return isUnsigned ? "remainder" : "mod";
  case Operation::Fmod:
    return request.element == Element::Float ? "fmod" : "";
  case Operation::Pow:
    return request.element == Element::Float ? "" : "pow";
  default:
    return "";
  }
}

VectorRoutine exactRoutine(const VectorRequest &request, std::string_view name) {
  const unsigned lanes = math::vectorBytes(request.isa) * 8 / request.bits;
  return {math::routineSymbol(name, {request.element, request.bits}, request.isa), lanes, 2, 0};
}

const math::MathRoutineRow *rowFor(const VectorRequest &request) {
  // pow() and ** of floats are one function.
  const MathFunction *function =
      findMathFunction(request.operation == Operation::Pow ? Operation::PowFloat : request.operation);
  return function && request.element == Element::Float ? math::findMathRoutine(function->name) : nullptr;
}

} // namespace

/// Fast and accurate routines have different symbols only where they are different routines, so that images with and
/// without `fastmath` share the others.
std::optional<VectorRoutine> vectorRoutine(const VectorRequest &request) {
  if (std::string_view name = exactName(request); !name.empty())
    return exactRoutine(request, name);
  const math::MathRoutineRow *row = rowFor(request);
  if (!row)
    return std::nullopt;
  const math::RoutineKey key{row, request.bits, request.isa, request.fastMath};
  const bool differs = key.choice().fast.on(request.isa) != key.choice().normal.on(request.isa);
  std::string symbol =
      math::routineSymbol(row->name, {request.element, request.bits}, request.isa, request.fastMath && differs);
  return VectorRoutine{std::move(symbol), key.lanes(), row->operands, key.choice().ulp};
}

VectorRoutine vectorDivision(const VectorRequest &request, bool isRemainder) {
  return exactRoutine(request, isRemainder ? "remainder" : "quotient");
}

} // namespace treadle::codegen

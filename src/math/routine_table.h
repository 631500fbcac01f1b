// Which library provides each math function on the CPU device, by measurement: one row per function.
#pragma once

#include "support/export.h"

#include <cstdint>
#include <string_view>

namespace treadle::math {

/// The instructions that the routines of one family may use: x86-64-v2, v3 (AVX2 and FMA), v4 (AVX-512).
enum class VectorIsa : uint8_t { Sse, Avx2, Avx512 };

/// Bytes of one vector register.
constexpr unsigned vectorBytes(VectorIsa isa) { return 16u << unsigned(isa); }

/// The source of a routine. The digits after Sleef are its stated bound in tenths of an ULP.
enum class RoutineSource : uint8_t { Mvec, SleefU05, SleefU10, SleefU15, SleefU35, SleefFast, Own };

/// One source for each VectorIsa.
struct RoutineChoice {
  RoutineSource sse, avx2, avx512;

  constexpr RoutineSource on(VectorIsa isa) const {
    return isa == VectorIsa::Sse ? sse : isa == VectorIsa::Avx2 ? avx2 : avx512;
  }
};

/// The routines for one function in one float type.
struct TypeChoice {
  RoutineChoice normal; ///< the cheapest within CUDA's bound
  RoutineChoice fast;   ///< the cheapest of all
  /// The routine where this system's libmvec lacks the function (glibc below 2.35). SLEEF's acosh, asinh, cosh and sinh
  /// then overflow too early; all others are within the bound too.
  RoutineSource fallback;
  uint8_t ulp; ///< the maximum error of `normal` over all levels
};

struct MathRoutineRow {
  std::string_view name; ///< as libmvec, SLEEF, our own routines and the table of math functions spell it
  uint8_t operands;
  TypeChoice f32, f64;
};

/// Null if no routine computes it.
TREADLE_API const MathRoutineRow *findMathRoutine(std::string_view name);

/// "u10" and so on; empty for the others.
constexpr std::string_view sleefFamily(RoutineSource source) {
  switch (source) {
  case RoutineSource::SleefU05:
    return "u05";
  case RoutineSource::SleefU10:
    return "u10";
  case RoutineSource::SleefU15:
    return "u15";
  case RoutineSource::SleefU35:
    return "u35";
  case RoutineSource::SleefFast:
    return "u3500";
  case RoutineSource::Mvec:
  case RoutineSource::Own:
    return "";
  }
}

} // namespace treadle::math

// The routines of src/math/own, each at every instruction set level.
#pragma once

#include <string_view>

// clang-format off
// X(name, type)
#define TREADLE_OWN_ROUTINES(X)                                                                                        \
  X(fmod, f32) X(fmod, f64) X(mod, f32) X(mod, f64) X(floordiv, f32) X(floordiv, f64)                                  \
  X(mod, i32) X(mod, i64) X(floordiv, i32) X(floordiv, i64)                                                            \
  X(quotient, i32) X(quotient, i64) X(quotient, u32) X(quotient, u64)                                                  \
  X(remainder, i32) X(remainder, i64) X(remainder, u32) X(remainder, u64)                                              \
  X(pow, i32) X(pow, i64) X(pow, u32) X(pow, u64)                                                                      \
  X(exp, f32) X(exp, f64) X(expm1, f32) X(expm1, f64)                                                                  \
  X(log, f32) X(log, f64) X(log2, f32) X(log2, f64) X(log10, f32) X(log10, f64) X(log1p, f32) X(log1p, f64)                          \
  X(sin, f64) X(cos, f64) X(tan, f64) X(sinh, f64) X(cosh, f64) X(erf, f32) X(tgamma, f32)
// clang-format on

// Declared only to take their addresses: their real types are functions of vectors of other instruction sets.
#define TREADLE_DECLARE(name, type)                                                                                    \
  extern "C" void treadle_vm_##name##_##type##_sse();                                                                  \
  extern "C" void treadle_vm_##name##_##type##_avx2();                                                                 \
  extern "C" void treadle_vm_##name##_##type##_avx512();
TREADLE_OWN_ROUTINES(TREADLE_DECLARE)
#undef TREADLE_DECLARE

namespace treadle::math {

struct OwnRoutine {
  std::string_view symbol;
  void (*address)();
};

#define TREADLE_LEVEL(name, type, isa) {"treadle_vm_" #name "_" #type "_" #isa, treadle_vm_##name##_##type##_##isa},
#define TREADLE_LEVELS(name, type)                                                                                     \
  TREADLE_LEVEL(name, type, sse) TREADLE_LEVEL(name, type, avx2) TREADLE_LEVEL(name, type, avx512)
constexpr OwnRoutine ownRoutines[] = {TREADLE_OWN_ROUTINES(TREADLE_LEVELS)};
#undef TREADLE_LEVELS
#undef TREADLE_LEVEL

} // namespace treadle::math

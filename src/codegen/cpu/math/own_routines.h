// The routines of this folder: X(name, type) for each, at every instruction set level.
#pragma once

// clang-format off
#define TREADLE_OWN_ROUTINES(X)                                                                                        \
  X(fmod, f32) X(fmod, f64) X(mod, f32) X(mod, f64) X(floordiv, f32) X(floordiv, f64)                                  \
  X(mod, i32) X(mod, i64) X(floordiv, i32) X(floordiv, i64)                                                            \
  X(quotient, i32) X(quotient, i64) X(quotient, u32) X(quotient, u64)                                                  \
  X(remainder, i32) X(remainder, i64) X(remainder, u32) X(remainder, u64)                                              \
  X(pow, i32) X(pow, i64) X(pow, u32) X(pow, u64)                                                                      \
  X(exp, f32) X(exp, f64) X(expm1, f32) X(expm1, f64)                                                                  \
  X(log, f32) X(log, f64) X(log2, f32) X(log2, f64) X(log10, f64) X(log1p, f32) X(log1p, f64)                          \
  X(sin, f64) X(cos, f64) X(sinh, f64) X(cosh, f64) X(erf, f32)
// clang-format on

// Rows of approximate instructions, with the errors that the PTX ISA states.
#include "approximation.h"
#include "float_math.h"
#include "map.h"
#include "row.h"

namespace ptxmachine {

namespace {

uint32_t flagsOf(const Spelling &s) { return s.has("ftz") ? uint32_t{Ftz} : 0u; }
float in(float a, const Instruction &i) { return i.flags & Ftz ? flushed(a) : a; }
float out(float a, const Instruction &i) { return canonical(i.flags & Ftz ? flushed(a) : a); }

template <float (*function)(float)> void unary(Step &s, const Instruction &i) {
  map1<float, float>(s, i, [&](float a) { return out(function(in(a, i)), i); });
}
uint64_t bitsOf(float a) { return std::bit_cast<uint32_t>(a); }

float reciprocal(float a) { return approximatedUlps(1.0 / a, 1, bitsOf(a)); }
float squareRoot(float a) {
  return a < 0 ? NAN : approximated(std::sqrt(double{a}), std::sqrt(double{a}) * 0x1p-23, bitsOf(a));
}
float reciprocalRoot(float a) {
  const double exact = 1.0 / std::sqrt(double{a});
  return approximated(exact, std::abs(exact) * 0x1p-22, bitsOf(a) ^ 2);
}
/// The stated error, 2^-20.5 in the first period, is absolute; beyond it arguments lose as much as they are larger.
float sine(float a) {
  if (std::isinf(a))
    return NAN;
  return approximated(std::sin(double{a}), std::max(0x1p-21, std::abs(double{a}) * 0x1p-24), bitsOf(a) ^ 3);
}
float cosine(float a) {
  if (std::isinf(a))
    return NAN;
  return approximated(std::cos(double{a}), std::max(0x1p-21, std::abs(double{a}) * 0x1p-24), bitsOf(a) ^ 4);
}
float logarithm(float a) { return a < 0 ? NAN : approximated(std::log2(double{a}), 0x1p-22, bitsOf(a) ^ 5); }
float power(float a) { return approximated(std::exp2(double{a}), std::exp2(double{a}) * 0x1p-22, bitsOf(a) ^ 6); }
float tangent(float a) {
  const double exact = std::tanh(double{a});
  return approximated(exact, std::abs(exact) * 0x1p-11, bitsOf(a) ^ 7);
}

/// 2 ulp; divisors above 2^126 give 0, and NaN for an infinite dividend.
void divide(Step &s, const Instruction &i) {
  map2<float, float>(s, i, [&](float a, float b) {
    a = in(a, i), b = in(b, i);
    if (std::isfinite(b) && std::abs(b) > 0x1p126f && !std::isnan(a))
      return canonical(std::isinf(a) ? NAN : std::copysign(0.0f, std::signbit(a) != std::signbit(b) ? -1.0f : 1.0f));
    return out(approximatedUlps(double{a} / double{b}, 2, bitsOf(a) * 31 + bitsOf(b)), i);
  });
}
void divideFull(Step &s, const Instruction &i) {
  map2<float, float>(s, i, [&](float a, float b) {
    a = in(a, i), b = in(b, i);
    return out(approximatedUlps(double{a} / double{b}, 2, bitsOf(a) * 31 + bitsOf(b)), i);
  });
}

/// The upper 32 bits alone count, and 20 bits of the result are right.
template <bool isRoot> void coarse(Step &s, const Instruction &i) {
  map1<double, double>(s, i, [](double a) {
    const double seen = flushed(std::bit_cast<double>(std::bit_cast<uint64_t>(a) & 0xFFFFFFFF00000000));
    const double exact = isRoot ? 1.0 / std::sqrt(seen) : 1.0 / seen;
    return std::bit_cast<double>(std::bit_cast<uint64_t>(flushed(exact)) & 0xFFFFFFFF00000000);
  });
}

/// 1 ulp: CUDA's rsqrt of doubles is this instruction.
void reciprocalRootOfDouble(Step &s, const Instruction &i) {
  map1<double, double>(s, i, [](double a) {
    const double exact = 1.0 / std::sqrt(a);
    if (!std::isfinite(exact) || exact * exact * a == 1.0)
      return exact;
    return std::nextafter(exact, approximationSeed() & 1 ? 0.0 : std::numeric_limits<double>::infinity());
  });
}

template <Execute function> Execute always(const Spelling &) { return function; }

constexpr Row rows[] = {
    {"div.approx.[ftz].f32", "rvv", always<divide>, flagsOf},
    {"div.full.[ftz].f32", "rvv", always<divideFull>, flagsOf},
    {"rcp.approx.[ftz].f32", "rv", always<unary<reciprocal>>, flagsOf},
    {"rcp.approx.ftz.f64", "rv", always<coarse<false>>},
    {"rsqrt.approx.ftz.f64", "rv", always<coarse<true>>},
    {"rsqrt.approx.f64", "rv", always<reciprocalRootOfDouble>},
    {"sqrt.approx.[ftz].f32", "rv", always<unary<squareRoot>>, flagsOf},
    {"rsqrt.approx.[ftz].f32", "rv", always<unary<reciprocalRoot>>, flagsOf},
    {"sin.approx.[ftz].f32", "rv", always<unary<sine>>, flagsOf},
    {"cos.approx.[ftz].f32", "rv", always<unary<cosine>>, flagsOf},
    {"lg2.approx.[ftz].f32", "rv", always<unary<logarithm>>, flagsOf},
    {"ex2.approx.[ftz].f32", "rv", always<unary<power>>, flagsOf},
    {"tanh.approx.f32", "rv", always<unary<tangent>>},
};

} // namespace

std::span<const Row> approximateRows() { return rows; }

} // namespace ptxmachine

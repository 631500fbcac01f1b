// Rows of f16 and bf16, alone and in pairs.
#include "approximation.h"
#include "map.h"
#include "row.h"
#include "small_floats.h"

namespace ptxmachine {

namespace {

uint32_t flagsOf(const Spelling &s) {
  return (s.has("ftz") ? Ftz : 0u) | (s.has("sat") ? Sat : 0u) | (s.has("relu") ? Relu : 0u) |
         (s.has("NaN") ? PropagateNaN : 0u) | (s.has("xorsign") ? XorSign : 0u) |
         (s.has("abs") && s.has("xorsign") ? AbsoluteValues : 0u);
}

SmallFormat formatOf(const Type &type) { return type.kind == TypeKind::BFloat ? brain : half; }

uint16_t flushedBits(uint16_t bits, SmallFormat format) {
  const int exponent = bits >> format.fractionBits & ((1 << format.exponentBits) - 1);
  return exponent ? bits : bits & 0x8000;
}

uint16_t finish(double value, const Instruction &i, SmallFormat format) {
  if (i.flags & Sat)
    value = saturated01(value);
  if (i.flags & Relu && value < 0)
    value = 0;
  const uint16_t bits = narrowed(value, format);
  return i.flags & Ftz ? flushedBits(bits, format) : bits;
}

/// Applies `f` to the one number or to both halves.
template <class F> void perHalf(Step &s, const Instruction &i, F f) {
  const Lanes a = s.source(i, 0), b = s.source(i, i.sourceCount > 1 ? 1 : 0),
              c = s.source(i, i.sourceCount > 2 ? 2 : 0);
  const SmallFormat format = formatOf(i.type);
  mapLanes<uint32_t>(s, i, [&](unsigned lane) {
    uint32_t result = 0;
    for (unsigned shift = 0; shift <= (i.type.isPair ? 16u : 0u); shift += 16) {
      const auto part = [&](const Lanes &from) {
        const auto bits = static_cast<uint16_t>(from.at[lane] >> shift);
        return i.flags & Ftz ? flushedBits(bits, format) : bits;
      };
      result |= static_cast<uint32_t>(f(part(a), part(b), part(c), format)) << shift;
    }
    return result;
  });
}

void add(Step &s, const Instruction &i) {
  perHalf(s, i, [&](uint16_t a, uint16_t b, uint16_t, SmallFormat f) {
    return finish(stickySum(widened(a, f), widened(b, f)), i, f);
  });
}
void subtract(Step &s, const Instruction &i) {
  perHalf(s, i, [&](uint16_t a, uint16_t b, uint16_t, SmallFormat f) {
    return finish(stickySum(widened(a, f), -widened(b, f)), i, f);
  });
}
void multiply(Step &s, const Instruction &i) {
  perHalf(s, i,
          [&](uint16_t a, uint16_t b, uint16_t, SmallFormat f) { return finish(widened(a, f) * widened(b, f), i, f); });
}
void multiplyAdd(Step &s, const Instruction &i) {
  perHalf(s, i, [&](uint16_t a, uint16_t b, uint16_t c, SmallFormat f) {
    return finish(stickySum(widened(a, f) * widened(b, f), widened(c, f)), i, f);
  });
}
void negate(Step &s, const Instruction &i) {
  perHalf(s, i, [](uint16_t a, uint16_t, uint16_t, SmallFormat) { return static_cast<uint16_t>(a ^ 0x8000); });
}
void magnitude(Step &s, const Instruction &i) {
  perHalf(s, i, [](uint16_t a, uint16_t, uint16_t, SmallFormat) { return static_cast<uint16_t>(a & 0x7FFF); });
}
template <bool isMax> void choose(Step &s, const Instruction &i) {
  perHalf(s, i, [&](uint16_t first, uint16_t second, uint16_t, SmallFormat f) {
    double a = widened(first, f), b = widened(second, f);
    if (i.flags & PropagateNaN && (std::isnan(a) || std::isnan(b)))
      return f.canonicalNaN();
    const bool isNegative = std::signbit(a) != std::signbit(b);
    if (i.flags & AbsoluteValues)
      a = std::fabs(a), b = std::fabs(b);
    const uint16_t bits = narrowed(isMax ? larger(a, b) : smaller(a, b), f);
    return i.flags & XorSign ? static_cast<uint16_t>((bits & 0x7FFF) | (isNegative ? 0x8000 : 0)) : bits;
  });
}
/// Errors of 2^-9.9 (f16) and 2^-7 (bf16) for ex2, 2^-10.987 and 2^-8 for tanh.
void power(Step &s, const Instruction &i) {
  perHalf(s, i, [](uint16_t a, uint16_t, uint16_t, SmallFormat f) {
    const double exact = std::exp2(widened(a, f));
    return narrowed(approximated(exact, exact * std::exp2(f.fractionBits == 10 ? -11.5 : -9.0), a), f);
  });
}
void tangent(Step &s, const Instruction &i) {
  perHalf(s, i, [](uint16_t a, uint16_t, uint16_t, SmallFormat f) {
    const double exact = std::tanh(widened(a, f));
    return narrowed(approximated(exact, std::fabs(exact) * std::exp2(f.fractionBits == 10 ? -12.5 : -9.5), a), f);
  });
}

template <Execute function> Execute always(const Spelling &) { return function; }

#define HALVES "(f16|f16x2)"
#define BRAINS "(bf16|bf16x2)"
constexpr Row rows[] = {
    {"add.[rn].[ftz].[sat]." HALVES, "rvv", always<add>, flagsOf},
    {"add.[rn]." BRAINS, "rvv", always<add>, flagsOf},
    {"sub.[rn].[ftz].[sat]." HALVES, "rvv", always<subtract>, flagsOf},
    {"sub.[rn]." BRAINS, "rvv", always<subtract>, flagsOf},
    {"mul.[rn].[ftz].[sat]." HALVES, "rvv", always<multiply>, flagsOf},
    {"mul.[rn]." BRAINS, "rvv", always<multiply>, flagsOf},
    {"fma.rn.[ftz].[sat|relu]." HALVES, "rvvv", always<multiplyAdd>, flagsOf},
    {"fma.rn.[relu]." BRAINS, "rvvv", always<multiplyAdd>, flagsOf},
    {"neg.[ftz]." HALVES, "rv", always<negate>, flagsOf},
    {"neg." BRAINS, "rv", always<negate>},
    {"abs.[ftz]." HALVES, "rv", always<magnitude>, flagsOf},
    {"abs." BRAINS, "rv", always<magnitude>},
    {"min.[ftz].[NaN].[xorsign.abs]." HALVES, "rvv", always<choose<false>>, flagsOf},
    {"min.[NaN].[xorsign.abs]." BRAINS, "rvv", always<choose<false>>, flagsOf},
    {"max.[ftz].[NaN].[xorsign.abs]." HALVES, "rvv", always<choose<true>>, flagsOf},
    {"max.[NaN].[xorsign.abs]." BRAINS, "rvv", always<choose<true>>, flagsOf},
    {"ex2.approx." HALVES, "rv", always<power>},
    {"ex2.approx.ftz." BRAINS, "rv", always<power>, flagsOf},
    {"tanh.approx.(f16|f16x2|bf16|bf16x2)", "rv", always<tangent>},
};

} // namespace

std::span<const Row> halfRows() { return rows; }

} // namespace ptxmachine

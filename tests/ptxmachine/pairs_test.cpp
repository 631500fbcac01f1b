// Instructions on parts of words against C++: video instructions, pairs of integers, comparisons of halves as values.
#include "oracle.h"

#include <algorithm>

namespace ptxmachine {
namespace {

using u16 = uint16_t;
using s16 = int16_t;
using u32 = uint32_t;
using s32 = int32_t;

/// Applies `f` to the elements of type T of two words.
template <class T, class F> u32 perPart(u32 a, u32 b, F f) {
  u32 result = 0;
  constexpr unsigned bits = sizeof(T) * 8;
  for (unsigned at = 0; at < 32; at += bits)
    result |= (static_cast<u32>(f(int{static_cast<T>(a >> at)}, int{static_cast<T>(b >> at)})) & ((1u << bits) - 1))
              << at;
  return result;
}
#define PARTS(opcode, T, expression)                                                                                   \
  CHECK3(opcode, u32, u32, perPart<T>(a, b, [](int x, int y) -> int { return expression; }) + 0 * c)

TEST(Pairs, Video) {
  PARTS("vadd4.u32.u32.u32", uint8_t, x + y);
  PARTS("vadd4.s32.s32.s32.sat", int8_t, std::clamp(x + y, -128, 127));
  PARTS("vadd2.u32.u32.u32.sat", u16, std::min(x + y, 65535));
  PARTS("vsub4.u32.u32.u32.sat", uint8_t, std::max(x - y, 0));
  PARTS("vsub2.s32.s32.s32", s16, x - y);
  PARTS("vavrg4.u32.u32.u32", uint8_t, (x + y + 1) >> 1);
  PARTS("vabsdiff2.u32.s32.s32", s16, std::abs(x - y));
  PARTS("vmin4.s32.s32.s32", int8_t, std::min(x, y));
  PARTS("vmax2.u32.u32.u32", u16, std::max(x, y));
  PARTS("vset4.u32.u32.lt", uint8_t, x < y);
  PARTS("vset2.s32.s32.ge", s16, x >= y);
  CHECK3("vabsdiff4.u32.u32.u32.add", u32, u32, [](u32 first, u32 second, u32 sum) {
    for (unsigned at = 0; at < 32; at += 8)
      sum +=
          static_cast<u32>(std::abs(int{static_cast<uint8_t>(first >> at)} - int{static_cast<uint8_t>(second >> at)}));
    return sum;
  }(a, b, c));
}

TEST(Pairs, Integers) {
  CHECK2("add.u16x2", u32, u32, perPart<u16>(a, b, [](int x, int y) { return x + y; }));
  CHECK2("add.s16x2", u32, u32, perPart<s16>(a, b, [](int x, int y) { return x + y; }));
  CHECK2("min.s16x2", u32, u32, perPart<s16>(a, b, [](int x, int y) { return std::min(x, y); }));
  CHECK2("max.u16x2", u32, u32, perPart<u16>(a, b, [](int x, int y) { return std::max(x, y); }));
  CHECK2("max.relu.s16x2", u32, u32, perPart<s16>(a, b, [](int x, int y) { return std::max({x, y, 0}); }));
  CHECK2("min.relu.s32", s32, s32, std::max(std::min(a, b), 0));
}

bool isLess(u32 a, u32 b) {
  return static_cast<float>(std::bit_cast<_Float16>(static_cast<u16>(a))) <
         static_cast<float>(std::bit_cast<_Float16>(static_cast<u16>(b)));
}
bool isBrainNaN(u16 a) { return (a & 0x7FFF) > 0x7F80; }

TEST(Pairs, ComparisonsAsValues) {
  compare<u16, u16, u16, u16>("set.lt.f16.f16", 2, ".b16",
                              [](u16 a, u16 b, u16) { return isLess(a, b) ? u16{0x3C00} : u16{0}; });
  compare<u32, u16, u16, u16>("set.lt.u32.f16", 2, ".b32", [](u16 a, u16 b, u16) { return isLess(a, b) ? ~0u : 0; });
  CHECK2("set.lt.f16x2.f16x2", u32, u32, (isLess(a, b) ? 0x3C00u : 0) | (isLess(a >> 16, b >> 16) ? 0x3C000000u : 0));
  CHECK2("set.lt.u32.f16x2", u32, u32, (isLess(a, b) ? 0xFFFFu : 0) | (isLess(a >> 16, b >> 16) ? 0xFFFF0000u : 0));
  compare<u16, u16, u16, u16>("set.nan.bf16.bf16", 2, ".b16",
                              [](u16 a, u16 b, u16) { return isBrainNaN(a) || isBrainNaN(b) ? u16{0x3F80} : u16{0}; });
}

/// Within an ulp, unlike rsqrt.approx.ftz.f64, which sees half of its operand.
TEST(Pairs, ReciprocalRootsOfDoubles) {
  const std::vector<Operands> inputs = operands();
  const std::string types[] = {".f64", ".f64", ".f64"};
  const std::vector<uint64_t> found = machineResults("rsqrt.approx.f64", ".f64", types, 1, inputs);
  for (size_t at = 0; at < inputs.size(); ++at) {
    const double wanted = 1 / std::sqrt(as<double>(inputs[at].a)), got = as<double>(found[at]);
    if (std::isfinite(wanted))
      EXPECT_LE(std::abs(got - wanted), std::abs(wanted) * 0x1p-51) << inputs[at].a;
  }
}

} // namespace
} // namespace ptxmachine

// sin, cos and tan of float64.
#include "math/own/vector.h"

namespace {

/// Up to here Cody-Waite reduction by three exact parts of pi; beyond, Payne-Hanek reduction by all of its digits.
constexpr double largestFast = 0x1p30;

constexpr double perPi = 0x1.45f306dc9c883p-2;
constexpr double rounder = Format<F64>::rounder;

/// sin(x) or cos(x) is the sine of rest, |rest| <= pi / 2, negative where the lowest bit of `turns` is set.
struct Reduced {
  F64 rest;
  I64 turns;
};

/// x - halves * pi, in three steps. The first is exact: both sides are multiples of 2^-52, their difference is below 2.
F64 subtractHalfTurns(F64 x, F64 halves) {
  constexpr double piHigh = 0x1.921fb54442d18p+1, piMiddle = 0x1.1a62633145c07p-53, piLow = -0x1.f1976b7ed8fbcp-109;
  F64 rest = multiplyAdd(-halves, F64(piHigh), x);
  rest = multiplyAdd(-halves, F64(piMiddle), rest);
  return multiplyAdd(-halves, F64(piLow), rest);
}

F64 sineOf(Reduced reduced) {
  constexpr double coefficients[] = {0x1.11111111110c8p-7,   -0x1.a01a01a014d82p-13, 0x1.71de3a52a1cc3p-19,
                                     -0x1.ae6454d538356p-26, 0x1.6123cd4784e61p-33,  -0x1.ae4398a800669p-41,
                                     0x1.88351cf729aafp-49};
  constexpr double third = -0x1.5555555555555p-3;
  F64 rest = reduced.rest;
  F64 square = rest * rest;
  F64 cube = rest * square;
  F64 lost = multiplyAdd(rest, rest, -square);
  F64 higher = multiplyAdd(cube * square, polynomial(square, coefficients), lost * rest * third);
  F64 sine = rest + multiplyAdd(cube, F64(third), higher);
  return bitcast<F64>(bitcast<I64>(sine) ^ (reduced.turns << 63));
}

constexpr long double halfPi = 0xc.90fdaa22168c235p-3L;

/// The binary digits of 2 / pi, after 64 zeros.
constexpr uint64_t digits[] = {0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
                               0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
                               0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
                               0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
                               0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
                               0xf0cfbc209af4361d};

/// 64 digits starting at that one.
uint64_t digitsFrom(int position) {
  int word = position / 64, shift = position % 64;
  return shift ? digits[word] << shift | digits[word + 1] >> (64 - shift) : digits[word];
}

/// The remainder of a finite x >= 2^30 modulo pi / 2, from the nearest multiple; that multiple's number modulo 4 is
/// added to `quarters`.
long double reduceLarge(double x, uint64_t &quarters) {
  using Wide = unsigned __int128;
  uint64_t bits = __builtin_bit_cast(uint64_t, x);
  uint64_t significand = (bits & 0xfffffffffffff) | 0x10000000000000;
  // x = significand * 2^power. Digits whose product is a multiple of 4 are left out.
  int power = int(bits >> 52) - 1075;
  int position = power - 2 + 64;
  Wide low = Wide(significand) * digitsFrom(position + 128);
  Wide middle = Wide(significand) * digitsFrom(position + 64) + uint64_t(low >> 64);
  uint64_t high = significand * digitsFrom(position) + uint64_t(middle >> 64);
  // Now high has two binary digits before the point.
  Wide fraction = (Wide(high) << 64 | uint64_t(middle)) << 2 | uint64_t(low) >> 62;
  quarters += high >> 62;
  bool isNegative = fraction >> 127;
  quarters += isNegative;
  fraction = isNegative ? -fraction : fraction;
  // 64 digits, and one rounding left to the caller.
  long double rest = static_cast<long double>(fraction) * (0x1p-128L * halfPi);
  return isNegative ? -rest : rest;
}

/// Replaces the lanes beyond largestFast. `quarters` is 0 for the sine, 1 for the cosine, of |x|.
[[gnu::noinline]] Reduced reduceLargeLanes(F64 x, Reduced reduced, uint64_t quarters) {
  for (int lane = 0; lane < lanes<double>; ++lane) {
    double magnitude = __builtin_fabs(x[lane]);
    if (magnitude < largestFast)
      continue;
    if (!(magnitude < __builtin_inf())) {
      reduced.rest[lane] = x[lane] - x[lane];
      continue;
    }
    uint64_t number = quarters;
    long double rest = reduceLarge(magnitude, number);
    // An odd quarter gives a cosine, which is the sine of pi / 2 - |rest|.
    reduced.rest[lane] = double(number & 1 ? halfPi - __builtin_fabsl(rest) : rest);
    bool isNegative = quarters == 0 && x[lane] < 0;
    reduced.turns[lane] = int64_t((number >> 1) + isNegative);
  }
  return reduced;
}

[[gnu::always_inline]] inline F64 result(F64 x, Reduced reduced, uint64_t quarters) {
  if (any(~(absolute(x) < largestFast))) [[unlikely]]
    reduced = reduceLargeLanes(x, reduced, quarters);
  return sineOf(reduced);
}

/// tan(x) is the tangent of rest + tail, |rest| <= pi / 4, or minus its reciprocal where `isOdd` is all ones.
struct Quarters {
  F64 rest, tail;
  I64 isOdd;
};

Quarters reduceQuarters(F64 x) {
  constexpr double halfPiMiddle = 0x1.1a62633145c07p-54, halfPiLow = -0x1.f1976b7ed8fbcp-110;
  F64 turns = multiplyAdd(x, F64(2 * perPi), F64(rounder));
  F64 number = turns - rounder;
  F64 first = multiplyAdd(-number, F64(0x1.921fb54442d18p+0), x);
  // The product in two numbers, then the difference in two.
  F64 product = number * halfPiMiddle;
  F64 lost = multiplyAdd(number, F64(halfPiMiddle), -product);
  F64 rest = first - product;
  F64 tail = ((first - rest) - product) - lost;
  tail = multiplyAdd(-number, F64(halfPiLow), tail);
  return {rest, tail, -(bitcast<I64>(turns) & 1)};
}

[[gnu::noinline]] Quarters reduceLargeQuarters(F64 x, Quarters reduced) {
  for (int lane = 0; lane < lanes<double>; ++lane) {
    double magnitude = __builtin_fabs(x[lane]);
    if (magnitude < largestFast)
      continue;
    if (!(magnitude < __builtin_inf())) {
      reduced.rest[lane] = x[lane] - x[lane];
      continue;
    }
    uint64_t number = 0;
    long double rest = reduceLarge(magnitude, number);
    rest = x[lane] < 0 ? -rest : rest;
    reduced.rest[lane] = double(rest);
    reduced.tail[lane] = double(rest - reduced.rest[lane]);
    reduced.isOdd[lane] = -int64_t(number & 1);
  }
  return reduced;
}

F64 tangentOf(Quarters reduced) {
  // (sin r - r) / r^3 and (cos r - 1 + r^2 / 2) / r^4, of the square.
  constexpr double sines[] = {-0x1.5555555555548p-3, 0x1.111111110f74ap-7,   -0x1.a01a019bee8c2p-13,
                              0x1.71de355b37cfap-19, -0x1.ae5e510f03bb5p-26, 0x1.5d8d215eb1636p-33};
  constexpr double cosines[] = {0x1.555555555554cp-5,   -0x1.6c16c16c15210p-10, 0x1.a01a019cbcd0fp-16,
                                -0x1.27e4f8103bb47p-22, 0x1.1ee9ef4b41de7p-29,  -0x1.8faffe10a45ccp-37};
  F64 rest = reduced.rest;
  F64 square = rest * rest;
  F64 half = square * -0.5;
  // The tail's contribution: tail * cos r and -tail * sin r, approximately.
  F64 sine =
      rest + multiplyAdd(rest * square, polynomial(square, sines), multiplyAdd(half, reduced.tail, reduced.tail));
  F64 cosine = 1 + multiplyAdd(square * square, polynomial(square, cosines), multiplyAdd(-rest, reduced.tail, half));
  return (reduced.isOdd ? -cosine : sine) / (reduced.isOdd ? sine : cosine);
}

} // namespace

extern "C" F64 TREADLE_ROUTINE(sin, f64)(F64 x) {
  F64 turns = multiplyAdd(x, F64(perPi), F64(rounder));
  Reduced reduced{subtractHalfTurns(x, turns - rounder), bitcast<I64>(turns)};
  return x == 0 ? x : result(x, reduced, 0);
}

extern "C" F64 TREADLE_ROUTINE(cos, f64)(F64 x) {
  // cos x = -sin(x - (n + 1/2) pi) for even n.
  F64 turns = multiplyAdd(absolute(x), F64(perPi), F64(-0.5)) + rounder;
  Reduced reduced{subtractHalfTurns(absolute(x), turns - rounder + 0.5), bitcast<I64>(turns) + 1};
  return result(x, reduced, 1);
}

extern "C" F64 TREADLE_ROUTINE(tan, f64)(F64 x) {
  Quarters reduced = reduceQuarters(x);
  if (any(~(absolute(x) < largestFast))) [[unlikely]]
    reduced = reduceLargeQuarters(x, reduced);
  return x == 0 ? x : tangentOf(reduced);
}

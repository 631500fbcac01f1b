// Arithmetic on intervals of integers, matching the operations of builtins/operation.h: results that may wrap are
// unknown.
#pragma once

#include "builtins/operation.h"
#include "typed/typed.h"

namespace treadle::intervals {

using typed::Interval;

/// Whether 32 bits, signed or unsigned, hold every value.
inline bool fitsInt32(Interval a) {
  return a.low >= std::numeric_limits<int32_t>::min() && a.high <= std::numeric_limits<int32_t>::max();
}
inline bool fitsUint32(Interval a) { return a.low >= 0 && a.high <= std::numeric_limits<uint32_t>::max(); }

/// All values of that type; bounds of uint64 are those of its bits read as int64.
Interval ofType(const Type *type);
inline Interval of(int64_t value) { return {value, value}; }
/// Contains no value.
inline Interval empty() { return {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}; }
inline bool isEmpty(Interval a) { return a.low > a.high; }
inline bool contains(Interval outer, Interval inner) {
  return isEmpty(inner) || (outer.low <= inner.low && inner.high <= outer.high);
}
inline Interval join(Interval a, Interval b) {
  return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}
inline Interval meet(Interval a, Interval b) {
  return {a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
}

/// `type` is the integer type of operands and result (a shift's count may have another one).
Interval unary(Operation op, const Type *type, Interval a);
Interval binary(Operation op, const Type *type, Interval a, Interval b);
/// Between integer types.
Interval convert(const Type *to, Interval a);
/// Whether left op right, Add or Sub, cannot wrap for any of these values.
bool isExact(Operation op, const Type *type, Interval a, Interval b);

/// The values of an interval as numbers: uint64 values whose bits are negative as int64 are 2^64 larger.
struct Numbers {
  __int128 low, high;
};
Numbers numbers(const Type *type, Interval a);
/// An Interval that contains all values of `type` within the bounds.
Interval within(const Type *type, Numbers bounds);

} // namespace treadle::intervals

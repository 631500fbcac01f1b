// Maps: instructions that compute each lane's result from the same lane of their sources.
#pragma once

#include "step.h"

namespace ptxmachine {

/// Stores `f(lane)` as an R in each lane of the step. All lanes are computed if all execute, which vectorises.
template <class R, class F> void mapLanes(Step &s, const Instruction &i, F f) {
  Lanes &d = s.result(i);
  if (s.mask == allLanes)
    for (unsigned lane = 0; lane < warpSize; ++lane)
      d.set<R>(lane, f(lane));
  else
    forLanes(s.mask, [&](unsigned lane) { d.set<R>(lane, f(lane)); });
  s.define(i, 0, s.definedSources(i));
}

template <class T, class R, class F> void map1(Step &s, const Instruction &i, F f) {
  const Lanes &a = s.source(i, 0);
  mapLanes<R>(s, i, [&](unsigned lane) { return f(a.get<T>(lane)); });
}

template <class T, class R, class F> void map2(Step &s, const Instruction &i, F f) {
  const Lanes &a = s.source(i, 0), &b = s.source(i, 1);
  mapLanes<R>(s, i, [&](unsigned lane) { return f(a.get<T>(lane), b.get<T>(lane)); });
}

template <class T, class R, class F> void map3(Step &s, const Instruction &i, F f) {
  const Lanes &a = s.source(i, 0), &b = s.source(i, 1), &c = s.source(i, 2);
  mapLanes<R>(s, i, [&](unsigned lane) { return f(a.get<T>(lane), b.get<T>(lane), c.get<T>(lane)); });
}

/// The region that a sum points into: that of its one address. Asked before the result, which may be a source, is set.
inline uint32_t sumTag(const Step &s, const Instruction &i) {
  uint32_t tag = 0;
  unsigned count = 0;
  for (size_t at = 0; at < i.sourceCount; ++at)
    if (const uint32_t own = s.tag(i.sources[at])) {
      tag = own;
      ++count;
    }
  return count == 1 ? tag : 0;
}

/// Chooses a function by the width and sign of an integer type: `F<T>::run`.
template <template <class> class F> Execute byInteger(const Type &type) {
  switch (type.bits) {
  case 8:
    return type.isSigned() ? F<int8_t>::run : F<uint8_t>::run;
  case 16:
    return type.isSigned() ? F<int16_t>::run : F<uint16_t>::run;
  case 32:
    return type.isSigned() ? F<int32_t>::run : F<uint32_t>::run;
  default:
    return type.isSigned() ? F<int64_t>::run : F<uint64_t>::run;
  }
}
template <template <class> class F> Execute chooseInteger(const Spelling &s) { return byInteger<F>(s.type()); }

} // namespace ptxmachine

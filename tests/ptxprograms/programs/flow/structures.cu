// Structures as parameters, arguments and results, with padding and arrays in them.
#include "program.h"

struct Inner {
  u8 tag;
  double weight;
  s16 counts[3];
};
struct Parameters {
  int n;
  Inner inner;
  float scale[4];
  int *out;
};
struct Pair {
  int first;
  s64 second;
};

static __device__ __noinline__ Pair swapped(Pair p, Inner inner) {
  return Pair{(int)p.second + inner.tag, p.first * (s64)inner.counts[p.first & 1]};
}
static __device__ __noinline__ Inner changed(Inner inner, int by) {
  inner.counts[2] += by;
  inner.weight *= 2;
  return inner;
}

KERNEL void structures(u8 first, Parameters p, const Pair *pairs, s64 *out) {
  const int i = threadNumber();
  if (i >= p.n)
    return;
  const Inner inner = changed(p.inner, i);
  const Pair pair = swapped(pairs[i], inner);
  out[2 * i] = pair.first + first;
  out[2 * i + 1] = pair.second + (s64)(inner.weight * p.scale[i & 3]) + inner.counts[2];
}

/* launches
inner = [("tag", "u1"), ("weight", "f8"), ("counts", "i2", 3)]
kind = np.dtype([("n", "i4"), ("inner", np.dtype(inner, align=True)), ("scale", "f4", 4), ("out", "u8")], align=True)
parameters = np.array((50, (9, 2.5, [3, -4, 5]), [1, 2, 4, 8], 0), kind)
pairs = np.zeros(50, np.dtype([("first", "i4"), ("second", "i8")], align=True))
pairs["first"], pairs["second"] = integers("i4", 50, -99, 99), integers("i8", 50, -10**6, 10**6)
launch("structures", 1, 64, np.uint8(200), parameters, pairs.view("i8"), zeros("i8", 100))
*/

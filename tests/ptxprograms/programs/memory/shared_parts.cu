// Dynamic shared memory that holds arrays of several types, beside static arrays.
#include "program.h"

KERNEL void shared_parts(const double *in, const u8 *bytes, double *out, int n) {
  DYNAMIC_SHARED(double, memory);
  __shared__ int order[64];
  __shared__ u8 flags[64];
  double *values = memory;
  float *halves = (float *)(values + n);
  u16 *marks = (u16 *)(halves + n);
  const int t = threadIdx.x;
  values[t] = in[t];
  halves[t] = (float)in[t] / 2;
  marks[t] = bytes[t] * 3;
  flags[t] = bytes[t] & 1;
  order[t] = n - 1 - t;
  __syncthreads();
  const int other = order[(t + 5) % n];
  out[t] = values[other] + halves[order[other]] + marks[t] + flags[other];
}

/* launches
launch("shared_parts", 1, 64, doubles(64), integers("u1", 64), zeros("f8", 64), 64, shared=64 * 14)
*/

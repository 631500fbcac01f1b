// The bandwidth of STREAM's triad: two streams read, one written.
#include "stream.h"

void stream_triad(const float *restrict x, const float *restrict y, float *restrict out, int n) {
  const Floats *first = ALIGNED(const Floats, x), *second = ALIGNED(const Floats, y);
  Floats *to = ALIGNED(Floats, out);
#pragma omp parallel for
  for (int i = 0; i < n / 16 - 1; ++i)
    STORE(first[i] + 3.0f * second[i], &to[i]);
}

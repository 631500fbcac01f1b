// The bandwidth of copying: one stream read, one written.
#include "stream.h"

void stream_copy(const float *restrict x, float *restrict out, int n) {
  const Floats *from = ALIGNED(const Floats, x);
  Floats *to = ALIGNED(Floats, out);
#pragma omp parallel for
  for (int i = 0; i < n / 16 - 1; ++i)
    STORE(from[i], &to[i]);
}

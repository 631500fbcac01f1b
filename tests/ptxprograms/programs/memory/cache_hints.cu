// Loads and stores with hints for caches, and read-only loads.
#include "program.h"

KERNEL void cache_hints(const int *__restrict__ in, const float4 *__restrict__ vectors, int *out, float4 *outVectors,
                        const s8 *__restrict__ bytes) {
  const int i = threadNumber();
  const int sum = __ldg(&in[i]) + __ldcg(&in[i + 1]) + __ldcs(&in[i + 2]) + __ldca(&in[i + 3]) + __ldlu(&in[i + 4]) +
                  __ldcv(&in[i + 5]) + __ldg(&bytes[i]);
  __stcg(&out[4 * i], sum);
  __stcs(&out[4 * i + 1], sum + 1);
  __stwb(&out[4 * i + 2], sum + 2);
  __stwt(&out[4 * i + 3], sum + 3);
  float4 v = __ldg(&vectors[i]);
  v.x += 1;
  __stcs(&outVectors[i], v);
}

/* launches
launch("cache_hints", 2, 32, integers("i4", 70, -1000, 1000), floats(256), zeros("i4", 256), zeros("f4", 256),
       integers("i1", 64))
*/

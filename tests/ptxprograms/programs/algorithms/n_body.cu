// Forces between bodies, by tiles in shared memory.
#include "program.h"

KERNEL void n_body(const float4 *bodies, float4 *forces, int n) {
  __shared__ float4 tile[32];
  const int i = threadNumber();
  const float4 self = bodies[i < n ? i : 0];
  float x = 0, y = 0, z = 0;
  for (int first = 0; first < n; first += 32) {
    if (first + threadIdx.x < n)
      tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < min(32, n - first); ++k) {
      const float4 other = tile[k];
      const float dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
      const float distance = dx * dx + dy * dy + dz * dz + 0.01f;
      const float force = other.w / (distance * sqrtf(distance));
      x += dx * force, y += dy * force, z += dz * force;
    }
    __syncthreads();
  }
  if (i < n)
    forces[i] = make_float4(x, y, z, 0);
}

/* launches
launch("n_body", 2, 32, floats(4 * 50, 0.5, 3), zeros("f4", 4 * 50), 50)
*/

// Where a thread is: places, sizes, masks of lanes.
#include "program.h"

#ifdef __CUDACC__
#define READ(name, place)                                                                                              \
  {                                                                                                                    \
    u32 value;                                                                                                         \
    asm volatile("mov.u32 %0, %%" #name ";" : "=r"(value));                                                            \
    o[place] = value;                                                                                                  \
  }
#else
#define READ(name, place) o[place] = VALUE_##name;
#define LANE (linear % 32)
#define VALUE_laneid LANE
#define VALUE_lanemask_eq 1u << LANE
#define VALUE_lanemask_lt (1u << LANE) - 1
#define VALUE_lanemask_le (1u << LANE) | ((1u << LANE) - 1)
#define VALUE_lanemask_gt ~((1u << LANE) | ((1u << LANE) - 1))
#define VALUE_lanemask_ge ~((1u << LANE) - 1)
#endif

KERNEL void special_registers(u32 *out) {
  const u32 block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const u32 linear = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  u32 *o = out + 8 * (block * blockDim.x * blockDim.y * blockDim.z + linear);
  READ(laneid, 0)
  READ(lanemask_eq, 1)
  READ(lanemask_lt, 2)
  READ(lanemask_le, 3)
  READ(lanemask_gt, 4)
  READ(lanemask_ge, 5)
  o[6] = threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x + 10000 * blockIdx.y;
  o[7] = blockIdx.z + 10 * gridDim.x + 100 * gridDim.y + 1000 * gridDim.z + 10000 * warpSize;
}

/* launches
launch("special_registers", (2, 3, 2), (5, 4, 3), zeros("u4", 8 * 720))
*/

// Random points by xorshift: how many are within a circle.
#include "program.h"

static __device__ u64 next(u64 &state) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545F4914F6CDD1Dull;
}

KERNEL void monte_carlo(u32 *hits, u64 *states, int rounds) {
  u64 state = states[threadNumber()] | 1;
  u32 count = 0;
  for (int round = 0; round < rounds; ++round) {
    const u64 word = next(state);
    const float x = (u32)word * 0x1p-32f, y = (u32)(word >> 32) * 0x1p-32f;
    count += x * x + y * y < 1.0f;
  }
  atomicAdd(hits, count);
  states[threadNumber()] = state;
}

/* launches
launch("monte_carlo", 2, 64, zeros("u4", 1), integers("u8", 128), 20)
*/

// Branches by tables: dense and sparse cases, loops within them.
#include "program.h"

static __device__ __noinline__ u32 step(u32 op, u32 a, u32 b) {
  switch (op) {
  case 0:
    return a + b;
  case 1:
    return a - b;
  case 2:
    return a * b;
  case 3:
    return b ? a / b : a;
  case 4:
    return a ^ b;
  case 5:
    return a << (b & 31);
  case 6:
    return __popc(a) + b;
  case 7:
    for (u32 i = 0; i < (b & 7); ++i)
      a = a * 5 + i;
    return a;
  case 100:
    return ~a;
  default:
    return a;
  }
}

/// Each thread runs a program of its own.
KERNEL void switches(const u8 *program, u32 *out, int length) {
  u32 a = threadNumber(), b = 7;
  for (int at = 0; at < length; ++at) {
    const u32 next = step(program[(at + threadIdx.x) % length], a, b);
    b = a, a = next;
  }
  out[threadNumber()] = a;
}

/* launches
program = integers("u1", 20, 0, 9); program[[3, 11]] = 100
launch("switches", 2, 40, program, zeros("u4", 80), 20)
*/

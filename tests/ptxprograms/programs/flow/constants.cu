// Constant memory and variables of the device, with values from the start.
#include "program.h"

struct Entry {
  u8 key;
  float value;
  const char *name;
};
__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant__ Entry entries[3] = {{1, 0.5f, "one"}, {7, -2.25f, "seven"}, {200, 1e10f, "many"}};
__constant__ double tenth = 0.1;
__device__ u64 state[2] = {0x123456789ABCDEFull, 42};
__device__ s16 matrix[2][3] = {{1, -2, 3}, {-4, 5, -6}};
__device__ int counter;
__device__ int *const pointer = &counter;

KERNEL void constants(float *out, u64 *words) {
  const int i = threadIdx.x;
  const Entry &entry = entries[i % 3];
  out[i] = entry.value * primes[i % 8] + entry.name[i % 3] + (float)tenth + entry.key;
  words[i] = state[i & 1] + matrix[i % 2][i % 3];
  atomicAdd(pointer, i);
  __syncthreads();
  if (i == 0) {
    words[0] += *pointer;
    counter = 0;
  }
}

/* launches
launch("constants", 1, 50, zeros("f4", 50), zeros("u8", 50))
launch("constants", 1, 30, zeros("f4", 30), zeros("u8", 30))
*/

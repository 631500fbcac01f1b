// Calls through tables of functions, in memory and in registers.
#include "program.h"

typedef float (*Function)(float, float);
static __device__ __noinline__ float sum(float a, float b) { return a + b; }
static __device__ __noinline__ float difference(float a, float b) { return a - b; }
static __device__ __noinline__ float product(float a, float b) { return a * b; }
static __device__ __noinline__ float largest(float a, float b) { return a < b ? b : a; }
__device__ Function table[] = {sum, difference, product, largest};

KERNEL void function_pointers(const float *in, const u8 *choices, float *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const Function first = table[choices[i] & 3];
  const Function second = choices[i] & 4 ? &difference : &product;
  out[i] = first(second(in[i], 2), 3.5f);
}

/* launches
launch("function_pointers", 2, 64, floats(100), integers("u1", 100), zeros("f4", 100), 100)
*/

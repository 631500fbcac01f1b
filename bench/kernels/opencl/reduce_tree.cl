// A sum in OpenCL C: a tree in the local memory of groups of 256, then one atomic addition per group.
#define TILE 256

// OpenCL 1.2 has no atomic addition of floats.
void add(volatile __global float *total, float value) {
  volatile __global int *bits = (volatile __global int *)total;
  int old = *bits, seen;
  while ((seen = atomic_cmpxchg(bits, old, as_int(as_float(old) + value))) != old)
    old = seen;
}

__kernel void reduce_tree(__global const float *restrict values, volatile __global float *restrict total, int n) {
  __local float tile[TILE];
  int thread = get_local_id(0);
  int i = get_global_id(0);
  tile[thread] = i < n ? values[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = TILE / 2; step > 0; step /= 2) {
    if (thread < step)
      tile[thread] += tile[thread + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (thread == 0)
    add(total, tile[0]);
}

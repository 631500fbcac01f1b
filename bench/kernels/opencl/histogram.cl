// A histogram of bytes in OpenCL C: groups of 256 count in local memory and then add to the whole.
#define BINS 256

__kernel void histogram(__global const uchar *restrict values, volatile __global int *restrict counts, int n) {
  __local int own[BINS];
  int thread = get_local_id(0);
  own[thread] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(&own[values[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&counts[thread], own[thread]);
}

// A sum in CUDA C: warps of 32 by shuffles, the warps of a block of 256 by its first, then one atomic addition.
#define WARPS 8
extern "C" __global__ void reduce_shuffle(const float *__restrict__ values, float *__restrict__ total, int n) {
  __shared__ float partial[WARPS];
  int thread = threadIdx.x;
  int i = blockIdx.x * blockDim.x + thread;
  float value = i < n ? values[i] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffff, value, offset);
  if (thread % 32 == 0)
    partial[thread / 32] = value;
  __syncthreads();
  if (thread < 32) {
    value = thread < WARPS ? partial[thread] : 0.0f;
    for (int offset = WARPS / 2; offset > 0; offset /= 2)
      value += __shfl_down_sync(0xffffffff, value, offset);
    if (thread == 0)
      atomicAdd(total, value);
  }
}

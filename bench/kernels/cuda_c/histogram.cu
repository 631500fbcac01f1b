// A histogram of bytes in CUDA C: blocks of 256 count in shared memory and then add to the total.
#define BINS 256
extern "C" __global__ void histogram(const unsigned char *__restrict__ values, int *__restrict__ counts, int n) {
  __shared__ int own[BINS];
  int thread = threadIdx.x;
  own[thread] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + thread; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&own[values[i]], 1);
  __syncthreads();
  atomicAdd(&counts[thread], own[thread]);
}

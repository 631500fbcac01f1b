// A sum in CUDA C: a tree in the shared memory of blocks of 256, then one atomic addition per block.
#define TILE 256
extern "C" __global__ void reduce_tree(const float *__restrict__ values, float *__restrict__ total, int n) {
  __shared__ float tile[TILE];
  int thread = threadIdx.x;
  int i = blockIdx.x * blockDim.x + thread;
  tile[thread] = i < n ? values[i] : 0.0f;
  __syncthreads();
  for (int step = TILE / 2; step > 0; step /= 2) {
    if (thread < step)
      tile[thread] += tile[thread + step];
    __syncthreads();
  }
  if (thread == 0)
    atomicAdd(total, tile[0]);
}

// Matrix product in CUDA C: 16x16 tiles in shared memory, guarded.
#define TILE 16
extern "C" __global__ void matmul(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                                  int rows, int columns, int inner) {
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int column = blockIdx.x * blockDim.x + tx;
  int row = blockIdx.y * blockDim.y + ty;
  float total = 0.0f;
  for (int start = 0; start < inner; start += TILE) {
    tile_a[ty][tx] = row < rows && start + tx < inner ? a[row * inner + start + tx] : 0.0f;
    tile_b[ty][tx] = start + ty < inner && column < columns ? b[(start + ty) * columns + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      total += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  if (row < rows && column < columns)
    c[row * columns + column] = total;
}

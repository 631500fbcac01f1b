// A transpose in CUDA C: tiles of 32x32, padded against bank conflicts, by blocks of (32, 8).
#define TILE 32
#define ROWS 8
extern "C" __global__ void transpose(const float *__restrict__ source, float *__restrict__ target, int rows,
                                     int columns) {
  __shared__ float tile[TILE][TILE + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * TILE + tx;
  int y = blockIdx.y * TILE + ty;
  for (int k = 0; k < TILE; k += ROWS)
    if (x < columns && y + k < rows)
      tile[ty + k][tx] = source[(y + k) * columns + x];
  __syncthreads();
  x = blockIdx.y * TILE + tx;
  y = blockIdx.x * TILE + ty;
  for (int k = 0; k < TILE; k += ROWS)
    if (x < rows && y + k < columns)
      target[(y + k) * rows + x] = tile[tx][ty + k];
}

// Matrix product in OpenCL C: 16x16 tiles in shared memory, guarded.
#define TILE 16
__kernel void matmul(__global const float *restrict a, __global const float *restrict b, __global float *restrict c,
                     int rows, int columns, int inner) {
  __local float tile_a[TILE][TILE];
  __local float tile_b[TILE][TILE];
  int tx = get_local_id(0), ty = get_local_id(1);
  int column = get_global_id(0);
  int row = get_global_id(1);
  float total = 0.0f;
  for (int start = 0; start < inner; start += TILE) {
    tile_a[ty][tx] = row < rows && start + tx < inner ? a[row * inner + start + tx] : 0.0f;
    tile_b[ty][tx] = start + ty < inner && column < columns ? b[(start + ty) * columns + column] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; ++k)
      total += tile_a[ty][k] * tile_b[k][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < rows && column < columns)
    c[row * columns + column] = total;
}

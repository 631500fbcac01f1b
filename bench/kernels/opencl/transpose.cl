// A transpose in OpenCL C: tiles of 32x32, padded, by groups of (32, 8).
#define TILE 32
#define ROWS 8

__kernel void transpose(__global const float *restrict source, __global float *restrict target, int rows, int columns) {
  __local float tile[TILE][TILE + 1];
  int tx = get_local_id(0), ty = get_local_id(1);
  int x = get_group_id(0) * TILE + tx;
  int y = get_group_id(1) * TILE + ty;
  for (int k = 0; k < TILE; k += ROWS)
    if (x < columns && y + k < rows)
      tile[ty + k][tx] = source[(y + k) * columns + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * TILE + tx;
  y = get_group_id(0) * TILE + ty;
  for (int k = 0; k < TILE; k += ROWS)
    if (x < rows && y + k < columns)
      target[(y + k) * rows + x] = tile[tx][ty + k];
}

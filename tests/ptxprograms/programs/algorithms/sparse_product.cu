// Products of a sparse matrix by rows: one thread for each, and one warp for each.
#include "program.h"

KERNEL void rows_by_threads(const int *offsets, const int *columns, const double *values, const double *x, double *y,
                            int rows) {
  const int row = threadNumber();
  if (row >= rows)
    return;
  double sum = 0;
  for (int at = offsets[row]; at < offsets[row + 1]; ++at)
    sum += values[at] * x[columns[at]];
  y[row] = sum;
}
KERNEL void rows_by_warps(const int *offsets, const int *columns, const double *values, const double *x, double *y,
                          int rows) {
  const int row = threadNumber() / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  double sum = 0;
  for (int at = offsets[row] + lane; at < offsets[row + 1]; at += 32)
    sum += values[at] * x[columns[at]];
  for (int by = 16; by > 0; by /= 2)
    sum += __shfl_xor_sync(0xFFFFFFFF, sum, by);
  if (lane == 0)
    y[row] = sum;
}

/* launches
offsets, columns = graph(60, 900)
values, x = doubles(900), doubles(60)
launch("rows_by_threads", 1, 64, offsets, columns, values, x, zeros("f8", 60), 60)
launch("rows_by_warps", 15, 128, offsets, columns, values, x, zeros("f8", 60), 60)
*/

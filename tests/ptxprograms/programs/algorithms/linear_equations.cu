// Gaussian elimination with the largest pivot, one block for each system.
#include "program.h"

KERNEL void linear_equations(double *matrices, double *right, int n) {
  __shared__ double a[16][17];
  __shared__ int pivot;
  const int t = threadIdx.x;
  double *matrix = matrices + blockIdx.x * n * n;
  for (int row = 0; row < n; ++row)
    if (t <= n)
      a[row][t] = t < n ? matrix[row * n + t] : right[blockIdx.x * n + row];
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    if (t == 0) {
      pivot = k;
      for (int row = k + 1; row < n; ++row)
        if (fabs(a[row][k]) > fabs(a[pivot][k]))
          pivot = row;
    }
    __syncthreads();
    if (t <= n && pivot != k) {
      const double other = a[k][t];
      a[k][t] = a[pivot][t];
      a[pivot][t] = other;
    }
    __syncthreads();
    if (t < n && t != k) {
      const double factor = a[t][k] / a[k][k];
      for (int column = k; column <= n; ++column)
        a[t][column] -= factor * a[k][column];
    }
    __syncthreads();
  }
  if (t < n)
    right[blockIdx.x * n + t] = a[t][n] / a[t][t];
}

/* launches
launch("linear_equations", 3, 32, doubles(3 * 144), doubles(36), 12)
*/

// The distance of strings by diagonals of a table, one block for each pair.
#include "program.h"

KERNEL void edit_distance(const u8 *a, const u8 *b, int *out, int n) {
  __shared__ int diagonals[3][65];
  const u8 *first = a + blockIdx.x * n, *second = b + blockIdx.x * n;
  const int t = threadIdx.x;
  for (int diagonal = 0; diagonal <= 2 * n; ++diagonal) {
    const int row = t, column = diagonal - t;
    int *now = diagonals[diagonal % 3], *last = diagonals[(diagonal + 2) % 3], *before = diagonals[(diagonal + 1) % 3];
    if (row <= n && column >= 0 && column <= n) {
      int cost;
      if (row == 0 || column == 0)
        cost = row + column;
      else
        cost = min(min(last[row - 1], last[row]) + 1, before[row - 1] + (first[row - 1] != second[column - 1]));
      now[row] = cost;
      if (row == n && column == n)
        out[blockIdx.x] = cost;
    }
    __syncthreads();
  }
}

/* launches
launch("edit_distance", 4, 64, integers("u1", 160, 0, 3), integers("u1", 160, 0, 3), zeros("i4", 4), 40)
*/

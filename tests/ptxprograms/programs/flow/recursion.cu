// Functions that call themselves, to depths that differ among lanes.
#include "program.h"

static __device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static __device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0)
    return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

/// A sort whose calls have local arrays.
static __device__ __noinline__ void sortRange(int *values, int low, int high) {
  if (low >= high)
    return;
  int small[8], count = 0;
  const int pivot = values[high];
  int at = low;
  for (int i = low; i < high; ++i)
    if (values[i] < pivot) {
      if (count < 8)
        small[count++] = values[i];
      const int other = values[at];
      values[at++] = values[i];
      values[i] = other;
    }
  values[high] = values[at];
  values[at] = pivot;
  sortRange(values, low, at - 1);
  sortRange(values, at + 1, high);
  if (count && small[0] > pivot)
    values[low] = -1;
}

KERNEL void recursion(int *numbers, int *values, int each) {
  const int i = threadNumber();
  numbers[2 * i] = fibonacci(i % 10);
  numbers[2 * i + 1] = ackermann(i % 3, i % 4);
  sortRange(values + i * each, 0, each - 1);
}

/* launches
launch("recursion", 1, 40, zeros("i4", 80), integers("i4", 40 * 12), 12)
*/

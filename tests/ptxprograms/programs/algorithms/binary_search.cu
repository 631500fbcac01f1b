// Places of numbers in a sorted list, and sums of an interval by a tree.
#include "program.h"

KERNEL void binary_search(const float *sorted, int n, const float *wanted, int *places) {
  const int i = threadNumber();
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (sorted[middle] < wanted[i])
      low = middle + 1;
    else
      high = middle;
  }
  places[i] = low;
}

/* launches
launch("binary_search", 2, 64, array(np.sort(floats(150))), 150, floats(128), zeros("i4", 128))
*/

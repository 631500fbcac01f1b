// Threads that leave early, loops within loops that end at different times, breaks and jumps.
#include "program.h"

KERNEL void divergence(const int *in, int *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const int value = in[i];
  if (value % 11 == 0) {
    out[i] = -1;
    return;
  }
  int sum = 0;
  for (int a = 0; a < value % 7 + 1; ++a) {
    if (a == 4)
      break;
    int b = value;
    while (b > 0) {
      if (b % 5 == 3) {
        b -= 2;
        continue;
      }
      sum += b % 3;
      b /= 2;
      if (sum > 40)
        goto done;
    }
    do
      sum += 3;
    while (sum % 4 == 1);
  }
done:
  out[i] = sum;
}
/// Collatz: very different lengths.
KERNEL void collatz(int *steps, int n) {
  for (int i = threadNumber(); i < n; i += gridDim.x * blockDim.x) {
    u32 value = i + 1;
    int count = 0;
    for (; value != 1; ++count)
      value = value & 1 ? 3 * value + 1 : value / 2;
    steps[i] = count;
  }
}

/* launches
launch("divergence", 3, 64, integers("i4", 180, 0, 500), zeros("i4", 180), 180)
launch("collatz", 2, 40, zeros("i4", 150), 150)
*/

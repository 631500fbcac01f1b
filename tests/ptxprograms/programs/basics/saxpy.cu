// Adds a multiple of one vector to another.
#include "program.h"

KERNEL void saxpy(float *y, const float *x, float a, int n) {
  const int i = threadNumber();
  if (i < n)
    y[i] = a * x[i] + y[i];
}

/* launches
y, x = floats(1000), floats(1000)
launch("saxpy", 8, 128, y, x, f32(2.5), 1000)
launch("saxpy", (3, 1, 1), 64, y, x, f32(-1e-3), 150)
*/

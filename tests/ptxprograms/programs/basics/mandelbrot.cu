// Counts the steps until points of the plane leave a circle: loops that end at different times.
#include "program.h"

KERNEL void mandelbrot(u16 *steps, int width, int height, float scale) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const float cx = (x - width * 0.7f) * scale, cy = (y - height * 0.5f) * scale;
  float zx = 0, zy = 0;
  int step = 0;
  while (step < 100 && zx * zx + zy * zy < 4.0f) {
    const float next = zx * zx - zy * zy + cx;
    zy = 2 * zx * zy + cy;
    zx = next;
    ++step;
  }
  steps[y * width + x] = step;
}

/* launches
launch("mandelbrot", (3, 3), (16, 8), zeros("u2", 40 * 20), 40, 20, f32(0.06))
*/

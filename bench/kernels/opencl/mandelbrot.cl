// The mandelbrot set in OpenCL C: one thread per pixel.
int escape(float real, float imag, int limit) {
  float x = 0.0f, y = 0.0f;
  for (int step = 0; step < limit; ++step) {
    float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f)
      return step;
    y = (x + x) * y + imag;
    x = xx - yy + real;
  }
  return limit;
}

__kernel void mandelbrot(float left, float top, float pixel, int limit, __global int *restrict steps, int height,
                         int width) {
  int column = get_global_id(0);
  int row = get_global_id(1);
  if (row < height && column < width) {
    float real = left + (float)column * pixel;
    float imag = top - (float)row * pixel;
    steps[row * width + column] = escape(real, imag, limit);
  }
}

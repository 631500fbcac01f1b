// The mandelbrot set in CUDA C: one thread per pixel.
__device__ int escape(float real, float imag, int limit) {
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

extern "C" __global__ void mandelbrot(float left, float top, float pixel, int limit, int *__restrict__ steps,
                                      int height, int width) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < height && column < width) {
    float real = left + (float)column * pixel;
    float imag = top - (float)row * pixel;
    steps[row * width + column] = escape(real, imag, limit);
  }
}

// A 5-point stencil in CUDA C: the inner points of a 2-d grid.
extern "C" __global__ void stencil(float centre, float side, const float *__restrict__ old, float *__restrict__ fresh,
                                   int rows, int columns) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (0 < y && y < rows - 1 && 0 < x && x < columns - 1) {
    int at = y * columns + x;
    fresh[at] = centre * old[at] + side * (old[at - 1] + old[at + 1] + old[at - columns] + old[at + columns]);
  }
}

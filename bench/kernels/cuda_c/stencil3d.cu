// A 7-point stencil in CUDA C: each thread walks along z and keeps the points below and above in registers.
extern "C" __global__ void stencil3d(float centre, float side, const float *__restrict__ old, float *__restrict__ fresh,
                                     int depth, int rows, int columns) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (0 < y && y < rows - 1 && 0 < x && x < columns - 1) {
    int plane = rows * columns;
    int at = y * columns + x;
    float below = old[at];
    float here = old[at + plane];
    for (int z = 1; z < depth - 1; ++z) {
      at += plane;
      float above = old[at + plane];
      float around = old[at - 1] + old[at + 1] + old[at - columns] + old[at + columns];
      fresh[at] = centre * here + side * (below + above + around);
      below = here;
      here = above;
    }
  }
}

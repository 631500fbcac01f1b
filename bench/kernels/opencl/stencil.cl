// A 5-point stencil in OpenCL C: the inner points of a 2-d grid.
__kernel void stencil(float centre, float side, __global const float *restrict old, __global float *restrict fresh,
                      int rows, int columns) {
  int x = get_global_id(0);
  int y = get_global_id(1);
  if (0 < y && y < rows - 1 && 0 < x && x < columns - 1) {
    int at = y * columns + x;
    fresh[at] = centre * old[at] + side * (old[at - 1] + old[at + 1] + old[at - columns] + old[at + columns]);
  }
}

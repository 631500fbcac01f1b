// A 5-point stencil in OpenMP C: the inner points of a 2-d grid.
#include "common.h"

void stencil(float centre, float side, const float *restrict old, float *restrict fresh, int rows, int columns) {
#pragma omp parallel for
  for (int y = 1; y < rows - 1; ++y) {
    SIMD for (int x = 1; x < columns - 1; ++x) {
      int at = y * columns + x;
      fresh[at] = centre * old[at] + side * (old[at - 1] + old[at + 1] + old[at - columns] + old[at + columns]);
    }
  }
}

// Gravity among n bodies in OpenMP C.
#include "common.h"
#include <math.h>

void nbody(float softening, const float *restrict x, const float *restrict y, const float *restrict z,
           const float *restrict mass, float *restrict ax, float *restrict ay, float *restrict az, int count) {
#pragma omp parallel for
  for (int i = 0; i < count; ++i) {
    float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
    SIMD_SUM_OF_THREE(sum_x, sum_y, sum_z)
    for (int k = 0; k < count; ++k) {
      float dx = x[k] - x[i];
      float dy = y[k] - y[i];
      float dz = z[k] - z[i];
      float squared = dx * dx + dy * dy + dz * dz + softening;
      float pull = mass[k] / (squared * sqrtf(squared));
      sum_x += pull * dx;
      sum_y += pull * dy;
      sum_z += pull * dz;
    }
    ax[i] = sum_x;
    ay[i] = sum_y;
    az[i] = sum_z;
  }
}

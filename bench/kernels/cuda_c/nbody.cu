// Gravity among n bodies in CUDA C: blocks of 256 walk through all bodies a shared tile at a time.
#define TILE 256
extern "C" __global__ void nbody(float softening, const float *__restrict__ x, const float *__restrict__ y,
                                 const float *__restrict__ z, const float *__restrict__ mass, float *__restrict__ ax,
                                 float *__restrict__ ay, float *__restrict__ az, int count) {
  __shared__ float tile_x[TILE], tile_y[TILE], tile_z[TILE], tile_mass[TILE];
  int thread = threadIdx.x;
  int i = blockIdx.x * blockDim.x + thread;
  float own_x = 0.0f, own_y = 0.0f, own_z = 0.0f;
  if (i < count) {
    own_x = x[i];
    own_y = y[i];
    own_z = z[i];
  }
  float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
  for (int start = 0; start < count; start += TILE) {
    int j = start + thread;
    tile_mass[thread] = 0.0f;
    if (j < count) {
      tile_x[thread] = x[j];
      tile_y[thread] = y[j];
      tile_z[thread] = z[j];
      tile_mass[thread] = mass[j];
    }
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      float dx = tile_x[k] - own_x;
      float dy = tile_y[k] - own_y;
      float dz = tile_z[k] - own_z;
      float squared = dx * dx + dy * dy + dz * dz + softening;
      float pull = tile_mass[k] / (squared * sqrtf(squared));
      sum_x += pull * dx;
      sum_y += pull * dy;
      sum_z += pull * dz;
    }
    __syncthreads();
  }
  if (i < count) {
    ax[i] = sum_x;
    ay[i] = sum_y;
    az[i] = sum_z;
  }
}

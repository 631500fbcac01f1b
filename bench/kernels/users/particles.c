// Particles in OpenMP C.
#include "common.h"
#include <math.h>

typedef struct {
  float x, y, z, vx, vy, vz, mass, charge;
} Particle;

void move_n3(float dt, float *restrict position, float *restrict velocity, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i)
    for (int axis = 0; axis < 3; ++axis) {
      float v = velocity[3 * i + axis], p = position[3 * i + axis] + v * dt;
      if (p < 0) {
        p = -p;
        v = -v;
      } else if (p > 1) {
        p = 2 - p;
        v = -v;
      }
      position[3 * i + axis] = p;
      velocity[3 * i + axis] = v;
    }
}

void move_records(float dt, Particle *restrict particles, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    Particle *p = particles + i;
    p->vy -= 9.81f * dt;
    p->x += p->vx * dt;
    p->y += p->vy * dt;
    p->z += p->vz * dt;
    if (p->y < 0) {
      p->y = -p->y;
      p->vy = -p->vy;
    }
  }
}

void energy(const Particle *restrict particles, float *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    const Particle *p = particles + i;
    out[i] = 0.5 * p->mass * (p->vx * p->vx + p->vy * p->vy + p->vz * p->vz);
  }
}

void normalise(float *restrict vectors, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    float x = vectors[3 * i], y = vectors[3 * i + 1], z = vectors[3 * i + 2];
    float length = sqrtf(x * x + y * y + z * z);
    if (length > 0) {
      vectors[3 * i] = x / length;
      vectors[3 * i + 1] = y / length;
      vectors[3 * i + 2] = z / length;
    }
  }
}

void lennard_jones(double cutoff, const int *restrict neighbours, const double *restrict position,
                   double *restrict force, int n, int most) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double fx = 0.0, fy = 0.0, fz = 0.0;
    for (int k = 0; k < most; ++k) {
      int j = neighbours[i * most + k];
      if (j < 0)
        break;
      double dx = position[3 * i] - position[3 * j];
      double dy = position[3 * i + 1] - position[3 * j + 1];
      double dz = position[3 * i + 2] - position[3 * j + 2];
      double r2 = dx * dx + dy * dy + dz * dz;
      if (r2 < cutoff * cutoff) {
        double r6 = 1.0 / (r2 * r2 * r2);
        double f = 24.0 * r6 * (2.0 * r6 - 1.0) / r2;
        fx += f * dx;
        fy += f * dy;
        fz += f * dz;
      }
    }
    force[3 * i] = fx;
    force[3 * i + 1] = fy;
    force[3 * i + 2] = fz;
  }
}

// Recurrences in OpenMP C.
#include "common.h"
#include <math.h>
#include <stdlib.h>

enum { CHUNK = 64, LENGTH = 64, STEPS = 64, QUEENS = 10 };

void biquad_rows(float b0, float b1, float b2, float a1, float a2, const float *restrict signals, float *restrict out,
                 int rows, int columns) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    float z1 = 0.0f, z2 = 0.0f;
    for (int k = 0; k < columns; ++k) {
      float x = signals[row * columns + k], y = b0 * x + z1;
      z1 = b1 * x - a1 * y + z2;
      z2 = b2 * x - a2 * y;
      out[row * columns + k] = y;
    }
  }
}

void moving_average(double alpha, const double *restrict prices, double *restrict out, int times, int series) {
  for (int i = 0; i < series; ++i)
    out[i] = prices[i];
  for (int t = 1; t < times; ++t) {
    PARALLEL_FOR
    for (int i = 0; i < series; ++i)
      out[t * series + i] = alpha * prices[t * series + i] + (1 - alpha) * out[(t - 1) * series + i];
  }
}

void kalman1(double process, double noise, const double *restrict measured, double *restrict out, int n, int steps) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double estimate = 0.0, variance = 1.0;
    for (int k = 0; k < steps; ++k) {
      variance += process;
      double gain = variance / (variance + noise);
      estimate += gain * (measured[i * steps + k] - estimate);
      variance *= 1.0 - gain;
      out[i * steps + k] = estimate;
    }
  }
}

void running_max_chunks(const int *restrict values, int *restrict out, int n) {
#pragma omp parallel for
  for (int start = 0; start < n; start += CHUNK) {
    int largest = values[start];
    for (int i = start; i < start + CHUNK && i < n; ++i) {
      if (values[i] > largest)
        largest = values[i];
      out[i] = largest;
    }
  }
}

void longest_run(const unsigned char *restrict bits, int *restrict out, int chunks) {
#pragma omp parallel for
  for (int chunk = 0; chunk < chunks; ++chunk) {
    int longest = 0, run = 0;
    for (int i = chunk * CHUNK; i < (chunk + 1) * CHUNK; ++i) {
      run = bits[i] ? run + 1 : 0;
      longest = run > longest ? run : longest;
    }
    out[chunk] = longest;
  }
}

static inline int larger(int a, int b) { return a > b ? a : b; }

void needleman(const unsigned char *restrict first, const unsigned char *restrict second, int gap, int *restrict scores,
               int pairs) {
#pragma omp parallel for
  for (int pair = 0; pair < pairs; ++pair) {
    int table[LENGTH + 1][LENGTH + 1];
    for (int k = 0; k <= LENGTH; ++k)
      table[k][0] = table[0][k] = k * gap;
    for (int i = 0; i < LENGTH; ++i)
      for (int j = 0; j < LENGTH; ++j) {
        int match = first[pair * LENGTH + i] == second[pair * LENGTH + j] ? 1 : -1;
        table[i + 1][j + 1] = larger(table[i][j] + match, larger(table[i][j + 1], table[i + 1][j]) + gap);
      }
    scores[pair] = table[LENGTH][LENGTH];
  }
}

void viterbi_step(const float *restrict before, const float *restrict transitions, const float *restrict emissions,
                  const int *restrict seen, float *restrict after, int *restrict origins, int sequences, int states,
                  int symbols) {
#pragma omp parallel for
  for (int sequence = 0; sequence < sequences; ++sequence)
    for (int state = 0; state < states; ++state) {
      float best = before[sequence * states] + transitions[state];
      int origin = 0;
      for (int k = 1; k < states; ++k) {
        float score = before[sequence * states + k] + transitions[k * states + state];
        if (score > best) {
          best = score;
          origin = k;
        }
      }
      after[sequence * states + state] = best + emissions[state * symbols + seen[sequence]];
      origins[sequence * states + state] = origin;
    }
}

void knapsack_row(int weight, int value, const int *restrict before, int *restrict after, int n) {
  PARALLEL_FOR
  for (int w = 0; w < n; ++w)
    after[w] = w >= weight ? larger(before[w], before[w - weight] + value) : before[w];
}

typedef struct {
  double x, y, z;
} Slope;

static inline Slope lorenz_slope(double x, double y, double z) {
  return (Slope){10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z};
}

void lorenz(double dt, int steps, double *restrict states, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    double x = states[3 * i], y = states[3 * i + 1], z = states[3 * i + 2];
    for (int k = 0; k < steps; ++k) {
      Slope a = lorenz_slope(x, y, z);
      Slope b = lorenz_slope(x + dt / 2 * a.x, y + dt / 2 * a.y, z + dt / 2 * a.z);
      Slope c = lorenz_slope(x + dt / 2 * b.x, y + dt / 2 * b.y, z + dt / 2 * b.z);
      Slope d = lorenz_slope(x + dt * c.x, y + dt * c.y, z + dt * c.z);
      x += dt / 6 * (a.x + 2 * b.x + 2 * c.x + d.x);
      y += dt / 6 * (a.y + 2 * b.y + 2 * c.y + d.y);
      z += dt / 6 * (a.z + 2 * b.z + 2 * c.z + d.z);
    }
    states[3 * i] = x;
    states[3 * i + 1] = y;
    states[3 * i + 2] = z;
  }
}

static int place(int *columns, int row) {
  if (row == QUEENS)
    return 1;
  int count = 0;
  for (int column = 0; column < QUEENS; ++column) {
    int safe = 1;
    for (int k = 0; k < row && safe; ++k)
      safe = columns[k] != column && abs(columns[k] - column) != row - k;
    if (safe) {
      columns[row] = column;
      count += place(columns, row + 1);
    }
  }
  return count;
}

void queens(int *restrict out, int n) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) {
    int columns[QUEENS] = {i / QUEENS, i % QUEENS};
    out[i] = abs(columns[0] - columns[1]) < 2 ? 0 : place(columns, 2);
  }
}

void binomial_option(float rate, float volatility, const float *restrict price, const float *restrict strike,
                     const float *restrict years, float *restrict out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float values[STEPS + 1], dt = years[i] / STEPS;
    float up = expf(volatility * sqrtf(dt)), down = 1.0f / up;
    float p = (expf(rate * dt) - down) / (up - down), discount = expf(-rate * dt);
    float s = price[i] * powf(down, STEPS);
    for (int k = 0; k <= STEPS; ++k) {
      values[k] = fmaxf(strike[i] - s, 0.0f);
      s *= up * up;
    }
    for (int step = STEPS; step > 0; --step)
      for (int k = 0; k < step; ++k)
        values[k] = discount * (p * values[k + 1] + (1.0f - p) * values[k]);
    out[i] = values[0];
  }
}

void prey_and_predators(double dt, int steps, const double *restrict rates, double *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    const double *rate = rates + 4 * i;
    double prey = 10.0, predators = 5.0, peak = prey;
    for (int k = 0; k < steps; ++k) {
      double born = rate[0] * prey, eaten = rate[1] * prey * predators;
      double grown = rate[2] * prey * predators, died = rate[3] * predators;
      prey += dt * (born - eaten);
      predators += dt * (grown - died);
      peak = prey > peak ? prey : peak;
    }
    out[3 * i] = prey;
    out[3 * i + 1] = predators;
    out[3 * i + 2] = peak;
  }
}

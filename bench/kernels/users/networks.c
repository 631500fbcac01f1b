// Layers of neural networks in OpenMP C: a loop over rows.
#include "common.h"
#include <math.h>
#include <stdint.h>

void layer_norm(const float *restrict x, const float *restrict weight, const float *restrict bias, float *restrict out,
                int rows, int columns) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    const float *from = x + row * columns;
    float *to = out + row * columns;
    float sum = 0.0f, squares = 0.0f;
    SIMD_SUM(sum)
    for (int k = 0; k < columns; ++k)
      sum += from[k];
    float mean = sum / columns;
    SIMD_SUM(squares)
    for (int k = 0; k < columns; ++k)
      squares += (from[k] - mean) * (from[k] - mean);
    float scale = 1.0f / sqrtf(squares / columns + 1e-5f);
    SIMD for (int k = 0; k < columns; ++k) to[k] = (from[k] - mean) * scale * weight[k] + bias[k];
  }
}

static void softmax_rows(const float *restrict x, float *restrict out, int rows, int columns) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    const float *from = x + row * columns;
    float *to = out + row * columns;
    float largest = from[0], total = 0.0f;
    for (int k = 1; k < columns; ++k)
      largest = fmaxf(largest, from[k]);
    for (int k = 0; k < columns; ++k) {
      to[k] = expf(from[k] - largest);
      total += to[k];
    }
    for (int k = 0; k < columns; ++k)
      to[k] /= total;
  }
}

void softmax_block(const float *restrict x, float *restrict out, int rows, int columns) {
  softmax_rows(x, out, rows, columns);
}

void softmax_warp(const float *restrict x, float *restrict out, int rows, int columns) {
  softmax_rows(x, out, rows, columns);
}

void rms_norm_warp(const float *restrict x, const float *restrict weight, float *restrict out, int rows, int columns) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    float squares = 0.0f;
    SIMD_SUM(squares)
    for (int k = 0; k < columns; ++k)
      squares += x[row * columns + k] * x[row * columns + k];
    float scale = 1.0f / sqrtf(squares / columns + 1e-6f);
    SIMD for (int k = 0; k < columns; ++k) out[row * columns + k] = x[row * columns + k] * scale * weight[k];
  }
}

void rotary(const float *restrict cosine, const float *restrict sine, float *restrict q, int tokens, int heads,
            int half) {
#pragma omp parallel for
  for (int token = 0; token < tokens; ++token)
    for (int head = 0; head < heads; ++head) {
      float *first = q + (token * heads + head) * 2 * half, *second = first + half;
      SIMD for (int k = 0; k < half; ++k) {
        float a = first[k], b = second[k], c = cosine[token * half + k], s = sine[token * half + k];
        first[k] = a * c - b * s;
        second[k] = b * c + a * s;
      }
    }
}

void rotary_pairs(double base, float *restrict q, int tokens, int heads, int half) {
#pragma omp parallel for
  for (int token = 0; token < tokens; ++token)
    for (int head = 0; head < heads; ++head)
      for (int k = 0; k < half; ++k) {
        float *at = q + ((token * heads + head) * half + k) * 2, a = at[0], b = at[1];
        double angle = token * pow(base, -2.0 * k / (2 * half)), c = cos(angle), s = sin(angle);
        at[0] = a * c - b * s;
        at[1] = a * s + b * c;
      }
}

void int8_matvec(float x_scale, const int8_t *restrict weights, const float *restrict scales, const int8_t *restrict x,
                 float *restrict out, int rows, int columns) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    int total = 0;
    for (int k = 0; k < columns; ++k)
      total += weights[row * columns + k] * x[k];
    out[row] = total * scales[row] * x_scale;
  }
}

void int8_groups(const int8_t *restrict weights, const float *restrict scales, const float *restrict x,
                 float *restrict out, int rows, int groups) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    float total = 0.0f;
    for (int group = 0; group < groups; ++group) {
      float sum = 0.0f;
      SIMD_SUM(sum)
      for (int k = 0; k < 32; ++k)
        sum += weights[(row * groups + group) * 32 + k] * x[group * 32 + k];
      total += scales[row * groups + group] * sum;
    }
    out[row] = total;
  }
}

void half_axpy(float a, const _Float16 *restrict x, _Float16 *restrict y, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i)
    y[i] = a * x[i] + y[i];
}

void half_dot(const _Float16 *restrict x, const _Float16 *restrict y, float *restrict out, int n) {
  float total = 0.0f;
  PARALLEL_SUM(total)
  for (int i = 0; i < n; ++i)
    total += (float)x[i] * (float)y[i];
  *out += total;
}

void half_bias_relu(const _Float16 *restrict x, const _Float16 *restrict scale, const _Float16 *restrict bias,
                    _Float16 *restrict out, int rows, int channels) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row)
    SIMD for (int k = 0; k < channels; ++k) {
      _Float16 value = x[row * channels + k] * scale[k] + bias[k];
      out[row * channels + k] = value < 0 ? 0 : value;
    }
}

void bias_gelu(const float *restrict x, const float *restrict bias, float *restrict out, int rows, int columns) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i)
    SIMD for (int j = 0; j < columns; ++j) {
      float v = x[i * columns + j] + bias[j];
      out[i * columns + j] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
    }
}

void embedding_bag(const float *restrict table, const int *restrict tokens, float *restrict out, int bags, int count,
                   int width) {
#pragma omp parallel for
  for (int bag = 0; bag < bags; ++bag) {
    float *to = out + bag * width;
    for (int k = 0; k < width; ++k)
      to[k] = 0.0f;
    for (int j = 0; j < count; ++j) {
      const float *row = table + tokens[bag * count + j] * width;
      SIMD for (int k = 0; k < width; ++k) to[k] += row[k];
    }
  }
}

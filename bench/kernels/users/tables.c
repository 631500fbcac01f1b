// Tables, graphs, queues and records in OpenMP C.
#include "common.h"
#include <stdint.h>

void group_by(const int *restrict keys, const float *restrict values, int *restrict counts, double *restrict sums,
              float *restrict least, float *restrict largest, int n, int groups) {
#pragma omp parallel for reduction(+ : counts[ : groups], sums[ : groups]) reduction(min : least[ : groups])           \
    reduction(max : largest[ : groups])
  for (int i = 0; i < n; ++i) {
    int key = keys[i];
    ++counts[key];
    sums[key] += values[i];
    if (values[i] < least[key])
      least[key] = values[i];
    if (values[i] > largest[key])
      largest[key] = values[i];
  }
}

void join_sorted(const int *restrict keys, const int *restrict payload, const int *restrict wanted, int *restrict out,
                 int n, int count) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    int low = 0, high = count - 1, found = -1;
    while (low <= high) {
      int middle = (low + high) / 2;
      if (keys[middle] == wanted[i]) {
        found = middle;
        break;
      }
      if (keys[middle] < wanted[i])
        low = middle + 1;
      else
        high = middle - 1;
    }
    out[i] = found >= 0 ? payload[found] : -1;
  }
}

void hash_probe(const int *restrict slots, const float *restrict payload, const int *restrict wanted,
                float *restrict out, int n, int size) {
  int mask = size - 1;
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    int key = wanted[i], at = ((uint32_t)key * 2654435761u >> 7) & mask;
    while (slots[at] != key && slots[at] != -1)
      at = (at + 1) & mask;
    out[i] = slots[at] == key ? payload[at] : 0.0f;
  }
}

void pagerank(double damping, const int *restrict offsets, const int *restrict sources, const int *restrict degrees,
              const double *restrict rank, double *restrict out, int n) {
#pragma omp parallel for
  for (int v = 0; v < n; ++v) {
    double total = 0.0;
    SIMD_SUM(total)
    for (int e = offsets[v]; e < offsets[v + 1]; ++e)
      total += rank[sources[e]] / degrees[sources[e]];
    out[v] = (1.0 - damping) / n + damping * total;
  }
}

void spread_labels(const int *restrict offsets, const int *restrict neighbours, const int *restrict labels,
                   int *restrict out, int *restrict changed, int n) {
  int count = 0;
#pragma omp parallel for reduction(+ : count)
  for (int v = 0; v < n; ++v) {
    int least = labels[v];
    for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
      int label = labels[neighbours[e]];
      least = label < least ? label : least;
    }
    out[v] = least;
    count += least != labels[v];
  }
  *changed += count;
}

void bfs_level(int level, const int *restrict offsets, const int *restrict neighbours, int *restrict levels,
               int *restrict more, int n) {
#pragma omp parallel for
  for (int v = 0; v < n; ++v)
    if (levels[v] == level)
      for (int e = offsets[v]; e < offsets[v + 1]; ++e)
        if (levels[neighbours[e]] == -1) {
          levels[neighbours[e]] = level + 1;
          *more = 1;
        }
}

void triangles(const int *restrict offsets, const int *restrict neighbours, int *restrict out, int n) {
#pragma omp parallel for
  for (int v = 0; v < n; ++v) {
    int count = 0;
    for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
      int w = neighbours[e], a = e + 1, b = offsets[w];
      while (a < offsets[v + 1] && b < offsets[w + 1])
        if (neighbours[a] == neighbours[b]) {
          ++count;
          ++a;
          ++b;
        } else if (neighbours[a] < neighbours[b])
          ++a;
        else
          ++b;
    }
    out[v] = count;
  }
}

void compact_ballot(float limit, const float *restrict values, int *restrict out, int *restrict count, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (values[i] > limit) {
      int at;
#pragma omp atomic capture
      at = (*count)++;
      out[at] = i;
    }
}

void two_queues(const int *restrict costs, int *restrict small, int *restrict large, int *restrict ends, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int at;
    if (costs[i] < 16) {
#pragma omp atomic capture
      at = ends[0]++;
      small[at] = i;
    } else {
#pragma omp atomic capture
      at = ends[1]++;
      large[at] = i;
    }
  }
}

typedef struct __attribute__((packed)) {
  int64_t id;
  uint16_t stock;
  uint8_t buys, state;
  float limit;
  int open;
} Order;

void fill_orders(Order *restrict orders, const float *restrict prices, double *restrict filled, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    Order *order = orders + i;
    float price = prices[order->stock];
    int done = order->buys == 1 ? price <= order->limit : price >= order->limit;
    if (done && order->open > 0) {
      filled[i] = (double)price * order->open;
      order->open = 0;
      order->state = 2;
    } else
      filled[i] = 0.0;
  }
}

typedef struct {
  uint8_t status;
  double gain, offset;
  int16_t readings[4];
  int64_t time;
} Sensor;

void mean_readings(const Sensor *restrict sensors, double *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    const Sensor *s = sensors + i;
    if (s->status & 1) {
      double total = 0.0;
      for (int k = 0; k < 4; ++k)
        total += s->gain * s->readings[k] + s->offset;
      out[i] = total / 4;
    } else
      out[i] = -1.0;
  }
}

void cell_counts(const float *restrict points, float size, int *restrict cells, int n, int columns) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int x = points[2 * i] * size, y = points[2 * i + 1] * size;
#pragma omp atomic
    ++cells[y * columns + x];
  }
}

// Bytes and texts in OpenMP C.
#include "common.h"
#include <stdint.h>

enum { LENGTH = 16 };

void upper(const unsigned char *restrict text, unsigned char *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i)
    out[i] = text[i] >= 'a' && text[i] <= 'z' ? text[i] - 32 : text[i];
}

void find(const unsigned char *restrict text, const unsigned char *restrict pattern, unsigned char *restrict out, int n,
          int length) {
  PARALLEL_FOR
  for (int i = 0; i < n - length + 1; ++i) {
    int j = 0;
    while (j < length && text[i + j] == pattern[j])
      ++j;
    out[i] = j == length;
  }
}

void fnv(const unsigned char *restrict records, uint32_t *restrict out, int n, int width) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    uint32_t h = 2166136261u;
    for (int k = 0; k < width; ++k)
      h = (h ^ records[i * width + k]) * 16777619u;
    out[i] = h;
  }
}

static inline int smaller(int a, int b) { return a < b ? a : b; }

void levenshtein(const unsigned char *restrict first, const unsigned char *restrict second, int *restrict out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int row[LENGTH + 1];
    for (int k = 0; k <= LENGTH; ++k)
      row[k] = k;
    for (int j = 0; j < LENGTH; ++j) {
      int diagonal = row[0];
      row[0] = j + 1;
      for (int k = 0; k < LENGTH; ++k) {
        int cost = first[i * LENGTH + j] != second[i * LENGTH + k];
        int best = smaller(smaller(row[k], row[k + 1]) + 1, diagonal + cost);
        diagonal = row[k + 1];
        row[k + 1] = best;
      }
    }
    out[i] = row[LENGTH];
  }
}

// A reduction, which is what C has for a sum over all threads.
void words(const unsigned char *restrict text, int *restrict count, int n) {
  int total = 0;
  PARALLEL_SUM(total)
  for (int i = 0; i < n; ++i)
    total += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
  *count += total;
}

void hamming(const uint64_t *restrict codes, const uint64_t *restrict wanted, int *restrict out, int n, int width) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    int differing = 0;
    for (int k = 0; k < width; ++k)
      differing += __builtin_popcountll(codes[i * width + k] ^ wanted[k]);
    out[i] = differing;
  }
}

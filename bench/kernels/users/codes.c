// Codes in OpenMP C: bits, checksums, texts, dates, and small sorts.
#include "common.h"
#include <stdint.h>
#include <string.h>

enum { DIGITS = 8, SIZE = 16, SORTED = 512 };

void base64_encode(const unsigned char *restrict data, const char *restrict alphabet, char *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    unsigned word = data[3 * i] << 16 | data[3 * i + 1] << 8 | data[3 * i + 2];
    out[4 * i] = alphabet[word >> 18];
    out[4 * i + 1] = alphabet[word >> 12 & 63];
    out[4 * i + 2] = alphabet[word >> 6 & 63];
    out[4 * i + 3] = alphabet[word & 63];
  }
}

void utf8_lengths(const unsigned char *restrict text, const int *restrict offsets, int *restrict out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int length = 0;
    for (int k = offsets[i]; k < offsets[i + 1]; ++k)
      length += (text[k] & 0xC0) != 0x80;
    out[i] = length;
  }
}

void parse_numbers(const char *restrict fields, int *restrict out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int value = 0, negative = 0;
    for (int k = 0; k < DIGITS; ++k) {
      char c = fields[i * DIGITS + k];
      if (c == '-')
        negative = 1;
      else if (c >= '0' && c <= '9')
        value = 10 * value + c - '0';
    }
    out[i] = negative ? -value : value;
  }
}

void tokens(const unsigned char *restrict classes, const unsigned char *restrict moves,
            const unsigned char *restrict lines, int *restrict out, int n, int length, int kinds, int states) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int state = 0, count = 0;
    for (int k = 0; k < length; ++k) {
      state = moves[state * kinds + classes[lines[i * length + k]]];
      count += state == states - 1;
    }
    out[i] = count;
  }
}

void civil_dates(const int *restrict days, int *restrict year, int *restrict month, int *restrict day, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    int z = days[i] + 719468, era = (z >= 0 ? z : z - 146096) / 146097;
    unsigned doe = z - era * 146097;
    unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    unsigned mp = (5 * doy + 2) / 153, m = mp < 10 ? mp + 3 : mp - 9;
    year[i] = (int)yoe + era * 400 + (m <= 2);
    month[i] = m;
    day[i] = doy - (153 * mp + 2) / 5 + 1;
  }
}

void weekdays(const int16_t *restrict year, const int8_t *restrict month, const int8_t *restrict day,
              int8_t *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    int y = year[i], m = month[i];
    if (m < 3) {
      m += 12;
      --y;
    }
    out[i] = (day[i] + 13 * (m + 1) / 5 + y + y / 4 - y / 100 + y / 400) % 7;
  }
}

static inline uint32_t spread_bits(uint32_t v) {
  v = (v | v << 16) & 0x030000FFu;
  v = (v | v << 8) & 0x0300F00Fu;
  v = (v | v << 4) & 0x030C30C3u;
  return (v | v << 2) & 0x09249249u;
}

static inline uint32_t cell(float x) {
  x *= 1024.0f;
  return x < 0.0f ? 0 : x > 1023.0f ? 1023 : (uint32_t)x;
}

void morton3(const float *restrict points, uint32_t *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i)
    out[i] = spread_bits(cell(points[3 * i])) * 4 + spread_bits(cell(points[3 * i + 1])) * 2 +
             spread_bits(cell(points[3 * i + 2]));
}

void gray_decode(const uint32_t *restrict codes, uint32_t *restrict out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    uint32_t value = codes[i];
    for (uint32_t g = value >> 1; g != 0; g >>= 1)
      value ^= g;
    out[i] = value;
  }
}

void reverse_bits(const uint32_t *restrict words, uint32_t *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    uint32_t word = words[i], reverse = 0;
    for (int k = 0; k < 32; ++k) {
      reverse = reverse << 1 | (word & 1);
      word >>= 1;
    }
    out[i] = reverse;
  }
}

void crc32_rows(const uint32_t *restrict table, const unsigned char *restrict rows, uint32_t *restrict out, int n,
                int width) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    uint32_t crc = 0xFFFFFFFFu;
    for (int k = 0; k < width; ++k)
      crc = table[(crc ^ rows[i * width + k]) & 0xFF] ^ crc >> 8;
    out[i] = crc ^ 0xFFFFFFFFu;
  }
}

void count_ones(const uint64_t *restrict words, unsigned char *restrict out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int count = 0;
    for (uint64_t word = words[i]; word; word &= word - 1)
      ++count;
    out[i] = count;
  }
}

void sort_rows16(const float *restrict rows, float *restrict out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float row[SIZE];
    for (int k = 0; k < SIZE; ++k) {
      float value = rows[i * SIZE + k];
      int j = k - 1;
      for (; j >= 0 && row[j] > value; --j)
        row[j + 1] = row[j];
      row[j + 1] = value;
    }
    memcpy(out + i * SIZE, row, sizeof row);
  }
}

// The same network of comparisons.
void bitonic_sort(const int *restrict values, int *restrict out, int n) {
#pragma omp parallel for
  for (int start = 0; start < n; start += SORTED) {
    int *part = out + start;
    memcpy(part, values + start, SORTED * sizeof *part);
    for (int size = 2; size <= SORTED; size *= 2)
      for (int stride = size / 2; stride > 0; stride /= 2)
        SIMD for (int t = 0; t < SORTED / 2; ++t) {
          int low = 2 * t - (t & (stride - 1)), high = low + stride;
          int a = part[low], b = part[high];
          if ((a > b) == ((low & size) == 0)) {
            part[low] = b;
            part[high] = a;
          }
        }
  }
}

void run_lengths(const unsigned char *restrict text, unsigned char *restrict out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int k = i;
    while (k > 0 && text[k - 1] == text[i] && i - k < 254)
      --k;
    out[i] = i - k + 1;
  }
}

// A histogram of bytes in OpenMP C: each thread has its own counts.
void histogram(const unsigned char *restrict values, int *restrict counts, int n) {
#pragma omp parallel for reduction(+ : counts[ : 256])
  for (int i = 0; i < n; ++i)
    ++counts[values[i]];
}

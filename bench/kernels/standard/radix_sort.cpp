// A sort by the standard library.
#include <algorithm>

extern "C" void radix_sort(const unsigned *keys, unsigned *out, unsigned *, int n) {
  std::copy(keys, keys + n, out);
  std::sort(out, out + n);
}

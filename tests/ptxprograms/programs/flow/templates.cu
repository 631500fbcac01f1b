// Templates: sizes and types known at compile time, unrolled loops, functions as arguments.
#include "program.h"

template <class T, int size> struct Vector {
  T at[size];
  __device__ T dot(const Vector &other) const {
    T sum = 0;
#pragma unroll
    for (int i = 0; i < size; ++i)
      sum += at[i] * other.at[i];
    return sum;
  }
};
template <class T, int size, class F> __device__ Vector<T, size> apply(const Vector<T, size> &v, F f) {
  Vector<T, size> result;
#pragma unroll
  for (int i = 0; i < size; ++i)
    result.at[i] = f(v.at[i], i);
  return result;
}
template <int n> struct Power {
  static __device__ int of(int x) { return x * Power<n - 1>::of(x); }
};
template <> struct Power<0> {
  static __device__ int of(int) { return 1; }
};

template <class T, int size> static __device__ T norm(const T *in) {
  Vector<T, size> v;
  for (int i = 0; i < size; ++i)
    v.at[i] = in[i];
  const auto w = apply(v, [=](T x, int at) { return x + T(at) * v.at[0]; });
  return v.dot(w);
}

KERNEL void templates(const int *in, const double *doubles, int *out, double *wide) {
  const int i = threadNumber();
  out[2 * i] = norm<int, 5>(in + i);
  out[2 * i + 1] = Power<7>::of(in[i]);
  wide[i] = norm<double, 3>(doubles + i);
}

/* launches
launch("templates", 2, 32, integers("i4", 70, -50, 50), doubles(70), zeros("i4", 128), zeros("f8", 64))
*/

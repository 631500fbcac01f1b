// Vectors of two to four numbers, and loads and stores with hints, which on the host are plain ones.
#pragma once

#define HOST_VECTORS(type, name, alignment2, alignment4)                                                               \
  struct alignas(alignment2) name##2 { type x, y; };                                                                   \
  struct name##3 { type x, y, z; };                                                                                    \
  struct alignas(alignment4) name##4 { type x, y, z, w; };                                                             \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; }                                                     \
  inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                                          \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
HOST_VECTORS(signed char, char, 2, 4)
HOST_VECTORS(unsigned char, uchar, 2, 4)
HOST_VECTORS(short, short, 4, 8)
HOST_VECTORS(unsigned short, ushort, 4, 8)
HOST_VECTORS(int, int, 8, 16)
HOST_VECTORS(unsigned, uint, 8, 16)
HOST_VECTORS(float, float, 8, 16)
HOST_VECTORS(double, double, 16, 16)
HOST_VECTORS(long long, longlong, 16, 16)
HOST_VECTORS(unsigned long long, ulonglong, 16, 16)
#undef HOST_VECTORS

#define HOST_LOAD(name)                                                                                                \
  template <class T> T name(const T *from) { return *from; }
HOST_LOAD(__ldg)
HOST_LOAD(__ldca)
HOST_LOAD(__ldcg)
HOST_LOAD(__ldcs)
HOST_LOAD(__ldlu)
HOST_LOAD(__ldcv)
#undef HOST_LOAD
#define HOST_STORE(name)                                                                                               \
  template <class T> void name(T *to, T value) { *to = value; }
HOST_STORE(__stwb)
HOST_STORE(__stcg)
HOST_STORE(__stcs)
HOST_STORE(__stwt)
#undef HOST_STORE

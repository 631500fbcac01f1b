// Atomic functions: one thread runs at a time and gives way only where it waits, so plain code is atomic.
#pragma once

namespace host {
template <class T> struct Same {
  using Type = T;
};
/// A parameter that takes no part in deduction.
template <class T> using Fixed = typename Same<T>::Type;
} // namespace host

#define HOST_ATOMIC(name, expression)                                                                                  \
  template <class T> T name(T *where, host::Fixed<T> value) {                                                          \
    const T old = *where;                                                                                              \
    *where = expression;                                                                                               \
    return old;                                                                                                        \
  }                                                                                                                    \
  template <class T> T name##_block(T *where, host::Fixed<T> value) { return name(where, value); }                     \
  template <class T> T name##_system(T *where, host::Fixed<T> value) { return name(where, value); }
HOST_ATOMIC(atomicAdd, static_cast<T>(old + value))
HOST_ATOMIC(atomicSub, static_cast<T>(old - value))
HOST_ATOMIC(atomicMin, value < old ? value : old)
HOST_ATOMIC(atomicMax, old < value ? value : old)
HOST_ATOMIC(atomicAnd, old &value)
HOST_ATOMIC(atomicOr, old | value)
HOST_ATOMIC(atomicXor, old ^ value)
HOST_ATOMIC(atomicExch, value)
HOST_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
HOST_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1)
#undef HOST_ATOMIC

template <class T> T atomicCAS(T *where, host::Fixed<T> compare, host::Fixed<T> value) {
  const T old = *where;
  if (old == compare)
    *where = value;
  return old;
}
template <class T> T atomicCAS_block(T *where, host::Fixed<T> compare, host::Fixed<T> value) {
  return atomicCAS(where, compare, value);
}
template <class T> T atomicCAS_system(T *where, host::Fixed<T> compare, host::Fixed<T> value) {
  return atomicCAS(where, compare, value);
}

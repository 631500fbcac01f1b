// Vectors of one instruction set level, for our own routines: each .cpp here is compiled once per level, with
// TREADLE_ISA naming it (sse, avx2, avx512) and the flags of x86-64-v2, v3, v4.
#pragma once

// No standard headers: an inline function of theirs, compiled with AVX-512 here, could be the copy that the linker
// keeps for everybody. For the same reason all that is defined in this folder but the routines is static or anonymous.

#if defined(__AVX512F__)
#define TREADLE_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define TREADLE_VECTOR_BYTES 32
#else
#define TREADLE_VECTOR_BYTES 16
#endif

/// The symbol of routine `name` for element type `type` (f32, i64, ...) at this level, as vectorRoutine() says it.
#define TREADLE_ROUTINE(name, type) TREADLE_ROUTINE_AT(name, type, TREADLE_ISA)
#define TREADLE_ROUTINE_AT(name, type, isa) TREADLE_ROUTINE_PASTE(name, type, isa)
#define TREADLE_ROUTINE_PASTE(name, type, isa) treadle_vm_##name##_##type##_##isa

namespace {

using int32_t = int;
using uint32_t = unsigned;
using int64_t = long;
using uint64_t = unsigned long;

template <typename T, int count> using Vector = T __attribute__((ext_vector_type(count)));

template <typename T> constexpr int lanes = TREADLE_VECTOR_BYTES / int(sizeof(T));
/// One full register.
template <typename T> using Full = Vector<T, lanes<T>>;

using F32 = Full<float>;
using F64 = Full<double>;
using I32 = Full<int32_t>;
using U32 = Full<uint32_t>;
using I64 = Full<int64_t>;
using U64 = Full<uint64_t>;

template <typename To, typename From> [[gnu::always_inline]] inline To bitcast(From value) {
  return __builtin_bit_cast(To, value);
}
template <typename To, typename From> [[gnu::always_inline]] inline To convert(From value) {
  return __builtin_convertvector(value, To);
}

/// `mask` is all ones or all zeros in each lane.
template <typename Mask> [[gnu::always_inline]] inline bool any(Mask mask) {
  return __builtin_reduce_or(mask) != 0;
}

/// The two halves of a vector.
template <typename T, int count> [[gnu::always_inline]] inline Vector<T, count / 2> low(Vector<T, count> v) {
  return v.lo;
}
template <typename T, int count> [[gnu::always_inline]] inline Vector<T, count / 2> high(Vector<T, count> v) {
  return v.hi;
}
template <typename T, int count>
[[gnu::always_inline]] inline Vector<T, count * 2> join(Vector<T, count> lo, Vector<T, count> hi) {
  Vector<T, count * 2> both;
  both.lo = lo;
  both.hi = hi;
  return both;
}

} // namespace

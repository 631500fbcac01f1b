// Calls vector routines over arrays, for the accuracy tests: a C interface that Python opens with ctypes.
#include "codegen/cpu/lanes/vector_math.h"
#include "codegen/math_table.h"
#include "math/own_routines.h"
#include "math/routine_address.h"

#include <chrono>
#include <cstring>
#include <immintrin.h>

using namespace treadle;
using namespace treadle::codegen;

namespace {

/// One routine and the arrays it is to be called over; their length is a multiple of its lanes.
struct Run {
  void *routine;
  unsigned operands;
  const void *left, *right;
  void *results;
  size_t bytes;
};

#define TREADLE_CALLER(name, V, level)                                                                                 \
  __attribute__((target(level))) void name(const Run &run) {                                                           \
    for (size_t offset = 0; offset < run.bytes; offset += sizeof(V)) {                                                 \
      V left, right, result;                                                                                           \
      std::memcpy(&left, static_cast<const char *>(run.left) + offset, sizeof left);                                   \
      if (run.operands == 2) {                                                                                         \
        std::memcpy(&right, static_cast<const char *>(run.right) + offset, sizeof right);                              \
        result = reinterpret_cast<V (*)(V, V)>(run.routine)(left, right);                                              \
      } else {                                                                                                         \
        result = reinterpret_cast<V (*)(V)>(run.routine)(left);                                                        \
      }                                                                                                                \
      std::memcpy(static_cast<char *>(run.results) + offset, &result, sizeof result);                                  \
    }                                                                                                                  \
  }

// The element type does not matter to the calling convention, the register's width does.
TREADLE_CALLER(callSse, __m128, "sse4.2")
TREADLE_CALLER(callAvx2, __m256, "avx2")
TREADLE_CALLER(callAvx512, __m512, "avx512f")

template <typename T> void callScalar(const Run &run) {
  auto *left = static_cast<const T *>(run.left), *right = static_cast<const T *>(run.right);
  auto *results = static_cast<T *>(run.results);
  for (size_t i = 0; i < run.bytes / sizeof(T); ++i)
    results[i] = run.operands == 2 ? reinterpret_cast<T (*)(T, T)>(run.routine)(left[i], right[i])
                                   : reinterpret_cast<T (*)(T)>(run.routine)(left[i]);
}

void call(VectorIsa isa, const Run &run) {
  constexpr void (*callers[])(const Run &) = {callSse, callAvx2, callAvx512};
  callers[static_cast<unsigned>(isa)](run);
}

} // namespace

extern "C" {

#define TREADLE_TEST_API __attribute__((visibility("default")))

/// Highest VectorIsa of this machine.
TREADLE_TEST_API unsigned treadle_test_isa() {
  if (__builtin_cpu_supports("x86-64-v4"))
    return 2;
  return __builtin_cpu_supports("x86-64-v3") ? 1 : 0;
}

/// The routine for an operation, given by the text that dumps print for it; 0 where there is none.
TREADLE_TEST_API void *treadle_test_routine(const char *text, const char *type, unsigned isa, bool fast,
                                            unsigned *stated) {
  using Element = VectorRequest::Element;
  Element element = type[0] == 'f' ? Element::Float : type[0] == 'i' ? Element::Signed : Element::Unsigned;
  unsigned bits = type[1] == '3' ? 32 : 64;
  VectorRequest request{Operation::Convert, element, bits, static_cast<VectorIsa>(isa), fast};
  std::optional<VectorRoutine> routine;
  if (std::strcmp(text, "quotient") == 0 || std::strcmp(text, "remainder") == 0)
    routine = vectorDivision(request, text[0] == 'r');
  for (unsigned op = 0; op <= static_cast<unsigned>(Operation::GridSizeZ) && !routine; ++op) {
    request.operation = static_cast<Operation>(op);
    if (operationText(request.operation) == text)
      routine = vectorRoutine(request);
  }
  if (!routine)
    return nullptr;
  *stated = routine->ulp;
  return math::routineAddress(routine->symbol);
}

/// One of our own routines, chosen or not; 0 where there is none.
TREADLE_TEST_API void *treadle_test_own(const char *symbol) {
  for (const math::OwnRoutine &row : math::ownRoutines)
    if (row.symbol == symbol)
      return reinterpret_cast<void *>(row.address);
  return nullptr;
}

TREADLE_TEST_API void treadle_test_call(void *routine, unsigned isa, unsigned operands, const void *left,
                                        const void *right, void *results, size_t bytes) {
  call(static_cast<VectorIsa>(isa), {routine, operands, left, right, results, bytes});
}

/// The same for a function of one element.
TREADLE_TEST_API void treadle_test_call_scalar(void *function, unsigned bits, unsigned operands, const void *left,
                                               const void *right, void *results, size_t bytes) {
  Run run{function, operands, left, right, results, bytes};
  bits == 32 ? callScalar<float>(run) : callScalar<double>(run);
}

/// What the math table says: CUDA's bound, and the distance of our own device function.
TREADLE_TEST_API bool treadle_test_bounds(const char *name, unsigned bits, unsigned *bound, unsigned *own) {
  for (const codegen::MathFunction &function : codegen::mathFunctions()) {
    if (function.name != name)
      continue;
    *bound = bits == 32 ? function.bound32 : function.bound64;
    *own = bits == 32 ? function.own32 : function.own64;
    return true;
  }
  return false;
}

/// Nanoseconds of one pass over the arrays: the quickest of some.
TREADLE_TEST_API double treadle_test_time(void *routine, unsigned isa, unsigned operands, const void *left,
                                          const void *right, void *results, size_t bytes) {
  using Clock = std::chrono::steady_clock;
  Run run{routine, operands, left, right, results, bytes};
  double best = 1e30;
  for (int repetition = 0; repetition < 30; ++repetition) {
    Clock::time_point start = Clock::now();
    call(static_cast<VectorIsa>(isa), run);
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  }
  return best;
}
}

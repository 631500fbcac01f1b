// Native bodies of the stand-in's kernels.
#include "kernels.h"

#include <cstring>

namespace fakecuda {

namespace {

using Arguments = const KernelArguments &;

constexpr size_t word = 4; ///< bytes of every kernel's elements

template <class T> T *as(std::byte *bytes) { return reinterpret_cast<T *>(bytes); }

Access reads(Arguments a, size_t pointer, size_t count) {
  return {a.pointer(pointer), a.count(count) * word, AccessKind::Read};
}
Access writes(Arguments a, size_t pointer, size_t count) {
  return {a.pointer(pointer), a.count(count) * word, AccessKind::Write};
}

CUresult fill(Arguments a, Views v) { // out, value, n
  for (uint64_t i = 0; i < a.count(2); ++i)
    as<float>(v[0])[i] = a.get<float>(1);
  return CUDA_SUCCESS;
}

CUresult copy(Arguments a, Views v) { // out, in, n
  std::memmove(v[0], v[1], a.count(2) * word);
  return CUDA_SUCCESS;
}

CUresult axpy(Arguments a, Views v) { // n, a, x, y: y += a x
  for (uint64_t i = 0; i < a.count(0); ++i)
    as<float>(v[1])[i] += a.get<float>(1) * as<float>(v[0])[i];
  return CUDA_SUCCESS;
}

CUresult add(Arguments a, Views v) { // out, left, right, n
  for (uint64_t i = 0; i < a.count(3); ++i)
    as<float>(v[0])[i] = as<float>(v[1])[i] + as<float>(v[2])[i];
  return CUDA_SUCCESS;
}

CUresult scale(Arguments a, Views v) { // x, factor, n
  for (uint64_t i = 0; i < a.count(2); ++i)
    as<float>(v[0])[i] *= a.get<float>(1);
  return CUDA_SUCCESS;
}

CUresult writeFlag(Arguments a, Views v) { // flag, value
  *as<uint32_t>(v[0]) = a.get<uint32_t>(1);
  return CUDA_SUCCESS;
}

bool flagIsSet(Arguments a, Views v) { // flag, value
  return __atomic_load_n(as<uint32_t>(v[0]), __ATOMIC_ACQUIRE) == a.get<uint32_t>(1);
}

CUresult increment(Arguments a, Views v) { // x, n
  for (uint64_t i = 0; i < a.count(1); ++i)
    ++as<int32_t>(v[0])[i];
  return CUDA_SUCCESS;
}

CUresult sum(Arguments a, Views v) { // out, in, n
  float total = 0;
  for (uint64_t i = 0; i < a.count(2); ++i)
    total += as<float>(v[1])[i];
  *as<float>(v[0]) = total;
  return CUDA_SUCCESS;
}

CUresult iota(Arguments a, Views v) { // out, n
  for (uint64_t i = 0; i < a.count(1); ++i)
    as<int32_t>(v[0])[i] = static_cast<int32_t>(i);
  return CUDA_SUCCESS;
}

CUresult readModifyWrite(Arguments a, Views v) { // x, n: x = 2 x + 1, which does not commute with increment
  for (uint64_t i = 0; i < a.count(1); ++i)
    as<int32_t>(v[0])[i] = 2 * as<int32_t>(v[0])[i] + 1;
  return CUDA_SUCCESS;
}

CUresult nothing(Arguments, Views) { return CUDA_SUCCESS; }
CUresult trap(Arguments, Views) { return CUDA_ERROR_LAUNCH_FAILED; }
std::vector<Access> noAccess(Arguments) { return {}; }

/// A function, so that the table of vectors is never destroyed.
const std::vector<NativeKernel> &kernels() {
  static const auto &table = *new std::vector<NativeKernel>{
      {"fill", {8, 4, 4}, [](Arguments a) { return std::vector{writes(a, 0, 2)}; }, fill},
      {"copy", {8, 8, 4}, [](Arguments a) { return std::vector{writes(a, 0, 2), reads(a, 1, 2)}; }, copy},
      {"axpy", {4, 4, 8, 8}, [](Arguments a) { return std::vector{reads(a, 2, 0), writes(a, 3, 0)}; }, axpy},
      {"add",
       {8, 8, 8, 4},
       [](Arguments a) { return std::vector{writes(a, 0, 3), reads(a, 1, 3), reads(a, 2, 3)}; },
       add},
      {"scale", {8, 4, 4}, [](Arguments a) { return std::vector{writes(a, 0, 2)}; }, scale},
      {"write_flag",
       {8, 4},
       [](Arguments a) { return std::vector{Access{a.pointer(0), word, AccessKind::Write}}; },
       writeFlag},
      // Deliberately polls unordered writes: no access for the race checker.
      {"wait_flag", {8, 4}, noAccess, nothing, flagIsSet},
      {"increment", {8, 4}, [](Arguments a) { return std::vector{writes(a, 0, 1)}; }, increment},
      {"sum",
       {8, 8, 4},
       [](Arguments a) { return std::vector{Access{a.pointer(0), word, AccessKind::Write}, reads(a, 1, 2)}; },
       sum},
      {"iota", {8, 4}, [](Arguments a) { return std::vector{writes(a, 0, 1)}; }, iota},
      {"read_modify_write", {8, 4}, [](Arguments a) { return std::vector{writes(a, 0, 1)}; }, readModifyWrite},
      {"slow", {4}, noAccess, nothing, nullptr, true},
      {"empty", {}, noAccess, nothing},
      {"trap", {}, noAccess, trap},
  };
  return table;
}

} // namespace

const NativeKernel *nativeKernel(std::string_view name) {
  for (const NativeKernel &kernel : kernels())
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

} // namespace fakecuda

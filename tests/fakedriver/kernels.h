// Kernels with native bodies, identified by the name of the entry or by a `// fake: NAME` line before it.
#pragma once

#include "objects.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace fakecuda {

/// The arguments of one launch.
class KernelArguments {
public:
  KernelArguments(std::vector<std::byte> block, std::vector<size_t> offsets, uint64_t threads)
      : threads(threads), block(std::move(block)), offsets(std::move(offsets)) {}

  template <class T> T get(size_t index) const {
    T value;
    std::memcpy(&value, block.data() + offsets[index], sizeof value);
    return value;
  }
  uint64_t pointer(size_t index) const { return get<uint64_t>(index); }
  /// The number of elements that the launched threads reach: thread i works on element i.
  uint64_t count(size_t index) const { return std::min<uint64_t>(get<uint32_t>(index), threads); }

  const uint64_t threads;

private:
  std::vector<std::byte> block;
  std::vector<size_t> offsets;
};

/// The bytes of the accesses, in order, at addresses that the stand-in can access.
using Views = std::span<std::byte *const>;

struct NativeKernel {
  const char *name;
  std::vector<size_t> sizes; ///< of its parameters, in bytes
  std::vector<Access> (*accesses)(const KernelArguments &);
  CUresult (*run)(const KernelArguments &, Views);
  bool (*ready)(const KernelArguments &, Views) = nullptr; ///< null: always
  bool isSlow = false;                                     ///< argument 0 is the number of queries it outlasts
};

/// Null if there is none.
const NativeKernel *nativeKernel(std::string_view name);

} // namespace fakecuda

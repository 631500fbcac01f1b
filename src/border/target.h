// Target: what code is compiled for.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

namespace treadle {

/// Everything about the target that affects generated code; equal targets produce byte-equal images.
struct Target {
  enum class Kind : uint8_t { Ptx, Cpu } kind = Kind::Cpu;
  /// Ptx: compute capability times ten (75, 80, 86, 89, 90).
  unsigned computeCapability = 0;
  /// Cpu: LLVM's feature string ("+avx512f,-avx512er,..."), never a CPU's name.
  std::string features;
  /// Cpu: arrays of at least this size exceed the caches, so stores may bypass them.
  uint64_t largeArrayBytes = uint64_t(16) << 20;
  /// Cpu: lanes per vector: 16 where kernels allow it, or 32; 0: chosen by the generator for each kernel.
  unsigned lanes = 0;
  /// Ptx: a hash of NVIDIA's libdevice if the code contains part of it; 0: none, or Treadle's own device math.
  uint64_t libdevice = 0;

  bool operator==(const Target &) const = default;
};

constexpr auto fieldsOf(const Target *) {
  return std::tuple(&Target::kind, &Target::computeCapability, &Target::features, &Target::largeArrayBytes,
                    &Target::lanes, &Target::libdevice);
}

} // namespace treadle

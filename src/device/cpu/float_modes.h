// DefaultFloatModes: kernels compute in the default floating-point modes, regardless of the calling thread's.
#pragma once

#include <cstdint>
#include <xmmintrin.h>

namespace treadle::cpu {

/// While one lives, its thread rounds to nearest, keeps subnormal numbers and masks all exceptions. Threads inherit the
/// modes of the thread that started them, so workers need it too. A write costs tens of cycles and happens only if the
/// modes differ.
class DefaultFloatModes {
public:
  DefaultFloatModes() : before(_mm_getcsr()) {
    if (!isDefault(before)) [[unlikely]]
      _mm_setcsr(standard);
  }
  ~DefaultFloatModes() {
    if (!isDefault(before)) [[unlikely]]
      _mm_setcsr(before);
  }
  DefaultFloatModes(const DefaultFloatModes &) = delete;
  DefaultFloatModes &operator=(const DefaultFloatModes &) = delete;

private:
  static constexpr uint32_t standard = 0x1f80; ///< every exception masked, nothing else
  static constexpr uint32_t flags = 0x3f;      ///< sticky exception flags, which are not modes
  static bool isDefault(uint32_t modes) { return (modes & ~flags) == standard; }

  const uint32_t before;
};

} // namespace treadle::cpu

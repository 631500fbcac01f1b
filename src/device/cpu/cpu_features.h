// The features of processors, as LLVM names them.
#pragma once

#include "support/export.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::cpu {

/// What a processor and its system say of themselves.
class CpuDescription {
public:
  struct Registers {
    uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  };
  virtual ~CpuDescription() = default;
  /// All 0 for leaves that the processor has not.
  virtual Registers cpuid(uint32_t leaf, uint32_t subleaf) const = 0;
  /// The register XCR0: which registers the system saves. Asked only if cpuid says that it can be read.
  virtual uint64_t savedState() const = 0;
};

/// "+avx,+avx2,...", sorted: what it has, with what that implies; in Target::features' terms, and as LLVM's
/// sys::getHostCPUFeatures has it.
TREADLE_API std::string featuresOf(const CpuDescription &processor);

/// Those of this machine. Detected once: on virtual machines each question to the processor takes some 20 us.
TREADLE_API const std::string &hostFeatures();

/// The features that `wanted` (Target::features) has and `present` has not: what code made for the first may need.
/// Names that no processor reports, such as those by which LLVM tunes code, are no needs.
TREADLE_API std::vector<std::string> missingFeatures(std::string_view wanted, std::string_view present);

/// All names that processors report.
TREADLE_API std::vector<std::string_view> reportedFeatures();

/// With the features that each of them implies, sorted.
TREADLE_API std::vector<std::string_view> withImplied(const std::vector<std::string_view> &features);

} // namespace treadle::cpu

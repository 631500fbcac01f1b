// The processor features, by LLVM's names, that code for the CPU device may use.
#pragma once

#include "support/export.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::cpu {

/// The processor's answers to CPUID, the system's to XGETBV, and what the system says of gathers.
struct CpuidAnswers {
  struct Registers {
    uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  };
  Registers leaf0, leaf1, leaf7, leaf7Subleaf1;
  Registers extended0, extended1; ///< leaves 0x80000000 and 0x80000001
  /// The register XCR0: which registers the system saves at a context switch. 0 if it cannot be read.
  uint64_t savedState = 0;
  /// The microcode makes gathers wait for each other (gather data sampling, CVE-2022-40982), or the system cannot tell.
  bool hasSlowGathers = false;
};

/// "+avx,+avx2,...", sorted, in Target::features' terms. A feature counts if the processor reports it and everything
/// that it implies to LLVM, and if the system saves its registers: hypervisors mask single bits, and old systems do not
/// save newer registers. Of LLVM's tuning flags it has "fast-gather", where gathers are preferred to single loads.
TREADLE_API std::string featuresOf(const CpuidAnswers &answers);

/// Those of this machine. Detected once: on virtual machines each CPUID takes some 20 us.
TREADLE_API const std::string &hostFeatures();

/// The features that `wanted` (Target::features) has and `present` lacks: what code compiled for the former may need.
/// Features that LLVM never uses by itself, and tuning flags, are not needs.
TREADLE_API std::vector<std::string> missingFeatures(std::string_view wanted, std::string_view present);

/// All names that featuresOf may find.
TREADLE_API std::vector<std::string_view> knownFeatures();

/// A known feature and all that it implies, directly or transitively; sorted.
TREADLE_API std::vector<std::string_view> withImplied(std::string_view feature);

} // namespace treadle::cpu

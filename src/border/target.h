// Target: what code is made for. CompileOptions: what a function's decorator specifies about its code.
#pragma once

#include <cstdint>
#include <string>

namespace treadle {

/// Everything about the target that affects generated code; equal targets produce byte-equal images.
struct Target {
  enum class Kind : uint8_t { Ptx, Cpu } kind = Kind::Cpu;
  /// Ptx: compute capability times ten (75, 80, 86, 89, 90).
  unsigned computeCapability = 0;
  /// Cpu: LLVM's feature string ("+avx512f,-avx512er,..."), never a CPU's name.
  std::string features;
  /// Cpu: arrays of at least this size do not stay in the caches, so stores may bypass them.
  uint64_t largeArrayBytes = uint64_t(16) << 20;
  /// Cpu: of a vector: 16 where kernels allow it, or 32; 0: the generator's choice for each kernel.
  unsigned lanes = 0;
  /// Ptx: a hash of NVIDIA's libdevice if the code contains part of it; 0: none, or Treadle's own device math.
  uint64_t libdevice = 0;

  bool operator==(const Target &) const = default;
};

/// Options of one function that change its code; the same for all compilations of a dispatcher.
struct CompileOptions {
  bool debug = false; ///< bounds and division checks
  bool lineInfo = false;
  bool fastMath = false;
  unsigned optimization = 3;
  unsigned maxRegisters = 0;       ///< 0: no limit
  unsigned maxThreadsPerBlock = 0; ///< launch bounds; 0: none
  unsigned minBlocksPerSm = 0;
  unsigned ptxVersion = 0;     ///< times ten; the least that PTX says it needs. 0: what it needs
  unsigned maxClusterRank = 0; ///< maximum blocks of a cluster; from compute capability 9.0 on
  /// The part of a multiprocessor's memory that is to be shared memory, in percent; -1: as the driver chooses.
  int sharedCarveout = -1;
  /// C ABI device functions (compile(..., device=True, abi="c")): the symbol, or empty for the function's name.
  std::string abiName;

  bool operator==(const CompileOptions &) const = default;
};

} // namespace treadle

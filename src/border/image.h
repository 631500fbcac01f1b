// Image: code for one target, and how to call it. Made, saved and read without a device.
#pragma once

#include "border/target.h"
#include "types/facts.h"
#include "types/signature.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace treadle {

/// What a debug kernel raises: code `firstCode` + its position in Image::raises.
struct RaisedError {
  static constexpr uint32_t firstCode = 16;
  std::string exceptionClass;   ///< as the kernel writes it
  uint64_t exceptionHandle = 0; ///< the class, as the program that was inferred knows it; 0: Python's own of that name
  std::string arguments;        ///< Python literals, inf and nan, each with a comma behind it
  bool operator==(const RaisedError &) const = default;
};

/// One piece of an argument as the kernel's parameter block holds it, little-endian, naturally aligned.
struct ParameterLeaf {
  enum class Source : uint8_t {
    Scalar,      ///< the value itself; of a complex: `index` 0 real part, 1 imaginary part; Optional: its value
    HasValue,    ///< Optional: one byte, 1 where there is a value
    Pointer,     ///< array: address of element [0, ..., 0]
    Extent,      ///< array: shape[index], int64 or, where the facts say that it fits, int32
    Stride,      ///< array: strides[index] in bytes, int64
    GridBarrier, ///< of no argument: address of a 32-bit word of the launch that is 0 when it begins
  };
  Source source = Source::Scalar;
  uint16_t argument = 0; ///< position among the leaves of the flattened arguments (tuples in order, depth first)
  uint8_t index = 0;
  uint8_t bytes = 0;
  uint32_t offset = 0; ///< in the block
};

/// The parameter block. Only what the kernel reads is in it.
struct ParameterLayout {
  std::vector<ParameterLeaf> leaves;
  uint32_t size = 0;
  bool operator==(const ParameterLayout &) const = default;
};
inline bool operator==(const ParameterLeaf &a, const ParameterLeaf &b) {
  return a.source == b.source && a.argument == b.argument && a.index == b.index && a.bytes == b.bytes &&
         a.offset == b.offset;
}

/// What only the CPU device needs to know of a kernel.
struct CpuEntry {
  uint32_t contextBytes = 0; ///< of a worker's arena for each block, beyond shared memory, at 1024 threads
  /// Lanes are numbered along x across blocks, so that any block shape runs full warps.
  bool spansBlocks = false;
  /// It has back edges not provably short, so that one unit of work may last for ever.
  bool hasSafepoints = false;
  /// A block may wait for another one, so blocks must take turns.
  bool blocksWait = false;
  /// Warps are fibers, as barriers stand where not all threads pass together.
  bool usesFibers = false;
  bool prints = false; ///< something in it prints
  /// What is not done by whole vectors, or needs stacks of its own, and at how many places of the kernel.
  std::map<std::string, uint32_t> fallbacks;
};

/// Immutable code and entry points for one target; made, saved and read without a device. Names its helpers by symbol.
struct Image {
  Target target;
  Signature signature;
  Facts facts;
  std::string entry; ///< symbol of the kernel or device function
  std::string code;  ///< PTX text, or the bytes of a relocatable ELF object
  ParameterLayout parameters;
  uint32_t sharedBytes = 0; ///< static shared memory of a block
  uint32_t localBytes = 0;  ///< local arrays of one thread
  uint32_t registers = 0;   ///< 0: not known
  /// All blocks of the grid must run at once: it has a barrier for all of them.
  bool isCooperative = false;
  std::vector<RaisedError> raises;
  /// Bit i: argument leaf i (an array) may be written.
  std::vector<bool> writes;
  CpuEntry cpu; ///< targets of kind Cpu
  /// Text of the stages that were kept: "syntax", "typed", "llvm", "optimized", "ptx" or "asm".
  std::map<std::string, std::string> stages;

  /// The bits of Facts::key that make no difference to the code.
  uint32_t ignoredFacts() const { return cpu.spansBlocks ? Facts::blockShapeKey : 0; }
};

} // namespace treadle

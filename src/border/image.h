// Image: code for one target, and how to call it. Made, saved and read without a device.
#pragma once

#include "border/fault.h"
#include "border/linked_layout.h"
#include "border/target.h"
#include "types/facts.h"
#include "types/signature.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// An exception that a debug kernel raises: the fault `raisedFault` of its index in Image::raises.
struct RaisedError {
  std::string exceptionClass;   ///< as written in the kernel
  uint64_t exceptionHandle = 0; ///< the class, as the inferred program knows it; 0 in images read from bytes
  std::string qualifiedClass;   ///< "module:Class.Inner", for other processes; empty: Python's own class of that name
  std::string arguments;        ///< Python literals, inf and nan, each followed by a comma
  bool operator==(const RaisedError &) const = default;
};

/// A function that is part of an image besides the one that the image was made of.
struct FunctionSource {
  std::string function; ///< qualified name
  std::string file;     ///< as SourceText has it
  bool operator==(const FunctionSource &) const = default;
};

/// A device array that a kernel has captured. The code reads its address from the 64-bit word that `symbol` names,
/// which is set when the image is loaded; shape and strides are constants in the code.
struct CapturedDeviceArray {
  std::string name; ///< as written in the program; empty: no code uses this position
  const Type *type = nullptr;
  std::vector<int64_t> shape, strides; ///< strides in bytes
  bool operator==(const CapturedDeviceArray &) const = default;

  static constexpr std::string_view symbolPrefix = "treadle_captured_";
  /// The symbol of a position in Image::captured.
  static std::string symbol(uint32_t position) { return std::string(symbolPrefix) + std::to_string(position); }
};

/// One piece of an argument as laid out in the kernel's parameter block, little-endian, naturally aligned.
struct ParameterLeaf {
  enum class Source : uint8_t {
    Scalar,      ///< the value itself; complex: `index` 0 is the real part, 1 the imaginary part; Optional: its value
    HasValue,    ///< Optional: one byte, 1 if there is a value
    Pointer,     ///< array: address of element [0, ..., 0]
    Extent,      ///< array: shape[index], int64, or int32 if the facts say that it fits
    Stride,      ///< array: strides[index] in bytes, int64
    GridBarrier, ///< of no argument: the address of a 32-bit word of the launch, initially 0
  };
  Source source = Source::Scalar;
  uint16_t argument = 0; ///< index among the leaves of the flattened arguments (tuples in order, depth first)
  uint8_t index = 0;
  uint8_t bytes = 0;
  uint32_t offset = 0; ///< in the parameter block
};

/// The parameter block. It contains only what the kernel reads.
struct ParameterLayout {
  std::vector<ParameterLeaf> leaves;
  uint32_t size = 0;
  bool operator==(const ParameterLayout &) const = default;
};
inline bool operator==(const ParameterLeaf &a, const ParameterLeaf &b) {
  return a.source == b.source && a.argument == b.argument && a.index == b.index && a.bytes == b.bytes &&
         a.offset == b.offset;
}

/// What only the CPU device needs to know about a kernel.
struct CpuEntry {
  uint32_t contextBytes = 0; ///< of a worker's arena per block of 1024 threads, beyond shared memory
  uint64_t stackBytes = 0;   ///< of a call, or of one level of a recursion
  /// Lanes are numbered along x across blocks, so that any block shape runs full warps.
  bool spansBlocks = false;
  /// Some back edges are not provably short, so that one unit of work may never end.
  bool hasSafepoints = false;
  /// A block may wait for another one, so blocks must be scheduled in turns.
  bool blocksWait = false;
  /// Warps are fibers, because not all threads reach the barriers together.
  bool usesFibers = false;
  bool prints = false; ///< contains a print
  /// Constructs that are not done with whole vectors, or that need separate stacks, with their number of occurrences.
  std::map<std::string, uint32_t> fallbacks;
};

/// Immutable code and entry points for one target. Contains no address: helpers and captured device arrays are symbols.
struct Image {
  Target target;
  Signature signature;
  Facts facts;
  std::string entry;   ///< symbol of the kernel or device function
  std::string code;    ///< PTX text, or machine code as `layout` describes it
  LinkedLayout layout; ///< targets of kind Cpu
  DebugObject debug;   ///< targets of kind Cpu
  ParameterLayout parameters;
  uint32_t sharedBytes = 0; ///< static shared memory of a block
  uint32_t localBytes = 0;  ///< local arrays of one thread
  uint32_t registers = 0;   ///< 0: not known
  /// All blocks of the grid must run concurrently: it has a grid-wide barrier.
  bool isCooperative = false;
  bool usesClusters = false;   ///< its blocks look at the others of their cluster, or wait for them
  int32_t sharedCarveout = -1; ///< CompileOptions::sharedCarveout
  /// What launch bounds allow, and the code relies on: threads of a block, blocks of a cluster; 0: none.
  uint32_t maxThreads = 0, maxClusterBlocks = 0;
  bool allocates = false; ///< makes arrays of sizes known only at run time
  bool recurses = false;  ///< some function calls itself
  std::vector<RaisedError> raises;
  std::vector<FunctionSource> sources;       ///< of checks that may fail, as FaultPlace::source counts them
  std::vector<CapturedDeviceArray> captured; ///< by CapturedArray::position
  /// Bit i: argument leaf i (an array) may be written. Empty: all of them may be.
  std::vector<bool> writes;
  CpuEntry cpu; ///< targets of kind Cpu
  /// Text of the stages that were kept: "syntax", "typed", "llvm", "optimized", "ptx" or "asm".
  std::map<std::string, std::string> stages;

  /// The bits of FactsKey::launch that do not affect the code.
  uint64_t ignoredFacts() const { return cpu.spansBlocks ? Facts::blockShapeKey() : 0; }
};

} // namespace treadle

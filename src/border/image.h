// Image: code for one target, and its calling convention. Made, saved and read without a device.
#pragma once

#include "border/fault.h"
#include "border/linked_layout.h"
#include "border/parameter_layout.h"
#include "border/target.h"
#include "types/facts.h"
#include "types/signature.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace treadle {

/// A device array captured by a kernel. The code reads its address from the 64-bit word that `symbol` names, which is
/// set when the image is loaded; shape and strides are constants in the code.
struct CapturedDeviceArray {
  std::string name; ///< as written in the program; empty: no code uses this position
  const Type *type = nullptr;
  std::vector<int64_t> shape, strides; ///< strides in bytes
  bool operator==(const CapturedDeviceArray &) const = default;

  static constexpr std::string_view symbolPrefix = "treadle_captured_";
  /// The symbol of a position in Image::captured.
  static std::string symbol(uint32_t position) { return std::string(symbolPrefix) + std::to_string(position); }
};

/// What machine code for the CPU has besides its bytes.
struct CpuCode {
  LinkedLayout layout;
  DebugObject debug;
  uint32_t contextBytes = 0; ///< bytes of context in a worker's arena per block of 1024 threads, besides shared memory
  uint64_t stackBytes = 0;   ///< stack use of a call, or of one level of a recursion
  /// Lanes are numbered along x across blocks, so that any block shape runs full warps.
  bool spansBlocks = false;
  /// Some loops are not provably short, so that one unit of work may never end.
  bool hasSafepoints = false;
  /// A block may wait for another one, so blocks must be scheduled in turns.
  bool blocksWait = false;
  /// Warps are fibers, because not all threads reach the barriers together.
  bool usesFibers = false;
  bool prints = false; ///< contains a print
  /// Constructs that are not fully vectorised, or that need separate stacks, with their number of occurrences.
  std::map<std::string, uint32_t> fallbacks;
};

/// What PTX has besides its text.
struct PtxCode {
  int32_t sharedCarveout = -1; ///< CompileOptions::sharedCarveout
};

/// Immutable code and entry points for one target. Contains no address: helpers and captured device arrays are symbols.
struct Image {
  Target target;
  Signature signature;
  Facts facts;
  std::string entry;                      ///< symbol of the kernel or device function
  std::string code;                       ///< PTX text, or machine code as CpuCode::layout describes it
  std::variant<CpuCode, PtxCode> details; ///< of the target's kind
  ParameterLayout parameters;
  uint32_t sharedBytes = 0; ///< static shared memory of a block
  uint32_t localBytes = 0;  ///< local arrays of one thread
  /// All blocks of the grid must run concurrently: it has a grid-wide barrier.
  bool isCooperative = false;
  bool usesClusters = false; ///< its blocks access the others of their cluster, or wait for them
  /// The launch bounds, on which the code relies: threads per block, blocks per cluster; 0: none.
  uint32_t maxThreads = 0, maxClusterBlocks = 0;
  bool allocates = false; ///< makes arrays of sizes known only at run time
  bool recurses = false;  ///< some function calls itself
  std::vector<RaisedError> raises;
  std::vector<FunctionSource> sources;       ///< of checks that may fail, as FaultPlace::source counts them
  std::vector<CapturedDeviceArray> captured; ///< by CapturedArray::position
  /// Bit i: argument leaf i (an array) may be written. Empty: all of them may be.
  std::vector<bool> writes;
  /// Text of the stages that were recorded: "syntax", "typed", "llvm", "optimized", "ptx" or "asm".
  std::map<std::string, std::string> stages;

  /// The bits of FactsKey::launch that do not affect the code.
  uint64_t ignoredFacts() const {
    const CpuCode *const machine = std::get_if<CpuCode>(&details);
    return machine && machine->spansBlocks ? Facts::blockShapeKey() : 0;
  }

  CpuCode &cpu() { return std::get<CpuCode>(details); }
  const CpuCode &cpu() const { return std::get<CpuCode>(details); }
  const PtxCode &ptx() const { return std::get<PtxCode>(details); }
};

} // namespace treadle

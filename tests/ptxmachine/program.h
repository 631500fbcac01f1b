// Program: a module decoded for execution.
#pragma once

#include "instruction.h"

#include <map>
#include <memory>

namespace ptxmachine {

/// Places of a variable in shared, local or param memory.
struct Place {
  std::string name;
  size_t offset = 0, bytes = 0;
  size_t alignment = 1;
};

struct Code {
  const Function *function = nullptr;
  std::vector<Instruction> instructions;
  uint32_t registerCount = 2;         ///< with the sink and the carry flag
  std::vector<std::string> registers; ///< their names
  std::vector<Place> locals, params;  ///< `params`: results, parameters, and those of calls
  size_t localBytes = 0, paramBytes = 0;
  size_t stackBytes = 0;                      ///< after the local variables, for `alloca`
  size_t resultCount = 0, parameterCount = 0; ///< the first ones of `params`
  size_t frameBytes = 0;                      ///< localBytes and stackBytes, with a gap
};

struct CallSite;
struct Step;
using ExternalCall = void (*)(Step &, const CallSite &);

/// What a call does with param memory: which places of the caller go where in the callee.
struct CallSite {
  const Code *callee = nullptr;          ///< null: indirect, or `external`
  ExternalCall external = nullptr;       ///< of a function that the driver gives to kernels
  bool isIndirect = false;               ///< sources[0] is the function's address
  std::vector<Place> arguments, results; ///< in the caller's params
};

/// Where the machine's own address windows begin: above all addresses of a process.
constexpr uint64_t sharedWindow = uint64_t{1} << 48, localWindow = uint64_t{2} << 48,
                   functionWindow = uint64_t{4} << 48, windowMask = ~uint64_t{0} << 48;
/// In addresses of shared memory: the rank of another block of the cluster, plus 1.
constexpr unsigned peerShift = 24;
constexpr uint64_t peerOffsets = (uint64_t{1} << peerShift) - 1;

/// Tags of regions: those of shared variables come first, then device regions by their ids.
constexpr uint32_t sharedTags = 1u << 31;

class Program {
public:
  /// `addresses` are those of the module's variables in device memory; those in const space lie within 2 GiB. Throws
  /// LoadError.
  Program(std::shared_ptr<const Module> module, const std::map<std::string, uint64_t> &addresses);
  ~Program();
  Program(const Program &) = delete;

  const Module &module() const { return *parsed; }
  const Code *code(std::string_view name) const;
  const Code *codeAt(uint64_t address) const;
  const std::vector<Lanes> &constants() const { return pool; }
  const std::vector<uint32_t> &constantTags() const { return poolTags; }
  const std::vector<Place> &sharedPlaces() const { return shared; }
  size_t sharedBytes() const { return sharedSize; }
  /// What a generic address is above the same address in const space, whose addresses fit 32 bits.
  uint64_t constBase() const { return constWindow; }

private:
  friend class Decoder;
  std::shared_ptr<const Module> parsed;
  std::vector<std::unique_ptr<Code>> codes;
  std::vector<std::unique_ptr<CallSite>> sites;
  std::vector<std::unique_ptr<std::string>> opcodes;
  std::vector<std::unique_ptr<std::vector<uint32_t>>> targetLists;
  std::vector<Lanes> pool;
  std::vector<uint32_t> poolTags;
  std::vector<Place> shared; ///< static variables; the dynamic ones begin at sharedSize
  size_t sharedSize = 0;
  uint64_t constWindow = 0;
};

/// Bytes of shared variables that the entry, and what it may call, uses: what `ptxas` reports.
size_t staticSharedBytes(const Module &module, const Function &entry);

/// Bytes of local variables of the entry and of what it may call, each once.
size_t localBytes(const Module &module, const Function &entry);

/// Initial bytes of a variable, with the addresses of symbols that it holds.
/// Throws LoadError if one of them is not there.
std::vector<std::byte> initialBytes(const Module &module, const Variable &variable,
                                    const std::map<std::string, uint64_t> &addresses);

/// Of the module's function with this index.
inline uint64_t functionAddress(size_t index) { return functionWindow + index * 16; }

} // namespace ptxmachine

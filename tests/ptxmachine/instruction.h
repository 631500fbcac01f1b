// Instruction: what the decoder makes of a statement: a function and its operands as places.
#pragma once

#include "lanes.h"
#include "module.h"
#include "spelling.h"

namespace ptxmachine {

struct Step;
struct Instruction;
struct CallSite;

/// Executes one instruction for the lanes of a step.
using Execute = void (*)(Step &, const Instruction &);

/// Where the value of an operand is.
struct Slot {
  enum class Base : uint8_t { Register, Constant, Special } base = Base::Register;
  uint32_t index = 0;
};

/// Registers of a frame that no text names: `_` as a destination.
constexpr uint32_t sinkRegister = 0;
/// The carry flag of `add.cc` and the like: 0 or 1.
constexpr uint32_t carryRegister = 1;

/// What an address is relative to.
enum class AddressBase : uint8_t { Slot, LocalFrame, ParamFrame, ParamEntry };

struct Instruction {
  Execute run = nullptr;
  Slot sources[6];
  uint32_t results[4] = {};
  uint8_t sourceCount = 0, resultCount = 0;
  uint8_t negated = 0; ///< a bit for each source that is a negated predicate
  bool hasGuard = false, isGuardNegated = false;
  uint32_t guard = 0;

  // Memory: sources[0] is the address if its base is a slot.
  AddressBase addressBase = AddressBase::Slot;
  Space space = Space::Generic;
  int64_t offset = 0, secondOffset = 0;

  uint32_t target = 0; ///< of a branch
  const CallSite *call = nullptr;
  const std::vector<uint32_t> *targets = nullptr; ///< of brx
  uint32_t flags = 0;                             ///< what the row's function keeps about its modifiers
  Type type;                                      ///< the first of the opcode
  SourceLine source;
  const std::string *opcode = nullptr; ///< as written
};

} // namespace ptxmachine

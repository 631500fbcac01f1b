// Information that forward walks need in advance: the slots that each loop assigns, and the expressions that contain
// statements.
#pragma once

#include "typed/typed.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace treadle {

struct LoopSlots {
  struct Assigned {
    const typed::Slot *slot;
    bool mayGrow;   ///< some assignment may increase it
    bool mayShrink; ///< some assignment may decrease it
  };
  std::vector<Assigned> slots; ///< including those of inner loops, each once, and the slot of a range loop
  bool hasBreak = false;       ///< a break that leaves this loop
};

struct Outline {
  std::unordered_map<const typed::Stmt *, LoopSlots> loops;
  std::unordered_set<const typed::Expr *> withBlocks; ///< Blocks, and expressions that contain one
  size_t nodes = 0;                                   ///< number of statements and expressions
};

Outline outlineOf(const TypedFunction &function);

} // namespace treadle

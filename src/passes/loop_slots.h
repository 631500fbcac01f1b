// What a walk that goes forward needs to know beforehand: which slots each loop assigns, which expressions hold
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
    bool mayGrow;   ///< some assignment may give it more than it had
    bool mayShrink; ///< some assignment may give it less than it had
  };
  std::vector<Assigned> slots; ///< those of inner loops too, each once; a range loop's own slot included
  bool hasBreak = false;       ///< one that leaves this loop
};

struct Outline {
  std::unordered_map<const typed::Stmt *, LoopSlots> loops;
  std::unordered_set<const typed::Expr *> withBlocks; ///< Blocks, and what contains one
  size_t nodes = 0;                                   ///< statements and expressions
};

Outline outlineOf(const TypedFunction &function);

} // namespace treadle

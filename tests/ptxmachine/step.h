// Step: one instruction of some lanes of a warp, as the functions of rows see it.
#pragma once

#include "frame.h"
#include "instruction.h"

namespace ptxmachine {

class Warp;

struct Step {
  Warp &warp;
  Frame &frame;
  const Lanes *bases[3]; ///< by Slot::Base
  LaneMask mask;         ///< the lanes that execute it

  static constexpr uint32_t noTag = ~uint32_t{0};
  /// The tag of the result that was defined last, as lanes that do not execute have it; noTag: they have no value.
  mutable uint32_t othersTag = noTag;

  const Lanes &value(Slot slot) const { return bases[static_cast<size_t>(slot.base)][slot.index]; }
  const Lanes &source(const Instruction &i, size_t at) const { return value(i.sources[at]); }
  Lanes &result(const Instruction &i, size_t at = 0) const { return frame.registers[i.results[at]]; }

  LaneMask defined(Slot slot) const { return slot.base == Slot::Base::Register ? frame.defined[slot.index] : allLanes; }
  uint32_t tag(Slot slot) const;

  /// Lanes in which all sources are defined.
  LaneMask definedSources(const Instruction &i) const {
    LaneMask all = allLanes;
    for (size_t at = 0; at < i.sourceCount; ++at)
      all &= defined(i.sources[at]);
    return all;
  }
  /// Says of a result that `which` of the step's lanes are defined now, and that it is no address of a known region.
  void define(const Instruction &i, size_t at, LaneMask which) const {
    const uint32_t index = i.results[at];
    othersTag = frame.defined[index] & ~mask ? frame.tags[index] : noTag;
    frame.defined[index] = (frame.defined[index] & ~mask) | (which & mask);
    frame.tags[index] = 0;
  }
  /// Marks the first result, which was defined just before, as pointing into the region; a register whose lanes point
  /// into several regions has no tag.
  void setTag(const Instruction &i, uint32_t tag) const {
    frame.tags[i.results[0]] = othersTag == noTag || othersTag == tag ? tag : 0;
  }
  /// Throws Fault if the value is undefined in a lane that executes: `what` is what it would decide.
  void require(Slot slot, const char *what) const;
};

} // namespace ptxmachine

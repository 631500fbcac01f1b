// Knowledge: which accesses of other threads a thread knows to have happened: vector clocks over blocks and threads.
#pragma once

#include "lanes.h"

#include <memory>
#include <vector>

namespace ptxmachine {

/// When some lanes of a warp made an access. `round` counts the barriers that the whole block has passed; `time` counts
/// what the warp has released: an access is known to whoever knows its thread up to a later time.
struct Epoch {
  static constexpr uint32_t none = ~uint32_t{0};
  uint32_t warp = none; ///< of the grid
  uint32_t round = 0, time = 0;
  LaneMask lanes = 0;
  uint32_t line = 0;       ///< of the source
  bool isStrong = false;   ///< atomic, volatile or relaxed
  bool isReadOnly = false; ///< ld.global.nc, which no order with a write allows

  bool isNone() const { return warp == none; }
};

/// Immutable once shared. Both lists are sorted by their first member.
struct Knowledge {
  struct Entry {
    uint32_t who, until;
  };
  std::vector<Entry> blocks;  ///< all of a block before this round
  std::vector<Entry> threads; ///< all of a thread, `warp * 32 + lane`, before this time

  static uint32_t find(const std::vector<Entry> &list, uint32_t who);
};
using SharedKnowledge = std::shared_ptr<const Knowledge>;

/// Either may be null.
SharedKnowledge join(const SharedKnowledge &a, const SharedKnowledge &b);

/// What the lanes of one warp know.
class WarpClock {
public:
  WarpClock(uint32_t warp, uint32_t block) : warp(warp), block(block) {}

  uint32_t ownWarp() const { return warp; }
  Epoch now(LaneMask lanes, uint32_t round, uint32_t line, bool isStrong) const {
    return {warp, round, time, lanes, line, isStrong, false};
  }
  /// Whether the lane knows the access; `round` is its block's.
  bool knows(const Epoch &past, unsigned lane, uint32_t round, unsigned warpsPerBlock) const;

  /// A fence: what was acquired counts from here on, and what is written by strong operations from here on releases
  /// what is known now.
  void fence(unsigned lane, uint32_t round);
  /// Lanes that have met at a warp barrier know each other.
  void meet(LaneMask lanes);
  /// A strong read of a location that released `what`.
  void acquire(unsigned lane, const SharedKnowledge &what) { pending[lane] = join(pending[lane], what); }
  /// What a strong write releases: null if there was no fence before it.
  SharedKnowledge released(unsigned lane) const;
  /// What the lane knows, itself included, as of now.
  SharedKnowledge all(unsigned lane, uint32_t round);

  const SharedKnowledge &others(unsigned lane) const { return external[lane]; }
  void learn(unsigned lane, const SharedKnowledge &what) { external[lane] = join(external[lane], what); }

private:
  struct Fence {
    bool happened = false;
    uint32_t time = 0, round = 0;
    SharedKnowledge external;
  };
  SharedKnowledge snapshot(unsigned lane, const Fence &fence) const;

  uint32_t warp, block, time = 0;
  std::vector<uint32_t>
      rows; ///< [lane][other]: the time until which it knows the other lane; empty before the first meeting
  SharedKnowledge external[warpSize], pending[warpSize];
  Fence fences[warpSize];
};

} // namespace ptxmachine

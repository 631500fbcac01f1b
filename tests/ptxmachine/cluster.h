// Cluster: blocks that run together, have a barrier of their own and reach each other's shared memory.
#pragma once

#include "warp.h"

namespace ptxmachine {

/// The number that Group::barrier has for it; blocks have 16 of their own.
constexpr unsigned clusterBarrier = 16;

class Cluster {
public:
  explicit Cluster(uint64_t index) : index(index) {}

  const uint64_t index;        ///< in the grid
  std::vector<Block *> blocks; ///< by rank; null: it has ended

  /// Threads arrive; without `releases`, what they know is not handed on. Throws Fault for one that has arrived and not
  /// waited.
  void arrive(Warp &warp, LaneMask lanes, bool releases);
  /// Whether the threads need not wait any more. Throws Fault for one that has not arrived.
  bool mayLeave(Warp &warp, LaneMask lanes) const;
  /// They leave, and know what those that arrived knew.
  void leave(Warp &warp, LaneMask lanes);
  /// Threads that will neither arrive nor wait; called before the block counts them as gone.
  void forget(const Warp &warp, LaneMask lanes);
  void completeIfAll();
  /// The block of that rank, for an access. Throws Fault if there is none, or it does not run.
  Block &peer(uint64_t rank, unsigned lane) const;

private:
  void wake();

  unsigned arrived = 0; ///< living threads, in this phase
  uint64_t phase = 0;
  SharedKnowledge coming, published; ///< of those that arrive in this phase, that arrived in the last one
};

} // namespace ptxmachine

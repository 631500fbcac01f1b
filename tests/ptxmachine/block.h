// Block: its warps, its shared memory and its barriers.
#pragma once

#include "warp.h"

#include <unordered_map>

namespace ptxmachine {

class Cluster;
class Launch;

struct Barrier {
  unsigned expected = 0;     ///< threads; 0: all that live
  bool isOpen = true;        ///< nobody waits
  LaneMask arrived[32] = {}; ///< by warp
  unsigned arrivedThreads = 0;
  unsigned positives = 0; ///< lanes whose predicate is true, for bar.red
};

class Block {
public:
  Block(Launch &launch, uint64_t index, std::shared_ptr<Cluster> cluster);

  Launch &launch;
  const uint64_t index;
  uint32_t place[3];
  const std::shared_ptr<Cluster> cluster;
  const unsigned rank; ///< in it
  bool hasBegun = false;
  uint32_t round = 0;
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<std::byte> shared;
  WrittenBytes sharedWritten;
  std::unique_ptr<Shadow> sharedShadow;

  bool isDone() const { return !liveThreads; }
  /// Threads arrive; `count` is 0 for all of the block.
  void arrive(Warp &warp, LaneMask lanes, unsigned barrier, unsigned count, LaneMask positives);
  void threadsExited(unsigned count);
  unsigned live() const { return liveThreads; }
  std::string describe() const;
  SharedKnowledge &released(uint64_t offset) { return releases[offset]; }
  const SharedKnowledge *findReleased(uint64_t offset) const;

private:
  void completeIfAll(unsigned barrier);
  void complete(unsigned barrier);
  void shareKnowledge(const Barrier &barrier);

  unsigned liveThreads = 0;
  Barrier barriers[16];
  std::unordered_map<uint64_t, SharedKnowledge> releases; ///< by offset in shared memory: what atomics there release
};

} // namespace ptxmachine

// The phases of a cluster's barrier, and who knows what after it.
#include "cluster.h"

#include "launch.h"

#include <utility>

namespace ptxmachine {

void Cluster::arrive(Warp &warp, LaneMask lanes, bool releases) {
  if (const LaneMask twice = lanes & warp.clusterArrived)
    throw Fault(FaultKind::Barrier, "a thread arrives at the cluster's barrier again, and has not waited",
                std::countr_zero(twice));
  warp.clusterArrived |= lanes;
  forLanes(lanes, [&](unsigned lane) {
    warp.clusterPhases[lane] = phase;
    if (releases)
      coming = join(coming, warp.clock.all(lane, warp.block.round));
  });
  arrived += static_cast<unsigned>(std::popcount(lanes));
  completeIfAll();
}

bool Cluster::mayLeave(Warp &warp, LaneMask lanes) const {
  if (const LaneMask missing = lanes & ~warp.clusterArrived)
    throw Fault(FaultKind::Barrier, "a thread waits at the cluster's barrier, and has not arrived",
                std::countr_zero(missing));
  bool may = true;
  forLanes(lanes, [&](unsigned lane) { may &= warp.clusterPhases[lane] < phase; });
  return may;
}

void Cluster::leave(Warp &warp, LaneMask lanes) {
  warp.clusterArrived &= ~lanes;
  if (published)
    forLanes(lanes, [&](unsigned lane) { warp.clock.learn(lane, published); });
}

void Cluster::forget(const Warp &warp, LaneMask lanes) {
  forLanes(lanes & warp.clusterArrived, [&](unsigned lane) { arrived -= warp.clusterPhases[lane] == phase; });
}

void Cluster::completeIfAll() {
  unsigned living = 0;
  for (const Block *block : blocks)
    living += block ? block->live() : 0;
  if (arrived == 0 || arrived != living)
    return;
  ++phase;
  arrived = 0;
  published = std::exchange(coming, nullptr);
  wake();
}

void Cluster::wake() {
  for (Block *block : blocks) {
    if (!block)
      continue;
    for (const auto &warp : block->warps)
      for (Group &group : warp->groups)
        if (group.state == Group::State::AtBarrier && group.barrier == clusterBarrier) {
          leave(*warp, group.mask);
          warp->setReady(group);
        }
  }
}

Block &Cluster::peer(uint64_t rank, unsigned lane) const {
  const std::string name = "the shared memory of block " + std::to_string(rank) + " of its cluster, ";
  if (rank >= blocks.size())
    throw Fault(FaultKind::OutOfBounds, "uses " + name + "which has " + std::to_string(blocks.size()),
                static_cast<int>(lane));
  Block *block = blocks[rank];
  if (!block || !block->hasBegun)
    throw Fault(FaultKind::OutOfBounds, "uses " + name + (block ? "which has not begun" : "which has ended"),
                static_cast<int>(lane));
  return *block;
}

} // namespace ptxmachine

// Barriers: who has arrived, and what those who leave know.
#include "block.h"

#include "cluster.h"
#include "launch.h"

#include <algorithm>

namespace ptxmachine {

Block::Block(Launch &launch, uint64_t index, std::shared_ptr<Cluster> given)
    : launch(launch), index(index), cluster(std::move(given)), rank(static_cast<unsigned>(cluster->blocks.size())) {
  cluster->blocks.push_back(this);
  const LaunchShape &shape = launch.shape;
  place[0] = static_cast<uint32_t>(index % shape.grid[0]);
  place[1] = static_cast<uint32_t>(index / shape.grid[0] % shape.grid[1]);
  place[2] = static_cast<uint32_t>(index / shape.grid[0] / shape.grid[1]);
  const size_t bytes = launch.program->sharedBytes() + shape.dynamicShared + 16; // what a vector may read beyond
  shared.resize(bytes, std::byte{0xCB});
  sharedWritten = WrittenBytes(bytes);
  sharedShadow = std::make_unique<Shadow>(bytes);
  liveThreads = launch.threadsPerBlock;
  for (unsigned at = 0; at < launch.warpsPerBlock; ++at)
    warps.push_back(std::make_unique<Warp>(*this, at, std::min(warpSize, launch.threadsPerBlock - at * warpSize)));
}

void Block::arrive(Warp &warp, LaneMask lanes, unsigned number, unsigned count, LaneMask positives) {
  Barrier &barrier = barriers[number];
  if (barrier.isOpen) {
    barrier.isOpen = false;
    barrier.expected = count;
  } else if (barrier.expected != count) {
    throw Fault(FaultKind::Barrier, "barrier " + std::to_string(number) + " is waited for with " +
                                        std::to_string(count) + " threads here, and with " +
                                        std::to_string(barrier.expected) + " by others (0: all)");
  }
  barrier.arrived[warp.index] |= lanes;
  barrier.arrivedThreads += static_cast<unsigned>(std::popcount(lanes));
  barrier.positives += static_cast<unsigned>(std::popcount(positives));
  completeIfAll(number);
}

void Block::threadsExited(unsigned count) {
  liveThreads -= count;
  for (unsigned number = 0; number < 16; ++number)
    completeIfAll(number);
  if (!liveThreads)
    cluster->blocks[rank] = nullptr;
  cluster->completeIfAll();
}

void Block::completeIfAll(unsigned number) {
  const Barrier &barrier = barriers[number];
  if (barrier.isOpen)
    return;
  const unsigned wanted = barrier.expected ? barrier.expected : liveThreads;
  if (barrier.arrivedThreads > wanted && barrier.expected)
    throw Fault(FaultKind::Barrier, std::to_string(barrier.arrivedThreads) + " threads wait at barrier " +
                                        std::to_string(number) + ", which is for " + std::to_string(wanted));
  if (barrier.arrivedThreads >= wanted)
    complete(number);
}

void Block::complete(unsigned number) {
  const Barrier barrier = barriers[number];
  barriers[number] = {};
  shareKnowledge(barrier);
  for (const auto &warp : warps)
    for (Group &group : warp->groups) {
      if (group.state != Group::State::AtBarrier || group.barrier != number ||
          !(barrier.arrived[warp->index] & group.mask))
        continue;
      const Instruction &i = *group.waitsAt;
      if (i.resultCount) {
        const uint32_t reduction = i.flags & 3; // barrier_rows: 0 popc, 1 and, 2 or
        const uint64_t value = reduction == 0   ? barrier.positives
                               : reduction == 1 ? barrier.positives == barrier.arrivedThreads
                                                : barrier.positives != 0;
        const Step s = warp->stepOf(group, group.mask);
        forLanes(group.mask, [&](unsigned lane) { s.result(i).at[lane] = value; });
        s.define(i, 0, allLanes);
      }
      warp->setReady(group);
    }
}

void Block::shareKnowledge(const Barrier &barrier) {
  const bool isWhole = barrier.arrivedThreads == liveThreads;
  SharedKnowledge known;
  const auto forArrived = [&](auto f) {
    for (const auto &warp : warps)
      forLanes(barrier.arrived[warp->index], [&](unsigned lane) { f(*warp, lane); });
  };
  forArrived([&](Warp &warp, unsigned lane) {
    known = join(known, isWhole ? warp.clock.others(lane) : warp.clock.all(lane, round));
  });
  if (isWhole)
    ++round;
  if (known)
    forArrived([&](Warp &warp, unsigned lane) { warp.clock.learn(lane, known); });
}

const SharedKnowledge *Block::findReleased(uint64_t offset) const {
  const auto found = releases.find(offset);
  return found == releases.end() ? nullptr : &found->second;
}

std::string Block::describe() const {
  std::string text;
  for (const auto &warp : warps)
    text += warp->describe();
  return text;
}

} // namespace ptxmachine

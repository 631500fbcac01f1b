// Rows of clusters: their barrier, and addresses in the shared memory of other blocks.
#include "cluster.h"
#include "launch.h"
#include "row.h"

namespace ptxmachine {

namespace {

enum Flag : uint32_t { Relaxed = 1, Aligned = 2, Generic = 4 };

uint32_t flagsOf(const Spelling &s) { return (s.has("relaxed") ? Relaxed : 0u) | (s.has("aligned") ? Aligned : 0u); }
uint32_t spaceOf(const Spelling &s) { return s.has("shared::cluster") ? 0u : Generic; }

/// Calls `f(group)` for the lanes that execute it now: those of an aligned one stand at it together.
template <class F> void together(Step &s, const Instruction &i, F f) {
  std::vector<Group *> groups;
  const LaneMask members = i.flags & Aligned ? allLanes : s.mask;
  if (!s.warp.meet(s, i, members, groups))
    return;
  for (const Group *group : groups)
    if ((i.flags & Aligned) && group->waitsAt != &i)
      throw Fault(FaultKind::Barrier, "lanes of one warp wait at different aligned barriers of the cluster",
                  std::countr_zero(s.mask));
  for (Group *group : groups)
    f(*group);
}

void arrive(Step &s, const Instruction &i) {
  together(s, i, [&](Group &group) {
    s.warp.setReady(group);
    s.warp.block.cluster->arrive(s.warp, group.mask, !(i.flags & Relaxed));
  });
}

void wait(Step &s, const Instruction &i) {
  Cluster &cluster = *s.warp.block.cluster;
  together(s, i, [&](Group &group) {
    if (cluster.mayLeave(s.warp, group.mask)) {
      cluster.leave(s.warp, group.mask);
      return s.warp.setReady(group);
    }
    group.state = Group::State::AtBarrier;
    group.barrier = clusterBarrier;
    group.hasArrived = true;
  });
}

void mapAddress(Step &s, const Instruction &i) {
  s.require(i.sources[0], "the address that is mapped");
  s.require(i.sources[1], "the block that an address is mapped to");
  const uint32_t tag = s.tag(i.sources[0]);
  forLanes(s.mask, [&](unsigned lane) {
    const uint64_t address = s.source(i, 0).at[lane];
    const auto rank = s.source(i, 1).get<uint32_t>(lane);
    if ((i.flags & Generic) && (address & windowMask) != sharedWindow)
      throw Fault(FaultKind::OutOfBounds, "maps an address that is not in shared memory", static_cast<int>(lane));
    if (rank >= s.warp.block.cluster->blocks.size())
      throw Fault(FaultKind::OutOfBounds,
                  "maps an address to block " + std::to_string(rank) + " of a cluster of " +
                      std::to_string(s.warp.block.cluster->blocks.size()),
                  static_cast<int>(lane));
    s.result(i).at[lane] = (address & (windowMask | peerOffsets)) | uint64_t{rank + 1} << peerShift;
  });
  s.define(i, 0, allLanes);
  s.setTag(i, tag);
}

void rankOf(Step &s, const Instruction &i) {
  s.require(i.sources[0], "the address whose block is asked for");
  forLanes(s.mask, [&](unsigned lane) {
    const uint64_t peer = s.source(i, 0).at[lane] >> peerShift & 0xFF;
    s.result(i).at[lane] = peer ? peer - 1 : s.warp.block.rank;
  });
  s.define(i, 0, allLanes);
}

template <Execute function> Execute always(const Spelling &) { return function; }

constexpr Row rows[] = {
    {"barrier.cluster.arrive.[release|relaxed].[aligned]", "", always<arrive>, flagsOf},
    {"barrier.cluster.wait.[acquire].[aligned]", "", always<wait>, flagsOf},
    {"mapa.[shared::cluster].(u32|u64)", "rvv", always<mapAddress>, spaceOf},
    {"getctarank.[shared::cluster].(u32|u64)", "rv", always<rankOf>},
};

} // namespace

std::span<const Row> clusterRows() { return rows; }

} // namespace ptxmachine

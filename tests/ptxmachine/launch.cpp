// Blocks take turns in random, fair order; new ones start as others end.
#include "launch.h"

#include "approximation.h"
#include "cluster.h"

#include <algorithm>

namespace ptxmachine {

Launch::Launch(std::shared_ptr<const Program> shared, std::string_view name, std::vector<std::byte> block,
               const LaunchShape &shape, DeviceMemory &memory, const LaunchOptions &options)
    : program(std::move(shared)), shape(shape), options(options), memory(memory), parameters(std::move(block)),
      threadsPerBlock(shape.block[0] * shape.block[1] * shape.block[2]),
      warpsPerBlock((threadsPerBlock + warpSize - 1) / warpSize), entry(program->code(name)), random(options.seed) {
  if (!entry || !entry->function->isEntry || !entry->function->body)
    throw LoadError(0, "there is no entry '" + std::string(name) + "'");
  fillBlocks();
}

Launch::~Launch() = default;

void Launch::fillBlocks() {
  const uint64_t limit = shape.isCooperative ? blockCount() : options.residentBlocks;
  while (blocks.size() < limit && nextCluster < blockCount() / blocksPerCluster())
    addCluster(nextCluster++);
}

/// Clusters count as blocks do, x fastest, and so do the blocks of each.
void Launch::addCluster(uint64_t index) {
  const auto &[x, y, z] = shape.cluster;
  const uint64_t across = shape.grid[0] / x, down = shape.grid[1] / y;
  const uint64_t first[] = {index % across * x, index / across % down * y, index / across / down * z};
  const auto cluster = std::make_shared<Cluster>(index);
  for (uint64_t rank = 0; rank < blocksPerCluster(); ++rank) {
    const uint64_t row = (first[2] + rank / x / y) * shape.grid[1] + first[1] + rank / x % y;
    blocks.push_back(std::make_unique<Block>(*this, row * shape.grid[0] + first[0] + rank % x, cluster));
  }
}

bool Launch::run(uint64_t steps) {
  setApproximationSeed(options.seed);
  unsigned idle = 0;
  while (!blocks.empty()) {
    if (!steps)
      return false;
    const size_t chosen = pick(blocks.size());
    Block &block = *blocks[chosen];
    Warp &warp = *block.warps[pick(block.warps.size())];
    if (!warp.canRun()) {
      // Fair: after many unlucky picks look whether anything can run at all.
      if (++idle > 64) {
        std::vector<Warp *> able;
        for (const auto &each : blocks)
          for (const auto &other : each->warps)
            if (other->canRun())
              able.push_back(other.get());
        if (able.empty())
          throw Fault(FaultKind::Deadlock, "all threads wait:\n" + describe());
        idle = 0;
      }
      continue;
    }
    idle = 0;
    block.hasBegun = true;
    const auto slice = static_cast<unsigned>(std::min<uint64_t>(steps, 1 + pick(200)));
    steps -= slice;
    try {
      executed += warp.run(slice);
    } catch (const Fault &fault) {
      throw Fault(fault.kind, fault.what() + (warp.running() ? warp.place(*warp.running(), fault.lane) : std::string()),
                  fault.lane);
    }
    if (block.isDone()) {
      blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(chosen));
      fillBlocks();
    }
  }
  return true;
}

std::string Launch::describe() const {
  std::string text;
  for (const auto &block : blocks)
    if (text.size() < 8000)
      text += block->describe();
  return text;
}

Shadow *Launch::shadowOf(Region &region) {
  RegionUse &use = uses[region.id];
  use.region = &region;
  if (!use.shadow)
    use.shadow = std::make_unique<Shadow>(region.bytes);
  return use.shadow.get();
}

Region *Launch::regionOf(uint32_t id) const {
  const auto found = uses.find(id);
  return found == uses.end() ? nullptr : found->second.region;
}

const SharedKnowledge *Launch::findReleased(uint64_t address) const {
  const auto found = releases.find(address);
  return found == releases.end() ? nullptr : &found->second;
}

std::vector<Touched> Launch::touched() const {
  std::vector<Touched> result;
  for (const auto &[id, use] : uses)
    use.shadow->forTouched([&](size_t offset, size_t bytes, bool isWritten, bool isRead) {
      result.push_back({use.region, offset, std::min(bytes, use.region->bytes - offset), isWritten, isRead});
    });
  return result;
}

} // namespace ptxmachine

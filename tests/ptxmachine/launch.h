// Launch: a kernel that runs, a few steps at a time.
#pragma once

#include "block.h"

#include <random>
#include <unordered_map>

namespace ptxmachine {

struct LaunchShape {
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t dynamicShared = 0;
  uint32_t cluster[3] = {1, 1, 1};
  bool isCooperative = false; ///< all blocks are resident at once
};

struct LaunchOptions {
  uint64_t seed = 1;
  bool findsRaces = true;
  unsigned residentBlocks = 16;
};

/// Bytes that a launch has touched.
struct Touched {
  Region *region;
  size_t offset, bytes;
  bool isWritten, isRead;
};

class Launch {
public:
  /// `parameters` is the parameter block, as the driver gathers it. Throws LoadError if there is no such entry.
  Launch(std::shared_ptr<const Program> program, std::string_view entry, std::vector<std::byte> parameters,
         const LaunchShape &shape, DeviceMemory &memory, const LaunchOptions &options);
  ~Launch();

  /// Runs about `steps` instructions of warps; true: it has ended. Throws Fault, with the place in its text.
  bool run(uint64_t steps);
  /// Where every warp stands.
  std::string describe() const;
  std::vector<Touched> touched() const;
  uint64_t threadInstructions() const { return executed; }
  /// Whether the last run changed nothing but spun: all that it did were reads, for schedulers.
  const Code &code() const { return *entry; }

  const std::shared_ptr<const Program> program;
  const LaunchShape shape;
  const LaunchOptions options;
  DeviceMemory &memory;
  const std::vector<std::byte> parameters;
  uint64_t clock = 0; ///< counts instructions of warps: what the clocks show
  unsigned threadsPerBlock, warpsPerBlock;

  size_t pick(size_t count) { return static_cast<size_t>(random() % count); }
  Shadow *shadowOf(Region &region);
  SharedKnowledge &released(uint64_t address) { return releases[address]; }
  const SharedKnowledge *findReleased(uint64_t address) const;
  Region *regionOf(uint32_t id) const;

private:
  struct RegionUse {
    Region *region;
    std::unique_ptr<Shadow> shadow;
  };
  void fillBlocks();
  void addCluster(uint64_t index);
  uint64_t blockCount() const { return uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2]; }
  uint64_t blocksPerCluster() const { return uint64_t{shape.cluster[0]} * shape.cluster[1] * shape.cluster[2]; }

  const Code *entry;
  std::mt19937_64 random;
  uint64_t nextCluster = 0, executed = 0;
  std::vector<std::unique_ptr<Block>> blocks;
  std::unordered_map<uint32_t, RegionUse> uses;
  std::unordered_map<uint64_t, SharedKnowledge> releases; ///< by address: what atomics there release
};

} // namespace ptxmachine

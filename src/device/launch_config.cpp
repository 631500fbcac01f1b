// Checks launch configurations against the limits of a device.
#include "device/launch_config.h"

#include "support/error.h"

#include <algorithm>
#include <string>

namespace treadle {

namespace {

constexpr char axisNames[] = {'x', 'y', 'z'};

[[noreturn]] void fail(const std::string &message) { throw UsageError(UsageError::Kind::Value, message); }

[[noreturn]] void failAxis(const char *what, unsigned axis, int64_t value, uint32_t limit) {
  const std::string name = std::string(what) + "." + axisNames[axis];
  if (value < 1)
    fail("launch configuration: " + name + " is " + std::to_string(value) + "; every dimension must be at least 1" +
         (value == 0 ? " (skip the launch when there is nothing to do)" : ""));
  fail("launch configuration: " + name + " is " + std::to_string(value) + "; the limit is " + std::to_string(limit));
}

void checkAxis(const char *what, unsigned axis, int64_t value, uint32_t limit) {
  if (value < 1 || value > limit) [[unlikely]]
    failAxis(what, axis, value, limit);
}

} // namespace

static void checkThreads(const LaunchConfig &config, const LaunchLimits &limits, const LaunchBounds &bounds) {
  const uint64_t threads = uint64_t(config.block[0]) * config.block[1] * config.block[2];
  auto refuse = [&](const std::string &limit) {
    fail("launch configuration: a block of " + std::to_string(config.block[0]) + " x " +
         std::to_string(config.block[1]) + " x " + std::to_string(config.block[2]) + " has " + std::to_string(threads) +
         " threads; " + limit);
  };
  if (threads > limits.threadsPerBlock)
    refuse("the limit is " + std::to_string(limits.threadsPerBlock));
  if (bounds.threads && threads > bounds.threads)
    refuse("the kernel's launch_bounds allow " + std::to_string(bounds.threads));
}

static void readCluster(const RequestedConfig &requested, LaunchConfig &config, const LaunchLimits &limits) {
  if (limits.clusterBlocks == 0)
    fail("launch configuration: clusters need a device of compute capability 9.0 or later: leave out the fifth item");
  for (unsigned axis = 0; axis < 3; ++axis) {
    checkAxis("cluster", axis, requested.cluster[axis], limits.clusterBlocks);
    config.cluster[axis] = uint32_t(requested.cluster[axis]);
    if (config.grid[axis] % config.cluster[axis] != 0)
      fail(std::string("launch configuration: gridDim.") + axisNames[axis] + " is " +
           std::to_string(config.grid[axis]) + ", which is no multiple of the cluster's " +
           std::to_string(config.cluster[axis]));
  }
  config.hasCluster = true;
}

static void checkCluster(const LaunchConfig &config, const LaunchLimits &limits, const LaunchBounds &bounds) {
  const uint32_t blocks = config.blocksPerCluster();
  const bool isBound = bounds.clusterBlocks && bounds.clusterBlocks < limits.clusterBlocks;
  const uint32_t most = isBound ? bounds.clusterBlocks : limits.clusterBlocks;
  if (blocks > most)
    fail("launch configuration: a cluster of " + std::to_string(config.cluster[0]) + " x " +
         std::to_string(config.cluster[1]) + " x " + std::to_string(config.cluster[2]) + " has " +
         std::to_string(blocks) + " blocks; " + (isBound ? "the kernel's launch_bounds allow " : "the limit is ") +
         std::to_string(most));
}

LaunchConfig checkLaunchConfig(const RequestedConfig &requested, const LaunchLimits &limits,
                               const LaunchBounds &bounds) {
  LaunchConfig config;
  for (unsigned axis = 0; axis < 3; ++axis) {
    checkAxis("gridDim", axis, requested.grid[axis], limits.grid[axis]);
    checkAxis("blockDim", axis, requested.block[axis], limits.block[axis]);
    config.grid[axis] = uint32_t(requested.grid[axis]);
    config.block[axis] = uint32_t(requested.block[axis]);
  }
  checkThreads(config, limits, bounds);
  if (requested.sharedBytes < 0 || requested.sharedBytes > limits.shared)
    fail("launch configuration: " + std::to_string(requested.sharedBytes) +
         " bytes of dynamic shared memory; the limit is " + std::to_string(limits.shared));
  config.sharedBytes = uint32_t(requested.sharedBytes);
  if (requested.hasCluster) {
    readCluster(requested, config, limits);
    checkCluster(config, limits, bounds);
  }
  return config;
}

void checkLimits(const LaunchConfig &config, const LaunchLimits &limits) {
  RequestedConfig requested;
  std::ranges::copy(config.grid, requested.grid);
  std::ranges::copy(config.block, requested.block);
  requested.sharedBytes = config.sharedBytes;
  requested.hasCluster = config.hasCluster;
  std::ranges::copy(config.cluster, requested.cluster);
  checkLaunchConfig(requested, limits);
}

void failTooManyBlocks(const LaunchConfig &config, uint64_t most) {
  throw DeviceError("launch a grid that synchronises", CudaResult::CooperativeLaunchTooLarge,
                    "all its blocks must run at once: " + std::to_string(config.blocks()) + " blocks, but at most " +
                        std::to_string(most) + " of this shape can: launch fewer blocks, and let each do more");
}

void failSharedMemory(const LaunchLimits &limits, uint32_t staticBytes, uint32_t dynamicBytes) {
  if (staticBytes > limits.staticShared)
    fail("the kernel's shared arrays take " + std::to_string(staticBytes) + " bytes; the limit is " +
         std::to_string(limits.staticShared) + " (larger ones must be dynamic: shape 0 and bytes given at the launch)");
  fail("a block needs " + std::to_string(staticBytes) + " bytes of static and " + std::to_string(dynamicBytes) +
       " of dynamic shared memory; the limit of both is " + std::to_string(limits.shared));
}

} // namespace treadle

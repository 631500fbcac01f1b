// Checks launch configurations against the limits of a device.
#include "device/launch_config.h"

#include "support/error.h"

#include <algorithm>
#include <fmt/core.h>
#include <string>

namespace treadle {

namespace {

constexpr char axisNames[] = {'x', 'y', 'z'};

[[noreturn]] void fail(const std::string &message) { throw UsageError(UsageError::Kind::Value, message); }

[[noreturn]] void failAxis(const char *what, unsigned axis, int64_t value, uint32_t limit) {
  const std::string name = std::string(what) + "." + axisNames[axis];
  if (value < 1)
    fail(fmt::format("launch configuration: {} is {}; every dimension must be at least 1{}", name, value,
                     value == 0 ? " (skip the launch when there is nothing to do)" : ""));
  fail(fmt::format("launch configuration: {} is {}; the limit is {}", name, value, limit));
}

void checkAxis(const char *what, unsigned axis, int64_t value, uint32_t limit) {
  if (value < 1 || value > limit) [[unlikely]]
    failAxis(what, axis, value, limit);
}

void checkThreads(const LaunchConfig &config, const LaunchLimits &limits, const LaunchBounds &bounds) {
  const uint64_t threads = uint64_t(config.block[0]) * config.block[1] * config.block[2];
  auto refuse = [&](const std::string &limit) {
    fail(fmt::format("launch configuration: a block of {} x {} x {} has {} threads; {}", config.block[0],
                     config.block[1], config.block[2], threads, limit));
  };
  if (threads > limits.threadsPerBlock)
    refuse(fmt::format("the limit is {}", limits.threadsPerBlock));
  if (bounds.threads && threads > bounds.threads)
    refuse(fmt::format("the kernel's launch_bounds allow {}", bounds.threads));
}

void readCluster(const RequestedConfig &requested, LaunchConfig &config, const LaunchLimits &limits) {
  if (limits.clusterBlocks == 0)
    fail("launch configuration: clusters need a device of compute capability 9.0 or later: leave out the fifth item");
  for (unsigned axis = 0; axis < 3; ++axis) {
    checkAxis("cluster", axis, requested.cluster[axis], limits.clusterBlocks);
    config.cluster[axis] = uint32_t(requested.cluster[axis]);
    if (config.grid[axis] % config.cluster[axis] != 0)
      fail(fmt::format("launch configuration: gridDim.{} is {}, which is no multiple of the cluster's {}",
                       axisNames[axis], config.grid[axis], config.cluster[axis]));
  }
  config.hasCluster = true;
}

void checkCluster(const LaunchConfig &config, const LaunchLimits &limits, const LaunchBounds &bounds) {
  const uint32_t blocks = config.blocksPerCluster();
  const bool isBound = bounds.clusterBlocks && bounds.clusterBlocks < limits.clusterBlocks;
  const uint32_t most = isBound ? bounds.clusterBlocks : limits.clusterBlocks;
  if (blocks > most)
    fail(fmt::format("launch configuration: a cluster of {} x {} x {} has {} blocks; {}{}", config.cluster[0],
                     config.cluster[1], config.cluster[2], blocks,
                     isBound ? "the kernel's launch_bounds allow " : "the limit is ", most));
}

} // namespace

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
    fail(fmt::format("launch configuration: {} bytes of dynamic shared memory; the limit is {}", requested.sharedBytes,
                     limits.shared));
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
                    fmt::format("all its blocks must run at once: {} blocks, but at most {} of this shape can: launch "
                                "fewer blocks, and let each do more",
                                config.blocks(), most));
}

void failSharedMemory(const LaunchLimits &limits, uint32_t staticBytes, uint32_t dynamicBytes) {
  if (staticBytes > limits.staticShared)
    fail(fmt::format("the kernel's shared arrays take {} bytes; the limit is {} (larger ones must be dynamic: shape 0 "
                     "and bytes given at the launch)",
                     staticBytes, limits.staticShared));
  fail(fmt::format("a block needs {} bytes of static and {} of dynamic shared memory; the limit of both is {}",
                   staticBytes, dynamicBytes, limits.shared));
}

} // namespace treadle

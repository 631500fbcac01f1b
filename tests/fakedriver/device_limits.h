// Limits of devices by their compute capability.
#pragma once

#include "fake_driver.h"

namespace fakecuda {

struct Limits {
  int capability;              ///< of the first device with these limits: 89 for 8.9
  int optInShared;             ///< bytes of shared memory per block, after cuFuncSetAttribute
  int sharedPerMultiprocessor; ///< bytes
  int reservedShared;          ///< bytes of each block that the system takes
  int threadsPerMultiprocessor;
  int blocksPerMultiprocessor;
};

constexpr int defaultShared = 48 << 10; ///< bytes per block that need no cuFuncSetAttribute
constexpr int registersPerMultiprocessor = 65536, registersPerBlock = 65536, maxRegisters = 255;
constexpr unsigned portableCluster = 8, largestCluster = 16; ///< blocks of a cluster
constexpr unsigned maxGrid[3] = {2147483647, 65535, 65535}, maxBlock[3] = {1024, 1024, 64};
constexpr int maxThreadsPerBlock = 1024;

const Limits &limitsOf(const FakeCudaConfig &config);
inline bool hasClusters(const FakeCudaConfig &config) { return config.computeCapability >= 90; }

} // namespace fakecuda

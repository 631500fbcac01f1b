// Kernel launches as pieces of work.
#pragma once

#include "driver.h"

namespace fakecuda {

struct LaunchShape {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  bool isCooperative = false;
  unsigned cluster[3] = {0, 0, 0}; ///< 0: the attribute was not given
};

struct LaunchParameters {
  void **pointers; ///< one per parameter
  void **extra;    ///< or a list that names one buffer
};

/// Blocks of the function that can run concurrently on one multiprocessor.
int activeBlocks(const FakeCudaConfig &config, const Function &function, size_t blockSize, size_t sharedBytes);
/// Threads of its largest block.
int maxThreads(const PtxEntry &entry);
/// What is wrong with the shape's cluster; empty: nothing.
std::string checkCluster(const FakeCudaConfig &config, const Function &function, const LaunchShape &shape);

CUresult launchKernel(Driver &driver, CUfunction function, const LaunchShape &shape, const LaunchParameters &parameters,
                      CUstream stream);

} // namespace fakecuda

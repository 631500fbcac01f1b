// The driver API: launches and occupancy.
#include "call.h"
#include "launches.h"

using namespace fakecuda;

extern "C" {

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                        unsigned blockY, unsigned blockZ, unsigned sharedBytes, CUstream stream, void **parameters,
                        void **extra) {
  return apiCall({"cuLaunchKernel",
                  NeedsContext,
                  {{"function", function}, {"grid", gridX}, {"block", blockX}, {"stream", stream}}},
                 [&](Driver &d) {
                   const LaunchShape shape{{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes};
                   return launchKernel(d, function, shape, {parameters, extra}, stream);
                 });
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                                   unsigned blockY, unsigned blockZ, unsigned sharedBytes, CUstream stream,
                                   void **parameters) {
  return apiCall({"cuLaunchCooperativeKernel",
                  NeedsContext,
                  {{"function", function}, {"grid", gridX}, {"block", blockX}, {"stream", stream}}},
                 [&](Driver &d) {
                   const LaunchShape shape{{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, true};
                   return launchKernel(d, function, shape, {parameters, nullptr}, stream);
                 });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra) {
  return apiCall({"cuLaunchKernelEx", NeedsContext, {{"function", function}, {"config", config}}}, [&](Driver &d) {
    if (!config || (config->numAttrs && !config->attrs))
      return d.violate(Rule::InvalidArgument, "no configuration, or no attributes", CUDA_ERROR_INVALID_VALUE);
    LaunchShape shape{{config->gridDimX, config->gridDimY, config->gridDimZ},
                      {config->blockDimX, config->blockDimY, config->blockDimZ},
                      config->sharedMemBytes};
    for (unsigned at = 0; at < config->numAttrs; ++at) {
      const CUlaunchAttribute &attribute = config->attrs[at];
      if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        shape.isCooperative = attribute.value.cooperative;
      if (attribute.id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
        continue;
      const auto &cluster = attribute.value.clusterDim;
      if (d.config.computeCapability < 90 || !cluster.x || !cluster.y || !cluster.z || shape.grid[0] % cluster.x ||
          shape.grid[1] % cluster.y || shape.grid[2] % cluster.z)
        return d.violate(Rule::LaunchLimits, "a cluster that does not divide the grid, or on a device without clusters",
                         CUDA_ERROR_INVALID_VALUE);
    }
    return launchKernel(d, function, shape, {parameters, extra}, config->hStream);
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int blockSize,
                                                     size_t sharedBytes) {
  return apiCall(
      {"cuOccupancyMaxActiveBlocksPerMultiprocessor", NeedsContext, {{"function", function}, {"blockSize", blockSize}}},
      [&](Driver &d) {
        const std::shared_ptr<Function> found = d.find<Function>(function, Kind::Function);
        if (!found)
          return CUDA_ERROR_INVALID_HANDLE;
        if (blockSize <= 0)
          return CUDA_ERROR_INVALID_VALUE;
        *blocks = activeBlocks(*found, static_cast<size_t>(blockSize), sharedBytes);
        return CUDA_SUCCESS;
      });
}

CUresult cuOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, CUfunction function, CUoccupancyB2DSize shared,
                                          size_t sharedBytes, int limit) {
  return apiCall({"cuOccupancyMaxPotentialBlockSize", NeedsContext, {{"function", function}, {"limit", limit}}},
                 [&](Driver &d) {
                   const std::shared_ptr<Function> found = d.find<Function>(function, Kind::Function);
                   if (!found)
                     return CUDA_ERROR_INVALID_HANDLE;
                   const int top = limit > 0 && limit < 768 ? limit / 32 * 32 : 768;
                   *blockSize = top;
                   const size_t bytes = shared ? shared(top) : sharedBytes;
                   *gridSize = 4 * activeBlocks(*found, static_cast<size_t>(top), bytes);
                   return CUDA_SUCCESS;
                 });
}

} // extern "C"

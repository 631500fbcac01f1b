// The driver API: launches and occupancy.
#include "call.h"
#include "device_limits.h"
#include "launches.h"

#include <algorithm>

using namespace fakecuda;

namespace {

constexpr unsigned launchAttributes = 20; ///< those of drivers of today; the others change nothing here

struct BlockSizeRequest {
  int *gridSize, *blockSize;
  CUoccupancyB2DSize shared; ///< or null
  size_t sharedBytes;
  int limit;
};

CUresult readAttribute(Driver &d, const CUlaunchAttribute &attribute, LaunchShape &shape) {
  const CUlaunchAttributeValue &value = attribute.value;
  switch (attribute.id) {
  case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
    shape.isCooperative = value.cooperative != 0;
    return CUDA_SUCCESS;
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
    shape.cluster[0] = value.clusterDim.x;
    shape.cluster[1] = value.clusterDim.y;
    shape.cluster[2] = value.clusterDim.z;
    if (!shape.cluster[0] || !shape.cluster[1] || !shape.cluster[2])
      return d.violate(Rule::LaunchLimits, "a cluster without extent", CUDA_ERROR_INVALID_CLUSTER_SIZE);
    return CUDA_SUCCESS;
  case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    if (value.priority < -5 || value.priority > 0)
      return d.violate(Rule::InvalidArgument, "a priority out of the range of cuCtxGetStreamPriorityRange",
                       CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
  default:
    return attribute.id < launchAttributes
               ? CUDA_SUCCESS
               : d.violate(Rule::InvalidArgument, "the attribute " + std::to_string(attribute.id) + " is not known",
                           CUDA_ERROR_INVALID_VALUE);
  }
}

CUresult readConfig(Driver &d, const CUlaunchConfig *config, LaunchShape &shape) {
  if (!config || (config->numAttrs && !config->attrs))
    return d.violate(Rule::InvalidArgument, "no configuration, or no attributes", CUDA_ERROR_INVALID_VALUE);
  shape = {{config->gridDimX, config->gridDimY, config->gridDimZ},
           {config->blockDimX, config->blockDimY, config->blockDimZ},
           config->sharedMemBytes};
  for (unsigned at = 0; at < config->numAttrs; ++at)
    if (const CUresult result = readAttribute(d, config->attrs[at], shape); result != CUDA_SUCCESS)
      return result;
  return CUDA_SUCCESS;
}

/// The block size with the most resident threads, as the driver's occupancy calculator finds it.
CUresult findBlockSize(Driver &d, const Function &function, const BlockSizeRequest &request) {
  const int most = maxThreads(*function.entry);
  int best = 0, bestThreads = 0;
  for (int size = request.limit > 0 && request.limit < most ? request.limit : most; size > 0;
       size = (size - 1) / 32 * 32) {
    const size_t bytes = request.shared ? request.shared(size) : request.sharedBytes;
    const int threads = size * activeBlocks(d.config, function, static_cast<size_t>(size), bytes);
    if (threads > bestThreads) {
      best = size;
      bestThreads = threads;
    }
  }
  *request.blockSize = best;
  *request.gridSize = best ? d.config.multiprocessors * (bestThreads / best) : 0;
  return best ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/// What remains for dynamic shared memory when this many blocks are resident.
CUresult findShared(Driver &d, const Function &function, int blocks, size_t *bytes) {
  const Limits &limits = limitsOf(d.config);
  const int block = limits.sharedPerMultiprocessor / blocks - limits.reservedShared;
  const int room = std::min({block - static_cast<int>(function.entry->sharedBytes), function.maxDynamicShared});
  *bytes = static_cast<size_t>(std::max(room, 0) / 128 * 128);
  return CUDA_SUCCESS;
}

} // namespace

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
    LaunchShape shape;
    const CUresult result = readConfig(d, config, shape);
    return result != CUDA_SUCCESS ? result : launchKernel(d, function, shape, {parameters, extra}, config->hStream);
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int blockSize,
                                                              size_t sharedBytes, unsigned flags) {
  return apiCall(
      {"cuOccupancyMaxActiveBlocksPerMultiprocessor", NeedsContext, {{"function", function}, {"blockSize", blockSize}}},
      [&](Driver &d) {
        const std::shared_ptr<Function> found = d.find<Function>(function, Kind::Function);
        if (!found)
          return CUDA_ERROR_INVALID_HANDLE;
        if (blockSize <= 0 || flags > 1)
          return CUDA_ERROR_INVALID_VALUE;
        *blocks = activeBlocks(d.config, *found, static_cast<size_t>(blockSize), sharedBytes);
        return CUDA_SUCCESS;
      });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int blockSize,
                                                     size_t sharedBytes) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, blockSize, sharedBytes, 0);
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config) {
  return apiCall({"cuOccupancyMaxActiveClusters", NeedsContext, {{"function", function}}}, [&](Driver &d) {
    LaunchShape shape;
    const std::shared_ptr<Function> found = d.find<Function>(function, Kind::Function);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    if (const CUresult result = readConfig(d, config, shape); result != CUDA_SUCCESS)
      return result;
    if (!checkCluster(d.config, *found, shape).empty() || !shape.cluster[0])
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    const auto size = static_cast<int>(shape.cluster[0] * shape.cluster[1] * shape.cluster[2]);
    const size_t threads = size_t{shape.block[0]} * shape.block[1] * shape.block[2];
    *clusters = activeBlocks(d.config, *found, threads, shape.sharedBytes) * d.config.multiprocessors / size;
    return CUDA_SUCCESS;
  });
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks, int blockSize) {
  return apiCall({"cuOccupancyAvailableDynamicSMemPerBlock",
                  NeedsContext,
                  {{"function", function}, {"blocks", blocks}, {"blockSize", blockSize}}},
                 [&](Driver &d) {
                   const std::shared_ptr<Function> found = d.find<Function>(function, Kind::Function);
                   if (!found)
                     return CUDA_ERROR_INVALID_HANDLE;
                   if (blocks <= 0 || blockSize <= 0)
                     return CUDA_ERROR_INVALID_VALUE;
                   return findShared(d, *found, blocks, bytes);
                 });
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *gridSize, int *blockSize, CUfunction function,
                                                   CUoccupancyB2DSize shared, size_t sharedBytes, int limit,
                                                   unsigned flags) {
  return apiCall({"cuOccupancyMaxPotentialBlockSize", NeedsContext, {{"function", function}, {"limit", limit}}},
                 [&](Driver &d) {
                   const std::shared_ptr<Function> found = d.find<Function>(function, Kind::Function);
                   if (!found)
                     return CUDA_ERROR_INVALID_HANDLE;
                   if (flags > 1)
                     return CUDA_ERROR_INVALID_VALUE;
                   return findBlockSize(d, *found, {gridSize, blockSize, shared, sharedBytes, limit});
                 });
}

CUresult cuOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, CUfunction function, CUoccupancyB2DSize shared,
                                          size_t sharedBytes, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(gridSize, blockSize, function, shared, sharedBytes, limit, 0);
}

} // extern "C"

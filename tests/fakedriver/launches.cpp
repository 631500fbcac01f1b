// What launches check: shapes, parameter blocks, the memory that the kernel accesses.
#include "launches.h"
#include "device_limits.h"
#include "images.h"
#include "kernels.h"
#include "machine_kernel.h"

#include <algorithm>
#include <cstring>

namespace fakecuda {

namespace {

std::string checkShape(const Function &function, const LaunchShape &shape) {
  uint64_t threads = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (!shape.grid[axis] || shape.grid[axis] > maxGrid[axis])
      return "a grid of " + std::to_string(shape.grid[axis]) + " blocks along axis " + std::to_string(axis);
    if (!shape.block[axis] || shape.block[axis] > maxBlock[axis])
      return "a block of " + std::to_string(shape.block[axis]) + " threads along axis " + std::to_string(axis);
    threads *= shape.block[axis];
  }
  const PtxEntry &entry = *function.entry;
  const auto allowed = static_cast<uint64_t>(maxThreads(entry));
  if (threads > allowed && entry.threads.empty())
    return "a block of " + std::to_string(threads) + " threads, more than " + std::to_string(allowed);
  for (size_t axis = 0; axis < entry.threads.size(); ++axis)
    if (shape.block[axis] != entry.threads[axis])
      return "a block that is not the one of .reqntid";
  if (shape.sharedBytes > static_cast<unsigned>(function.maxDynamicShared))
    return std::to_string(shape.sharedBytes) + " bytes of dynamic shared memory beside " +
           std::to_string(entry.sharedBytes) + " static ones";
  return {};
}

/// Fills the block from one pointer per parameter; returns a description of any problem.
std::string gatherPointers(const PtxEntry &entry, void **pointers, std::vector<std::byte> &block) {
  for (size_t at = 0; at < entry.parameters.size(); ++at) {
    const std::string which = "parameter " + std::to_string(at) + " of " + std::to_string(entry.parameters.size());
    void *value = nullptr;
    if (!readSafely(pointers + at, &value, sizeof value))
      return "the list of parameters ends before " + which;
    if (!value)
      return which + " is null";
    const PtxParameter &parameter = entry.parameters[at];
    if (!readSafely(value, block.data() + parameter.offset, parameter.bytes))
      return which + ": its " + std::to_string(parameter.bytes) + " bytes cannot be read";
  }
  return {};
}

std::string gatherBuffer(const PtxEntry &entry, void **extra, std::vector<std::byte> &block) {
  const void *buffer = nullptr;
  const size_t *bytes = nullptr;
  for (size_t at = 0; extra[at] != CU_LAUNCH_PARAM_END; at += 2) {
    if (extra[at] == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[at + 1];
    else if (extra[at] == CU_LAUNCH_PARAM_BUFFER_SIZE)
      bytes = static_cast<const size_t *>(extra[at + 1]);
    else
      return "an unknown word in the list of extras";
  }
  if (!buffer || !bytes)
    return "the extras lack the buffer or its size";
  size_t alignment = 1;
  for (const PtxParameter &parameter : entry.parameters)
    alignment = std::max(alignment, parameter.alignment);
  const size_t rounded = (entry.parameterBytes + alignment - 1) / alignment * alignment;
  if (*bytes != entry.parameterBytes && *bytes != rounded)
    return "a buffer of " + std::to_string(*bytes) + " bytes for parameters of " + std::to_string(entry.parameterBytes);
  if (!readSafely(buffer, block.data(), entry.parameterBytes))
    return "the buffer cannot be read";
  return {};
}

std::string gather(const PtxEntry &entry, const LaunchParameters &parameters, std::vector<std::byte> &block) {
  block.resize(entry.parameterBytes);
  if (parameters.pointers && parameters.extra)
    return "both a list of parameters and extras";
  if (parameters.extra)
    return gatherBuffer(entry, parameters.extra, block);
  if (parameters.pointers)
    return gatherPointers(entry, parameters.pointers, block);
  return entry.parameters.empty() ? "" : "no parameters for " + std::to_string(entry.parameters.size());
}

/// The offsets of the native body's arguments in the block.
std::vector<size_t> argumentOffsets(const PtxEntry &entry) {
  std::vector<size_t> offsets;
  if (entry.places.empty())
    for (const PtxParameter &parameter : entry.parameters)
      offsets.push_back(parameter.offset);
  for (const std::string &place : entry.places) {
    const size_t plus = place.find('+');
    const size_t index = std::min<size_t>(std::strtoull(place.c_str(), nullptr, 10), entry.parameters.size() - 1);
    const size_t inner = plus == place.npos ? 0 : std::strtoull(place.c_str() + plus + 1, nullptr, 10);
    offsets.push_back(entry.parameters[index].offset + inner);
  }
  return offsets;
}

CUresult checkPeer(Driver &d, const Access &access, const Context &context, const std::string &name) {
  const std::shared_ptr<Allocation> found = d.memory.find(access.address);
  if (!found || isReachable(*found, context))
    return CUDA_SUCCESS;
  return d.violate(Rule::PeerAccess,
                   name + " uses memory of device " + std::to_string(found->device) + " without peer access, made by " +
                       found->madeBy,
                   CUDA_ERROR_ILLEGAL_ADDRESS);
}

/// Runs the kernel: checks the rules on the memory it accesses, then runs its body.
CUresult runKernel(Driver &d, const Function &function, const KernelArguments &arguments, const Work &work) {
  const NativeKernel &native = *function.native;
  std::vector<std::byte *> views;
  for (const Access &access : work.accesses) {
    if (!access.bytes) {
      views.push_back(nullptr);
      continue;
    }
    if (access.address % 4)
      return d.violate(Rule::Misaligned, work.name + " uses the address " + hex(access.address),
                       CUDA_ERROR_MISALIGNED_ADDRESS);
    if (const CUresult result = checkPeer(d, access, *function.context, work.name); result != CUDA_SUCCESS)
      return result;
    views.push_back(d.resolve(access, work.name, Rule::KernelOutOfBounds));
    if (!views.back())
      return CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  return native.run(arguments, views);
}

std::shared_ptr<Work> makeWork(const std::shared_ptr<Function> &function, std::vector<std::byte> block,
                               uint64_t threads) {
  const NativeKernel &native = *function->native;
  const KernelArguments arguments(std::move(block), argumentOffsets(*function->entry), threads);
  auto work = std::make_shared<Work>();
  work->name = function->entry->name;
  work->accesses = native.accesses(arguments);
  // A raw pointer to the work that owns the function: both have the same lifetime.
  work->run = [function, arguments, own = work.get()](Driver &d) { return runKernel(d, *function, arguments, *own); };
  if (native.ready)
    work->ready = [function, arguments](Driver &d) {
      const Access flag{arguments.pointer(0), 4, AccessKind::Read};
      std::byte *view = d.resolve(flag, function->entry->name, Rule::KernelOutOfBounds);
      return !view || function->native->ready(arguments, std::span(&view, 1));
    };
  if (native.isSlow) {
    work->extraQueries = static_cast<int>(arguments.get<uint32_t>(0));
    work->nanoseconds = uint64_t{1000000} * arguments.get<uint32_t>(0);
  }
  return work;
}

} // namespace

int activeBlocks(const FakeCudaConfig &config, const Function &function, size_t blockSize, size_t sharedBytes) {
  const Limits &limits = limitsOf(config);
  const PtxEntry &entry = *function.entry;
  const size_t threads = (std::max<size_t>(blockSize, 1) + 31) / 32 * 32;
  const size_t shared = entry.sharedBytes + sharedBytes;
  if (threads > static_cast<size_t>(maxThreads(entry)) || shared > static_cast<size_t>(limits.optInShared))
    return 0;
  size_t blocks = static_cast<size_t>(limits.blocksPerMultiprocessor);
  blocks = std::min(blocks, static_cast<size_t>(limits.threadsPerMultiprocessor) / threads);
  blocks = std::min(blocks, static_cast<size_t>(registersPerMultiprocessor) / (entry.registers * threads));
  const size_t perBlock = shared + static_cast<size_t>(limits.reservedShared);
  if (perBlock)
    blocks = std::min(blocks, static_cast<size_t>(limits.sharedPerMultiprocessor) / perBlock);
  return static_cast<int>(blocks);
}

int maxThreads(const PtxEntry &entry) {
  const std::vector<unsigned> &extents = entry.threads.empty() ? entry.maxThreads : entry.threads;
  size_t threads = 1;
  for (const unsigned extent : extents)
    threads *= extent;
  return extents.empty() ? maxThreadsPerBlock : static_cast<int>(std::min<size_t>(threads, maxThreadsPerBlock));
}

std::string checkCluster(const FakeCudaConfig &config, const Function &function, const LaunchShape &shape) {
  const std::vector<unsigned> &required = function.entry->cluster;
  if (!required.empty() && !shape.cluster[0])
    return {}; // the driver takes what the text says
  uint64_t blocks = 1;
  for (size_t axis = 0; axis < 3; ++axis) {
    const unsigned extent = shape.cluster[axis];
    if (!extent)
      return axis || blocks != 1 ? "a cluster without extent along axis " + std::to_string(axis) : "";
    if (shape.grid[axis] % extent)
      return "a cluster that does not divide the grid along axis " + std::to_string(axis);
    if (axis < required.size() && required[axis] != extent)
      return "a cluster that is not the one of .reqnctapercluster";
    blocks *= extent;
  }
  if (!hasClusters(config))
    return "a cluster, on a device without clusters";
  const unsigned most = function.allowsLargeClusters ? largestCluster : portableCluster;
  if (blocks > most)
    return "a cluster of " + std::to_string(blocks) + " blocks, more than " + std::to_string(most);
  return {};
}

CUresult launchKernel(Driver &d, CUfunction handle, const LaunchShape &shape, const LaunchParameters &parameters,
                      CUstream streamHandle) {
  const std::shared_ptr<Function> function = d.find<Function>(handle, Kind::Function);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  const std::shared_ptr<Stream> stream = d.findStream(streamHandle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (function->context != stream->context)
    return d.violate(Rule::ContextMismatch, "the function was loaded in another context", CUDA_ERROR_INVALID_HANDLE);
  if (const std::string problem = checkShape(*function, shape); !problem.empty())
    return d.violate(Rule::LaunchLimits, function->entry->name + " with " + problem, CUDA_ERROR_INVALID_VALUE);
  if (const std::string problem = checkCluster(d.config, *function, shape); !problem.empty())
    return d.violate(Rule::LaunchLimits, function->entry->name + " with " + problem, CUDA_ERROR_INVALID_CLUSTER_SIZE);

  const uint64_t blockSize = uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
  const uint64_t blocks = uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  const auto perMultiprocessor = static_cast<uint64_t>(activeBlocks(d.config, *function, blockSize, shape.sharedBytes));
  const uint64_t resident = perMultiprocessor * static_cast<uint64_t>(d.config.multiprocessors);
  if (shape.isCooperative && blocks > resident)
    return d.violate(Rule::LaunchLimits, "a cooperative launch of more blocks than are resident at once",
                     CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  function->context->hasFixedLimits |= function->module->ptx.fixesLimits;
  std::vector<std::byte> block;
  if (const std::string problem = gather(*function->entry, parameters, block); !problem.empty())
    return d.violate(Rule::ParameterBlock, function->entry->name + ": " + problem, CUDA_ERROR_INVALID_VALUE);
  return d
      .enqueue(stream, function->native ? makeWork(function, std::move(block), blocks * blockSize)
                                        : machineWork(function, std::move(block), shape))
      .result;
}

} // namespace fakecuda

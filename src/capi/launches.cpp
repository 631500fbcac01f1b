// Launches.
#include "capi/launch_check.h"
#include "capi/repeated_launch.h"
#include "capi/sized_struct.h"
#include "launch/launch_facts.h"
#include "launch/ready_launch.h"
#include "memory/use_order.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

using namespace treadle;
using namespace treadle::capi;

static_assert(sizeof(treadle_argument) == 24 && offsetof(treadle_argument, bytes) == 4 &&
              offsetof(treadle_argument, value) == 8 && offsetof(treadle_argument, value.raw.alignment) == 16);
static_assert(sizeof(treadle_launch_config) == 56 && offsetof(treadle_launch_config, grid) == 8 &&
              offsetof(treadle_launch_config, block) == 20 && offsetof(treadle_launch_config, cluster) == 32 &&
              offsetof(treadle_launch_config, shared_bytes) == 44 && offsetof(treadle_launch_config, stream) == 48);

namespace treadle::capi {

namespace {

LaunchConfig checkedConfig(const treadle_launch_config &given, const LaunchLimits &limits,
                           const LaunchBounds &bounds = {}) {
  RequestedConfig requested;
  for (unsigned axis = 0; axis < 3; ++axis) {
    requested.grid[axis] = given.grid[axis];
    requested.block[axis] = given.block[axis];
    requested.hasCluster |= given.cluster[axis] != 0;
  }
  if (requested.hasCluster)
    std::copy_n(given.cluster, 3, requested.cluster);
  requested.sharedBytes = given.shared_bytes;
  return checkLaunchConfig(requested, limits, bounds);
}

void tell(LaunchOutcome outcome) {
  if (outcome == LaunchOutcome::Interrupted)
    throw ApiError(TREADLE_ERROR_STATE, "the launch was ended: the kernel's results are incomplete");
}

/// The parameter block of a raw kernel, as a C struct of its parameters.
class RawBlock {
public:
  /// What drivers of CUDA 12.0 take.
  static constexpr size_t mostBytes = 4096;

  void add(const void *bytes, size_t count, size_t alignment) {
    used = (used + alignment - 1) / alignment * alignment;
    if (count > mostBytes || used > mostBytes - count)
      failArgument("the parameters have more than " + std::to_string(mostBytes) + " bytes");
    std::memcpy(block + used, bytes, count);
    used += count;
  }
  const char *data() const { return block; }
  uint32_t size() const { return uint32_t(used); }

private:
  alignas(16) char block[mostBytes] = {};
  size_t used = 0;
};

size_t alignmentOf(const treadle_argument &given, unsigned index) {
  const uint64_t asked = given.value.raw.alignment;
  if (asked == 0)
    return std::min<size_t>(size_t(1) << std::countr_zero(given.bytes), 16);
  if (!std::has_single_bit(asked) || asked > 16)
    failArgument(argumentName(index) + ": the alignment is " + std::to_string(asked) +
                 "; it must be 0, or a power of two up to 16");
  return size_t(asked);
}

void readRaw(const DeviceContext &context, std::span<const treadle_argument> arguments, RawBlock &block,
             ArgumentList &list) {
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const treadle_argument &given = arguments[i];
    if (given.kind == TREADLE_ARGUMENT_ARRAY) {
      const ArrayObject &array = arrayOf(given, context, i);
      array.checkWritable(argumentName(i).c_str());
      const auto address = reinterpret_cast<uint64_t>(array.view.data);
      block.add(&address, sizeof address, alignof(uint64_t));
      list.buffers.push() = &array.view.owner;
      list.isUsedBefore |= array.view.owner->isUsedBefore();
      continue;
    }
    if (given.kind != TREADLE_ARGUMENT_RAW)
      throw ApiError(TREADLE_ERROR_TYPE, argumentName(i) + " must be an array or raw bytes, as nobody knows the types "
                                                           "of this kernel's parameters");
    if (given.bytes == 0)
      failArgument(argumentName(i) + " has no bytes");
    block.add(&required(static_cast<const char *>(given.value.raw.data), argumentName(i).c_str()), given.bytes,
              alignmentOf(given, i));
  }
}

void launchRaw(KernelObject &kernel, const treadle_launch_config &given, std::span<const treadle_argument> arguments) {
  Device &device = *kernel.context.device;
  const LaunchConfig config = checkedConfig(given, device.limits());
  const CallStream queue(given.stream, device, "config.stream");
  ArgumentList list;
  RawBlock block;
  readRaw(kernel.context, arguments, block, list);
  KernelCode &code = kernel.raw->withParameters(block.size());
  const ArgumentOwners owners(list, code);
  HostThread host;
  UseOrder order(queue.stream);
  for (const std::shared_ptr<Buffer> *buffer : list.buffers.view())
    order.comeBehind(**buffer);
  const LaunchOutcome outcome = queue.stream.launch({code.variant.kernel, config, block.data(), &owners, false}, host);
  if (outcome == LaunchOutcome::MustBeKept)
    failCaptured("launch a kernel of PTX or a binary", "launch it on a stream that is not captured");
  if (outcome == LaunchOutcome::Queued)
    order.goAhead();
  tell(outcome);
}

/// What a launch was found to be, for the same one again.
struct MadeLaunch {
  KernelCode &code; ///< the image that assumes no more than holds
  const LaunchConfig &config;
  const ArgumentList &list;
  Stream &stream;
};

/// On the stream that a producer of all arrays works on, where the program names none. Calls `made` once it is queued.
template <typename Made>
void launchChecked(KernelCode &head, const treadle_launch_config &given, std::span<const treadle_argument> arguments,
                   const Made &made) {
  Device &device = *head.context.device;
  const Image &image = *head.variant.image;
  const LaunchConfig config = checkedConfig(given, device.limits(), {image.maxThreads, image.maxClusterBlocks});
  const CallStream queue(given.stream, device, "config.stream");
  ArgumentList list;
  readArguments(head, arguments, list);
  KernelCode &code = fittingCode(head, factsOf(config), list);
  Stream *const producer =
      list.isUsedBefore && !queue.isNamed && !device.standIn() ? onlyProducer(list, device) : nullptr;
  Stream &stream = producer ? *producer : queue.stream;
  const ArgumentOwners owners(list, code);
  const ReadyLaunch ready{code.variant, config, stream, &owners};
  const OrderedUses uses{list, {}, producer ? &queue.stream : nullptr};
  HostThread host;
  tell(launchReady(ready, uses, !list.isUsedBefore, host));
  if (!list.isUsedBefore)
    made(MadeLaunch{code, config, list, stream});
}

/// Makes the same launch as before. False: nothing was done, as something has changed.
bool launchAgain(const RepeatedLaunch &repeated, const treadle_launch_config &given) {
  if (!repeated.use)
    return false;
  KernelCode &code = *repeated.code;
  const CallStream queue(given.stream, *code.context.device, "config.stream");
  if (!repeated.isReady(queue.stream))
    return false;
  const RepeatedOwners owners(*repeated.use, code);
  HostThread host;
  const LaunchOutcome outcome =
      queue.stream.launch({code.variant.kernel, repeated.checked, repeated.block, &owners, false}, host);
  tell(outcome);
  return outcome != LaunchOutcome::MustBeKept;
}

/// The second of equal launches makes it ready, so that those that always differ pay only for being compared.
void launchKernel(KernelCode &head, const treadle_launch_config &given, std::span<const treadle_argument> arguments,
                  RepeatedLaunch *repeated) {
  if (!repeated)
    return launchChecked(head, given, arguments, [](const MadeLaunch &) {});
  const bool isSame = repeated->isSame(given, arguments.data(), uint32_t(arguments.size()));
  launchChecked(head, given, arguments, [&](const MadeLaunch &made) {
    if (!isSame)
      return repeated->note(given, arguments);
    const ArgPack &pack = made.code.variant.pack;
    if (pack.size() > RepeatedLaunch::mostBytes)
      return;
    pack.pack(made.list.leaves.view(), repeated->block);
    repeated->prepare(made.list, made.config, made.stream);
    repeated->code = &made.code;
    made.code.uses.share(repeated->use);
  });
}

treadle_launch_config checkedGiven(const treadle_launch_config *config, const treadle_argument *arguments,
                                   uint32_t count) {
  const treadle_launch_config given = readStruct(config, "config");
  if (given.argument_size != sizeof(treadle_argument))
    throw ApiError(TREADLE_ERROR_STRUCT_SIZE, "config.argument_size is " + std::to_string(given.argument_size) +
                                                  "; set it to sizeof(treadle_argument), which is " +
                                                  std::to_string(sizeof(treadle_argument)));
  if (count != 0)
    required(arguments, "arguments");
  return given;
}

} // namespace

} // namespace treadle::capi

treadle_status treadle_launch(treadle_kernel kernel, const treadle_launch_config *config,
                              const treadle_argument *arguments, uint32_t count) {
  return call(__func__, [&] {
    auto &known = found<KernelObject>(kernel, "kernel");
    const RepeatedLaunches::Use use(RepeatedLaunches::own(), reinterpret_cast<HandleValue>(kernel));
    // Nothing is checked of what was checked before.
    if (use.launch && config && config->struct_size == sizeof *config && (arguments || count == 0) &&
        use.launch->isSame(*config, arguments, count) && launchAgain(*use.launch, *config))
      return;
    const treadle_launch_config given = checkedGiven(config, arguments, count);
    const std::span<const treadle_argument> all(arguments, count);
    known.code ? launchKernel(*known.code, given, all, use.launch) : launchRaw(known, given, all);
  });
}

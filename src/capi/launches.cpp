// Launches.
#include "capi/kernel_launches.h"
#include "capi/launch_check.h"
#include "capi/sized_struct.h"
#include "launch/launch_facts.h"
#include "launch/submission.h"
#include "memory/use_order.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <fmt/core.h>

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

/// The parameter block of a raw kernel, laid out as a C struct of its parameters.
class RawBlock {
public:
  /// The limit of CUDA 12.0 drivers.
  static constexpr size_t mostBytes = 4096;

  void add(const void *bytes, size_t count, size_t alignment) {
    used = (used + alignment - 1) / alignment * alignment;
    if (count > mostBytes || used > mostBytes - count)
      failArgument(fmt::format("the parameters have more than {} bytes", mostBytes));
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
    failArgument(
        fmt::format("{}: the alignment is {}; it must be 0, or a power of two up to 16", argumentName(index), asked));
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
      throw ApiError(TREADLE_ERROR_TYPE, argumentName(i) + " must be an array or raw bytes, as the types of this "
                                                           "kernel's parameters are unknown");
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

/// No handle value is reused, so that equal handles mean equal arrays: all that was checked of them holds, except that
/// they are alive.
LaunchKey keyOf(std::span<const treadle_argument> arguments) {
  static_assert(sizeof(treadle_argument) % 8 == 0);
  return std::as_bytes(arguments);
}

/// On the stream that a producer uses for all arrays, if the program names none.
void launchChecked(KernelCode &head, const treadle_launch_config &given, std::span<const treadle_argument> arguments,
                   RepeatedLaunches *launches) {
  Device &device = *head.context.device;
  const Image &image = *head.variant.image;
  const LaunchConfig config = checkedConfig(given, device.limits(), {image.maxThreads, image.maxClusterBlocks});
  const CallStream queue(given.stream, device, "config.stream");
  ArgumentList list;
  readArguments(head, arguments, list);
  KernelCode &code = fittingCode(head, factsOf(config), list);
  Stream *const producer =
      list.isUsedBefore && !queue.isNamed && !device.captureStream() ? onlyProducer(list, device) : nullptr;
  Stream &stream = producer ? *producer : queue.stream;
  const ArgumentOwners owners(list, code);
  const Submission submission{code.variant, config, stream, &owners};
  const OrderedUses uses{list, {}, producer ? &queue.stream : nullptr};
  HostThread host;
  const LaunchOutcome outcome = submit(submission, uses, !list.isUsedBefore, host);
  tell(outcome);
  if (launches && outcome != LaunchOutcome::Captured)
    launches->consider(keyOf(arguments), [&] { return RepeatedLaunch::of(submission, list, code); });
}

bool areAlive(std::span<const treadle_argument> arguments) {
  const Handles &handles = Handles::instance();
  return std::ranges::all_of(arguments, [&handles](const treadle_argument &given) {
    return given.kind != TREADLE_ARGUMENT_ARRAY || handles.isHandle(reinterpret_cast<HandleValue>(given.value.array));
  });
}

/// Makes a launch again without checking it. False: nothing was done, as it is new, or something has changed.
bool launchAgain(RepeatedLaunches &launches, Device &device, treadle_stream stream,
                 std::span<const treadle_argument> arguments) {
  if (launches.isEmpty() || !areAlive(arguments))
    return false;
  const CallStream queue(stream, device, "config.stream");
  const RepeatedLaunch *const known = launches.find(keyOf(arguments), [&queue](const RepeatedLaunch &launch) {
    return launch.isOfPresent() && launch.isOn(queue.stream);
  });
  if (!known)
    return false;
  HostThread host;
  const LaunchOutcome outcome = known->launch(known->block.data(), host);
  tell(outcome);
  return outcome != LaunchOutcome::MustBeKept;
}

treadle_launch_config checkedGiven(const treadle_launch_config *config, const treadle_argument *arguments,
                                   uint32_t count) {
  const treadle_launch_config given = readStruct(config, "config");
  if (given.argument_size != sizeof(treadle_argument))
    throw ApiError(TREADLE_ERROR_STRUCT_SIZE,
                   fmt::format("config.argument_size is {}; set it to sizeof(treadle_argument), which is {}",
                               given.argument_size, sizeof(treadle_argument)));
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
    const std::span<const treadle_argument> all(arguments, count);
    if (!known.code)
      return launchRaw(known, checkedGiven(config, arguments, count), all);
    const bool isReadable = config && config->struct_size == sizeof *config && (arguments || count == 0);
    RepeatedLaunches *const launches =
        isReadable ? KernelLaunches::own().of(reinterpret_cast<HandleValue>(kernel), *config) : nullptr;
    if (!launches)
      return launchChecked(*known.code, checkedGiven(config, arguments, count), all, nullptr);
    const RepeatedLaunches::Use use(*launches);
    if (!launchAgain(*launches, *known.context.device, config->stream, all))
      launchChecked(*known.code, checkedGiven(config, arguments, count), all, launches);
  });
}

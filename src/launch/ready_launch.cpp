// Launches on copies of the host's arrays, behind the work of other libraries, and into graphs.
#include "launch/ready_launch.h"

#include "launch/host_staging.h"
#include "launch/runtime.h"
#include "memory/use_order.h"

namespace treadle {

namespace {

/// Stack space for parameter blocks; larger ones are rare and go to the heap.
constexpr uint32_t usualBlock = 1024;

[[noreturn]] void refuseHostArrays() {
  failCaptured("launch on arrays of the host", "copy them to the device before the capture (cuda.to_device), or use "
                                               "cuda.mapped_array");
}

LaunchOutcome launchPacked(const ReadyLaunch &ready, std::span<const ArgumentLeaf> leaves, LaunchWatcher &watcher) {
  alignas(16) char inside[usualBlock];
  std::unique_ptr<char[]> heap;
  char *block = inside;
  const ArgPack &pack = ready.variant.pack;
  if (pack.size() > usualBlock) [[unlikely]] {
    heap = std::make_unique<char[]>(pack.size());
    block = heap.get();
  }
  pack.pack(leaves, block);
  return ready.stream.launch({ready.variant.kernel, ready.config, block, ready.owners, ready.isKept}, watcher);
}

/// Launches on copies of the host's arrays and returns when it is done. Copies back also after a failed check.
LaunchOutcome launchStaged(const ReadyLaunch &ready, std::span<const ArgumentLeaf> leaves, LaunchWatcher &watcher) {
  if (ready.stream.isCaptured())
    refuseHostArrays();
  MemoryManager &memory = Runtime::instance().contextOf(ready.stream.device()).memory;
  const HostStaging staging(memory, ready.stream, leaves, watcher);
  const Image &image = *ready.variant.image;
  LaunchOutcome outcome;
  try {
    outcome = launchPacked({ready.variant, ready.config, ready.stream, nullptr}, staging.leaves(), watcher);
  } catch (const KernelFault &) {
    staging.copyBack(image, watcher);
    throw;
  }
  if (outcome == LaunchOutcome::Done)
    staging.copyBack(image, watcher);
  else
    staging.leaveAt(ready.stream.last());
  return outcome;
}

LaunchOutcome launchWith(const ReadyLaunch &ready, const ArgumentList &arguments, LaunchWatcher &watcher) {
  const bool isStaged = arguments.usesHostMemory && ready.stream.device().hostArrays() == HostArrays::Staged;
  return isStaged ? launchStaged(ready, arguments.leaves.view(), watcher)
                  : launchPacked(ready, arguments.leaves.view(), watcher);
}

void comeBehind(UseOrder &order, const OrderedUses &uses) {
  for (const std::shared_ptr<Buffer> *buffer : uses.arguments.buffers.view())
    order.comeBehind(**buffer);
  for (const std::shared_ptr<Buffer> &buffer : uses.captured)
    order.comeBehind(*buffer);
  // Programs order the uses of captured arrays by the stream that they name.
  if (uses.named && !uses.captured.empty())
    order.comeBehind(*uses.named);
}

/// What a launch needs as long as a graph has it.
CapturedUses keptUses(const ReadyLaunch &ready, const OrderedUses &uses) {
  CapturedUses kept{{ready.variant.kernel, ready.owners->captured()}};
  const Device &own = ready.stream.device();
  const auto keep = [&](const std::shared_ptr<Buffer> &buffer) {
    if (Device &device = buffer->device(); &device != &own)
      kept.add({.owners = {}, .peers = {{&device, device.generation()}}});
    kept.owners.push_back(buffer);
    kept.notes.push_back([buffer](const StreamPoint &point) { buffer->use(point); });
  };
  for (const std::shared_ptr<Buffer> *buffer : uses.arguments.buffers.view())
    keep(*buffer);
  for (const std::shared_ptr<Buffer> &buffer : uses.captured)
    keep(buffer);
  return kept;
}

LaunchOutcome launchCaptured(ReadyLaunch ready, const OrderedUses &uses, LaunchWatcher &watcher) {
  if (!ready.owners)
    refuseHostArrays();
  UseOrder order(ready.stream);
  comeBehind(order, uses);
  ready.stream.keepCaptured(keptUses(ready, uses));
  ready.isKept = true;
  const LaunchOutcome outcome = launchPacked(ready, uses.arguments.leaves.view(), watcher);
  order.goAhead();
  return outcome;
}

LaunchOutcome launchInOrder(const ReadyLaunch &ready, const OrderedUses &uses, LaunchWatcher &watcher) {
  UseOrder order(ready.stream);
  comeBehind(order, uses);
  const LaunchOutcome outcome = launchWith(ready, uses.arguments, watcher);
  if (outcome != LaunchOutcome::Queued)
    return outcome;
  for (const std::shared_ptr<Buffer> &buffer : uses.captured)
    buffer->use(ready.stream.last());
  order.goAhead();
  return outcome;
}

} // namespace

Stream *onlyProducer(const ArgumentList &arguments, const Device &device) {
  Stream *found = nullptr;
  for (const std::shared_ptr<Buffer> *buffer : arguments.buffers.view()) {
    Stream *const producer = (*buffer)->producer();
    if (!producer || &producer->device() != &device || (found && found->timeline() != producer->timeline()))
      return nullptr;
    found = producer;
  }
  return found;
}

LaunchOutcome launchReady(const ReadyLaunch &ready, const OrderedUses &uses, bool isOrdinary, LaunchWatcher &watcher) {
  const LaunchOutcome outcome =
      isOrdinary ? launchWith(ready, uses.arguments, watcher) : launchInOrder(ready, uses, watcher);
  return outcome == LaunchOutcome::MustBeKept ? launchCaptured(ready, uses, watcher) : outcome;
}

} // namespace treadle

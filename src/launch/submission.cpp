// Launches with staged host arrays, with foreign uses, and into graphs.
#include "launch/submission.h"

#include "launch/host_staging.h"
#include "memory/use_order.h"
#include "runtime/runtime.h"

namespace treadle {

namespace {

/// Stack space for parameter blocks; larger ones are rare and go to the heap.
constexpr uint32_t usualBlock = 1024;

[[noreturn]] void refuseHostArrays() {
  failCaptured("launch on arrays of the host", "copy them to the device before the capture (cuda.to_device), or use "
                                               "cuda.mapped_array");
}

LaunchOutcome launchPacked(const Submission &submission, std::span<const ArgumentLeaf> leaves, LaunchWatcher &watcher) {
  alignas(16) char inside[usualBlock];
  std::unique_ptr<char[]> heap;
  char *block = inside;
  const ArgPack &pack = submission.variant.pack;
  if (pack.size() > usualBlock) [[unlikely]] {
    heap = std::make_unique<char[]>(pack.size());
    block = heap.get();
  }
  pack.pack(leaves, block);
  return submission.stream.launch(
      {submission.variant.kernel, submission.config, block, submission.owners, submission.isKept}, watcher);
}

/// Launches on staged copies of the host's arrays and returns when it is done. Copies back also after a failed check.
LaunchOutcome launchStaged(const Submission &submission, std::span<const ArgumentLeaf> leaves, LaunchWatcher &watcher) {
  if (submission.stream.isCaptured())
    refuseHostArrays();
  MemoryManager &memory = Runtime::instance().contextOf(submission.stream.device()).memory;
  const HostStaging staging(memory, submission.stream, {leaves, *submission.variant.image}, watcher);
  LaunchOutcome outcome;
  try {
    outcome =
        launchPacked({submission.variant, submission.config, submission.stream, nullptr}, staging.leaves(), watcher);
  } catch (const KernelFault &) {
    staging.copyBack(watcher);
    throw;
  }
  if (outcome == LaunchOutcome::Done)
    staging.copyBack(watcher);
  else
    staging.leaveAt(submission.stream.last());
  return outcome;
}

LaunchOutcome launchWith(const Submission &submission, const ArgumentList &arguments, LaunchWatcher &watcher) {
  const bool isStaged = arguments.usesHostMemory && submission.stream.device().hostArrays() == HostArrays::Staged;
  return isStaged ? launchStaged(submission, arguments.leaves.view(), watcher)
                  : launchPacked(submission, arguments.leaves.view(), watcher);
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

/// The objects that a graph must keep alive for a launch.
CapturedUses keptUses(const Submission &submission, const OrderedUses &uses) {
  CapturedUses kept{{submission.variant.kernel, submission.owners->captured()}};
  const Device &own = submission.stream.device();
  const auto keep = [&](const std::shared_ptr<Buffer> &buffer) {
    if (Device &device = buffer->device(); &device != &own)
      kept.add({.owners = {}, .peers = {{&device, device.generation()}}});
    kept.memory.push_back(capturedMemory(buffer));
  };
  for (const std::shared_ptr<Buffer> *buffer : uses.arguments.buffers.view())
    keep(*buffer);
  for (const std::shared_ptr<Buffer> &buffer : uses.captured)
    keep(buffer);
  return kept;
}

LaunchOutcome launchCaptured(Submission submission, const OrderedUses &uses, LaunchWatcher &watcher) {
  if (!submission.owners)
    refuseHostArrays();
  UseOrder order(submission.stream);
  comeBehind(order, uses);
  submission.stream.keepCaptured(keptUses(submission, uses));
  submission.isKept = true;
  const LaunchOutcome outcome = launchPacked(submission, uses.arguments.leaves.view(), watcher);
  order.goAhead();
  return outcome;
}

LaunchOutcome launchInOrder(const Submission &submission, const OrderedUses &uses, LaunchWatcher &watcher) {
  UseOrder order(submission.stream);
  comeBehind(order, uses);
  const LaunchOutcome outcome = launchWith(submission, uses.arguments, watcher);
  if (outcome != LaunchOutcome::Queued)
    return outcome;
  for (const std::shared_ptr<Buffer> &buffer : uses.captured)
    buffer->use(submission.stream.last());
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

LaunchOutcome submit(const Submission &submission, const OrderedUses &uses, bool isOrdinary, LaunchWatcher &watcher) {
  const LaunchOutcome outcome =
      isOrdinary ? launchWith(submission, uses.arguments, watcher) : launchInOrder(submission, uses, watcher);
  return outcome == LaunchOutcome::MustBeKept ? launchCaptured(submission, uses, watcher) : outcome;
}

} // namespace treadle

// Runs launches: chunks of growing size inline until 10 us have passed, then on the pool.
#include "device/cpu/cpu_launch.h"

#include "border/image.h"
#include "device/cpu/float_modes.h"
#include "support/big_stack.h"
#include "support/clock.h"
#include "support/stopwatch.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <optional>

namespace treadle::cpu {

namespace {

/// The minimum duration of a chunk: with shorter ones the shared counter becomes the bottleneck.
constexpr uint64_t chunkNanoseconds = 5'000;

} // namespace

CpuKernel::CpuKernel(std::shared_ptr<const Image> image, KernelFunction function, std::shared_ptr<void> keep)
    : imageOf(std::move(image)), function(function), keep(std::move(keep)) {}

namespace {

/// As generated code sees it: Facts::laneAxis.
LaunchConfig inGeometry(LaunchConfig config, const Facts &facts) {
  std::swap(config.grid[0], config.grid[facts.laneAxis]);
  std::swap(config.block[0], config.block[facts.laneAxis]);
  return config;
}

} // namespace

uint64_t countUnits(const Image &image, const LaunchConfig &config) {
  if (image.usesClusters)
    return config.blocks() / config.blocksPerCluster();
  if (!image.cpu().spansBlocks)
    return config.blocks();
  const LaunchConfig placed = inGeometry(config, image.facts);
  const uint64_t warps = (uint64_t(placed.grid[0]) * placed.block[0] + 31) / 32;
  const uint64_t chunksPerRow = (warps + spanWarps - 1) / spanWarps;
  return chunksPerRow * placed.grid[1] * placed.block[1] * placed.grid[2] * placed.block[2];
}

CpuLaunch::CpuLaunch(const CpuKernel &kernel, const LaunchConfig &config, const void *parameters,
                     const InterruptMark &mark)
    : Work(countUnits(kernel.image(), config)), kernel(kernel), parameters(parameters), gridBarrier(config.blocks()),
      needs{size_t(kernel.image().sharedBytes) + config.sharedBytes, kernel.image().cpu().contextBytes,
            kernel.image().cpu().stackBytes},
      mark(mark) {
  const LaunchConfig placed = inGeometry(config, kernel.image().facts);
  std::ranges::copy(placed.grid, geometry.gridDim);
  std::ranges::copy(placed.block, geometry.blockDim);
  geometry.dynamicSharedBytes = config.sharedBytes;
  std::ranges::copy(config.cluster, geometry.clusterDim);
  constexpr size_t alignment = 128;
  const bool isClustered = kernel.image().usesClusters && config.blocksPerCluster() > 1;
  geometry.clusterStride =
      isClustered ? uint32_t(std::max((needs.sharedBytes + alignment - 1) / alignment, size_t(1)) * alignment) : 0;
  static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));
  geometry.stop = reinterpret_cast<const uint32_t *>(&stop);
}

/// The recursion depth that any launch has room for, however large its frames are.
constexpr size_t leastLevels = 16;

namespace {

/// By each thread that runs the kernel.
size_t stackNeeded(const Image &image) {
  return stackReserve + image.cpu().stackBytes * (image.recurses ? leastLevels : 1);
}

} // namespace

void CpuLaunch::run(uint64_t first, uint64_t last) noexcept {
  if (!shouldContinue())
    return;
  WorkerMemory &memory = WorkerMemory::ofThisThread();
  const StackExtent *stack = memory.stackWith(stackNeeded(kernel.image()));
  if (!stack) [[unlikely]]
    return runOnLargerStack(first, last);
  WorkerArena *arena;
  try {
    arena = memory.lend(needs, stack->base);
  } catch (const std::bad_alloc &) {
    outOfMemory = true;
    stop = 1;
    return;
  }
  struct Heap {
    KernelHeap *const used;
    ~Heap() {
      if (used)
        used->clear();
    }
  } const heap{kernel.image().allocates ? &memory.heap : nullptr};
  if (heap.used)
    heap.used->begin(kernel.image().cpu().blocksWait);
  const DefaultFloatModes modes;
  std::optional<Stopwatch> watch;
  if (first == 0 && isFirstTimed)
    watch.emplace();
  if (kernel.image().cpu().blocksWait)
    return runTogether(first, last, arena);
  if (!runUntilCut({kernel.function, parameters, &geometry, first, last, arena, &failure, this}))
    stop = 1;
  if (kernel.image().cpu().prints)
    collectPrinted();
  if (watch)
    noteDuration(watch->nanoseconds() / (last - first));
}

void CpuLaunch::runOnLargerStack(uint64_t first, uint64_t last) noexcept {
  try {
    runWithEnoughStack([&] { run(first, last); }, stackNeeded(kernel.image()));
  } catch (const std::bad_alloc &) {
    outOfMemory = true;
    stop = 1;
  }
}

/// Blocks that wait for each other: those in progress take turns on each worker.
void CpuLaunch::runTogether(uint64_t first, uint64_t last, WorkerArena *arena) {
  const Image &image = kernel.image();
  // In a cooperative grid all blocks fit on any worker; in other grids each worker has its share.
  const size_t room = residentBlocks(image, threadsPerBlock(), needs.sharedBytes);
  const size_t limit = image.isCooperative ? room : std::max<size_t>(room / participantsExpected, 1);
  const GridRequest request{kernel.function, parameters, &geometry, needs, limit, this, &gridBarrier};
  try {
    GridFibers grid(request);
    const KernelCall call{[](const void *self, const LaunchGeometry *, uint64_t from, uint64_t to, WorkerArena *) {
                            static_cast<GridFibers *>(const_cast<void *>(self))->run(from, to);
                          },
                          &grid,
                          &geometry,
                          first,
                          last,
                          arena,
                          &failure,
                          this};
    if (!runUntilCut(call))
      stop = 1;
  } catch (const std::bad_alloc &) {
    outOfMemory = true;
    stop = 1;
  }
  if (image.cpu().prints)
    collectPrinted();
}

void CpuLaunch::collectPrinted() {
  std::vector<PrintedText> texts = WorkerMemory::ofThisThread().takePrinted();
  const std::lock_guard lock(printing);
  std::move(texts.begin(), texts.end(), std::back_inserter(printed));
}

/// The text of a block comes from one worker, in order.
std::string CpuLaunch::printedText() {
  std::ranges::stable_sort(printed, {}, &PrintedText::block);
  std::string text;
  for (const PrintedText &piece : printed)
    text += piece.text;
  return text;
}

std::exception_ptr CpuLaunch::failureFound() const {
  const FailureCall &call = failure.call;
  if (outOfMemory || (failure.isTaken.load() != 0 && call.fault == Fault::OutOfMemory))
    return std::make_exception_ptr(std::bad_alloc());
  if (failure.isTaken.load() == 0)
    return nullptr;
  KernelFault fault(call.fault, call.place, kernel.image());
  if (call.hasThread)
    for (unsigned axis = 0; axis < 3; ++axis) {
      fault.thread[axis] = uint32_t(call.thread[axis] % geometry.blockDim[axis]);
      fault.block[axis] = uint32_t(call.thread[axis] / geometry.blockDim[axis]);
    }
  fault.hasThread = call.hasThread != 0;
  return std::make_exception_ptr(fault);
}

size_t residentBlocks(const Image &image, unsigned threads, size_t sharedBytes) {
  constexpr size_t memory = size_t(256) << 20, leastTouched = 32768, mostStacks = 16384;
  const size_t stacks = 1 + (image.cpu().usesFibers ? (threads + 31) / 32 : 0);
  const size_t bytes =
      sharedBytes + image.cpu().contextBytes + stacks * std::max<size_t>(leastTouched, image.cpu().stackBytes);
  return std::max<size_t>(1, std::min(memory / bytes, mostStacks / stacks));
}

void CpuLaunch::watchClock() {
  if (slot)
    return;
  slot = &HostSlot::ofThisThread();
  if (!LaunchClock::instance().begin(*slot))
    becomeLong(); // no clock will call it
}

void CpuLaunch::becomeLong() {
  if (isLong || !watcher)
    return;
  isLong = true;
  watcher->onLongCall();
  watchClock();
}

bool CpuLaunch::shouldContinue() noexcept {
  if (safepointRequests().load(std::memory_order_relaxed) == 0) [[likely]]
    return stop.load(std::memory_order_relaxed) == 0;
  if (isEnded()) {
    stop = 1;
    return false;
  }
  return !wantsThread() || lendThread();
}

bool CpuLaunch::lendThread() noexcept {
  if (!slot->takeAsked())
    return true;
  if (!isLong) {
    isLong = true;
    watcher->onLongCall();
  }
  if (watcher->shouldContinue(LaunchWatcher::Activity::Work))
    return true;
  endedByHost = true;
  stop = 1;
  safepointRequests().fetch_add(1);
  return false;
}

/// True: all units have run.
bool CpuLaunch::runInline() {
  const Stopwatch watch;
  uint64_t chunk = 1, done = 0;
  while (done < units && stop.load(std::memory_order_relaxed) == 0) {
    chunk = std::min(chunk, units - done);
    run(done, done + chunk);
    nanosecondsInline = watch.nanoseconds();
    if (done == 0)
      noteDuration(nanosecondsInline);
    done += chunk;
    if (nanosecondsInline >= inlineLimit)
      break;
    // Keeps a chunk from overshooting the limit by much.
    chunk = nanosecondsInline < inlineLimit / 4 ? chunk * 2 : std::max<uint64_t>(chunk / 2, 1);
  }
  next.store(done, std::memory_order_relaxed); // the pool sees the launch later, under a lock
  return done == units || stop.load() != 0;
}

void CpuLaunch::runShared(PoolOfProcess &pool) {
  WorkerPool &workers = pool.get();
  const uint64_t left = remaining();
  const uint64_t done = units - left;
  const uint64_t perUnit = done ? std::max<uint64_t>(nanosecondsInline / done, 1) : chunkNanoseconds;
  smallestChunk = std::max<uint64_t>(chunkNanoseconds / perUnit, 1);
  // Each chunk writes and merges its copies of tables, which `perUnit` takes for the units' own time.
  if (kernel.image().facts.tables != 0)
    smallestChunk = std::max<uint64_t>(smallestChunk, left / (4 * uint64_t(workers.threads())));
  const uint64_t chunks = (left + smallestChunk - 1) / smallestChunk;
  const bool isWorthIt = left * perUnit >= inlineLimit || done == 0;
  // Launches that start here were long last time. They return to starting inline once they are short.
  isFirstTimed = done == 0;
  workers.share(*this, isWorthIt ? unsigned(std::min<uint64_t>(workers.threads(), chunks) - 1) : 0);
}

void CpuLaunch::noteDuration(uint64_t nanoseconds) {
  kernel.unitNanoseconds.store(uint32_t(std::min<uint64_t>(nanoseconds, CpuKernel::unknownDuration - 1)),
                               std::memory_order_relaxed);
}

CpuLaunch::~CpuLaunch() {
  if (slot)
    LaunchClock::instance().end(*slot);
  if (endedByHost)
    safepointRequests().fetch_sub(1);
}

void CpuLaunch::runAll(PoolOfProcess &pool) {
  const uint32_t expected = kernel.unitNanoseconds.load(std::memory_order_relaxed);
  // A single call into generated code may never return, so launches of long or unknown duration start as long ones.
  if (expected >= inlineLimit)
    becomeLong();
  else if (kernel.image().cpu().hasSafepoints && watcher)
    watchClock();
  if (kernel.image().cpu().blocksWait) { // a worker keeps taking such blocks, so never inline
    becomeLong();
    runShared(pool);
  } else if (expected < inlineLimit || expected == CpuKernel::unknownDuration || units == 1) {
    if (!runInline()) {
      becomeLong();
      runShared(pool);
    }
  } else {
    runShared(pool);
  }
}

void CpuLaunch::execute(PoolOfProcess &pool, LaunchWatcher *host, uint64_t limit, LaunchEnd &end) {
  watcher = host;
  inlineLimit = limit;
  runAll(pool);
  if (kernel.image().cpu().prints)
    end.printed = printedText();
  if (stop.load() == 0) [[likely]]
    return;
  end.failure = failureFound();
  if (!end.failure) {
    end.outcome = LaunchOutcome::Interrupted;
    end.endedByHost = endedByHost;
  }
}

} // namespace treadle::cpu

extern "C" uint64_t treadle_cpu_nanoseconds() { return treadle::monotonicNanoseconds(); }

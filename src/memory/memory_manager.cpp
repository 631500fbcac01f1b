// MemoryManager: size classes, the queue and its flushes, and the message when memory runs out.
#include "memory/memory_manager.h"

#include "memory/traced_memory.h"
#include "support/text/plain_numbers.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <fmt/core.h>
#include <functional>
#include <mutex>
#include <utility>

namespace treadle {

namespace {

/// Separate lists for smaller blocks do not pay off. Devices align to this size anyway.
constexpr size_t smallestBlock = 256;
constexpr size_t largestShown = 3;
/// How many cached blocks an allocation considers before it calls the device.
constexpr size_t usualLooks = 8;

size_t roundUp(size_t bytes, size_t step) { return (bytes + step - 1) / step * step; }

std::string amount(size_t bytes) {
  constexpr const char *units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  double value = double(bytes);
  for (; value >= 1024 && unit < 4; ++unit)
    value /= 1024;
  const PlainNumbers plain;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 || value >= 100 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

} // namespace

MemoryManager::MemoryManager(Device &device, const MemoryLimits &limits)
    : MemoryResource(device), capacity(device.memory().memoryCapacity()), bounds(limits),
      atForks(this, {[](void *manager) { static_cast<MemoryManager *>(manager)->mutex.lock(); },
                     [](void *manager) { static_cast<MemoryManager *>(manager)->mutex.unlock(); },
                     [](void *manager) { static_cast<MemoryManager *>(manager)->mutex.unlock(); }}) {
  live.before = live.after = &live;
}

MemoryManager::~MemoryManager() {
  deferrals = 0;
  noteFailureOf([this] { flush(); });
  noteFailureOf([this] { emptyCache(); });
  giveBackLost();
}

size_t MemoryManager::classOf(size_t bytes) {
  const size_t wanted = std::max(bytes, smallestBlock);
  // The largest power of two that is not larger, and the eighths above it. Shifts, as a division would double the cost
  // of an allocation.
  const size_t power = size_t(std::bit_width(wanted)) - 1, above = wanted - (size_t(1) << power);
  return power * 8 + ((above + (size_t(1) << (power - 3)) - 1) >> (power - 3));
}

size_t MemoryManager::bytesOfClass(size_t index) {
  const size_t power = size_t(1) << (index / 8);
  return power + power / 8 * (index % 8);
}

MemoryManager::UsualBlock MemoryManager::usualBlock(size_t bytes) {
  if (bytes > largestClass) [[unlikely]]
    return {roundUp(bytes, largeStep), largeCache};
  const size_t index = classOf(bytes);
  return {bytesOfClass(index), cache[index]};
}

BlockList &MemoryManager::cacheFor(size_t bytes) {
  const UsualBlock usual = usualBlock(bytes);
  return usual.bytes == bytes ? usual.cached : largeCache;
}

/// The most recently freed block first, as its memory is likely in the processor's caches, then others in turn: if
/// streams lag, most blocks may be in use, and considering all of them each time would take longer and longer.
bool MemoryManager::takeCached(const UsualBlock &usual, LiveAllocation &allocation, const StreamTimeline *stream,
                               bool looksAtAll) {
  const auto &[bytes, blocks] = usual;
  const std::lock_guard lock(mutex);
  size_t looks = looksAtAll || &blocks == &largeCache ? blocks.size() : std::min(usualLooks, blocks.size());
  for (; looks > 0; --looks) {
    MemoryBlock *const block = blocks.popFront();
    const bool fits = block->bytes >= bytes && block->bytes - bytes <= bytes / 8;
    if (!fits || !block->uses.areDone(stream)) {
      blocks.pushBack(block);
      continue;
    }
    counted.cachedBytes -= block->bytes;
    --counted.cachedCount;
    ++counted.servedCount;
    counted.liveBytes += block->bytes;
    handOut(block, allocation, stream);
    return true;
  }
  return false;
}

/// The block's bytes have been counted.
void MemoryManager::handOut(MemoryBlock *block, LiveAllocation &allocation, const StreamTimeline *stream) {
  allocation.block = block;
  allocation.memory = block->memory;
  if (stream && !block->uses.areNone())
    for (const StreamPoint &point : block->uses.all())
      if (point.timeline.get() == stream && !point.isComplete())
        allocation.usedBefore = point;
  ++counted.askedCount;
  counted.peakBytes = std::max(counted.peakBytes, counted.liveBytes);
  link(allocation);
}

bool MemoryManager::takeFresh(size_t bytes, LiveAllocation &allocation, MemoryKind kind) {
  auto block = std::make_unique<MemoryBlock>();
  {
    const std::lock_guard lock(mutex);
    if (counted.liveBytes + counted.pendingBytes + counted.cachedBytes + bytes > capacity)
      return false;
    counted.liveBytes += bytes; // reserved, so that no other thread takes them meanwhile
  }
  try {
    block->memory = static_cast<char *>(device().memory().allocate(bytes, kind));
  } catch (const DeviceError &error) {
    const std::lock_guard lock(mutex);
    counted.liveBytes -= bytes;
    if (error.result() != CudaResult::OutOfMemory)
      throw;
    return false;
  }
  block->bytes = bytes;
  block->cache = &cacheFor(bytes);
  block->kind = kind;
  const std::lock_guard lock(mutex);
  handOut(block.release(), allocation, nullptr);
  return true;
}

void MemoryManager::link(LiveAllocation &allocation) {
  ++counted.liveCount;
  allocation.before = live.before;
  allocation.after = &live;
  allocation.before->after = live.before = &allocation;
}

void MemoryManager::unlink(LiveAllocation &allocation) {
  counted.liveBytes -= allocation.block->bytes;
  --counted.liveCount;
  allocation.before->after = allocation.after;
  allocation.after->before = allocation.before;
}

void MemoryManager::allocate(const AllocationRequest &request, LiveAllocation &allocation) {
  if (request.isForeign)
    return adopt(request, allocation);
  const TracedMemory traced(TraceKind::Allocate, device(), allocation);
  if (const PlaceSource source = placeSource.load(std::memory_order_relaxed)) [[unlikely]]
    allocation.place = std::make_unique<const std::string>(source());
  if (external.load(std::memory_order_relaxed) && !request.isOwn) [[unlikely]]
    return takeExternal(request, allocation);
  allocateOwn(request, allocation);
}

void MemoryManager::allocateOwn(const AllocationRequest &request, LiveAllocation &allocation) {
  const size_t bytes = request.bytes;
  const StreamTimeline *const stream = request.stream;
  const MemoryKind kind = request.kind;
  allocation.askedBytes = bytes;
  if (bytes <= capacity) {
    const bool isCached = kind == MemoryKind::Device;
    const UsualBlock usual = usualBlock(bytes);
    if (isCached && takeCached(usual, allocation, stream, false)) [[likely]]
      return;
    device().lookAtUses();
    if (isCached && takeCached(usual, allocation, stream, false))
      return;
    const size_t exact = roundUp(std::max<size_t>(bytes, 1), smallestBlock), fresh = isCached ? usual.bytes : exact;
    if (takeFresh(fresh, allocation, kind))
      return;
    noteFailureOf([this] { flush(); });
    giveBackLost();
    if (isCached && takeCached(usual, allocation, stream, true))
      return;
    noteFailureOf([this] { emptyCache(); });
    if (takeFresh(fresh, allocation, kind) || (exact < fresh && takeFresh(exact, allocation, kind)))
      return;
  }
  const std::lock_guard lock(mutex);
  throw DeviceError(fmt::format("allocate {} bytes", bytes), CudaResult::OutOfMemory, shortage(bytes));
}

std::optional<std::vector<StreamPoint>> MemoryManager::pointsThatMayHelp(size_t bytes) const {
  std::vector<StreamPoint> points;
  bool isAny = false;
  auto add = [&points, &isAny](const BlockList &blocks) {
    for (const MemoryBlock *block = blocks.front(); block; block = block->next, isAny = true)
      for (const StreamPoint &point : block->uses.all())
        if (!point.isComplete())
          noteUse(points, point);
  };
  const std::lock_guard lock(mutex);
  // Waiting does not free live allocations.
  if (bytes > capacity || counted.liveBytes > capacity - bytes)
    return std::nullopt;
  add(pending);
  add(largeCache);
  add(lost);
  for (const BlockList &blocks : cache)
    add(blocks);
  if (!isAny)
    return std::nullopt;
  return points;
}

void MemoryManager::release(LiveAllocation &allocation) noexcept {
  const TracedMemory traced(TraceKind::Free, device(), allocation);
  if (allocation.block->owner)
    return disown(allocation);
  bool isLost = false, isQueueFull = false;
  {
    const std::lock_guard lock(mutex);
    isLost = allocation.state.load(std::memory_order_relaxed) == LiveAllocation::State::Lost;
    if (isLost) {
      lost.pushBack(allocation.block);
    } else {
      unlink(allocation);
      counted.pendingBytes += allocation.block->bytes;
      pending.pushBack(allocation.block);
      isQueueFull = isFull();
    }
  }
  if (isLost)
    giveBackLost();
  if (isQueueFull)
    noteFailureOf([this] { flush(); });
}

void MemoryManager::releaseLater(std::unique_ptr<QueuedResource> resource) noexcept {
  {
    const std::lock_guard lock(mutex);
    resource->next = std::move(pendingResources);
    pendingResources = std::move(resource);
    ++resourceCount;
  }
  flushIfFull();
}

bool MemoryManager::isFull() const {
  return deferrals == 0 &&
         (queued() > bounds.pendingCount || double(counted.pendingBytes) > bounds.pendingRatio * double(capacity));
}

void MemoryManager::flushIfFull() noexcept {
  {
    const std::lock_guard lock(mutex);
    if (!isFull())
      return;
  }
  noteFailureOf([this] { flush(); });
}

/// Blocks in the order in which they were queued. If freeing one fails, the rest stay.
void MemoryManager::flush() {
  device().lookAtUses();
  returnLent();
  dropResources();
  const Device::NoReset noReset(device());
  BlockList tooMuch = settlePending();
  try {
    giveBack(tooMuch);
  } catch (const DeviceError &) {
    const std::lock_guard lock(mutex);
    BlockList later(std::move(pending));
    for (BlockList *list : {&tooMuch, &later})
      while (list->front()) {
        if (list == &tooMuch)
          counted.pendingBytes += list->front()->bytes;
        pending.pushBack(list->popFront());
      }
    throw;
  }
}

/// Called without the lock, and at a point where the device may be reset: a destructor may wait for a stream.
void MemoryManager::dropResources() {
  std::unique_ptr<QueuedResource> resources;
  {
    const std::lock_guard lock(mutex);
    resources = std::move(pendingResources);
    resourceCount = 0;
  }
  while (resources)
    resources = std::move(resources->next);
}

/// Moves queued blocks to the cache. The result must be returned to the device.
BlockList MemoryManager::settlePending() {
  BlockList tooMuch;
  const std::lock_guard lock(mutex);
  for (size_t left = pending.size(); left > 0; --left) {
    MemoryBlock *const block = pending.popFront();
    const bool isOwn = block->kind == MemoryKind::Device && !block->isShared.load(std::memory_order_relaxed);
    if (!isOwn && !block->uses.areDone()) {
      pending.pushBack(block);
      continue;
    }
    counted.pendingBytes -= block->bytes;
    if (!isOwn)
      tooMuch.pushBack(block);
    else if (counted.cachedBytes + block->bytes > bounds.cacheBytes && block->uses.areDone())
      tooMuch.pushBack(block);
    else
      keep(block);
  }
  return tooMuch;
}

void MemoryManager::keep(MemoryBlock *block) {
  counted.cachedBytes += block->bytes;
  ++counted.cachedCount;
  block->cache->pushFront(block);
}

/// If the device fails to free a block, that block is lost, and the rest stay in the list.
void MemoryManager::giveBack(BlockList &blocks) {
  while (blocks.front()) {
    const std::unique_ptr<MemoryBlock> block(blocks.popFront());
    device().memory().release(block->memory, block->kind);
  }
}

void MemoryManager::giveBackLost() noexcept {
  BlockList unused;
  {
    const std::lock_guard lock(mutex);
    lost.moveTo(unused, [](MemoryBlock &block) { return block.uses.areDone(); });
  }
  for (; unused.front(); delete unused.popFront())
    device().memory().releaseLost(unused.front()->memory, unused.front()->kind);
}

void MemoryManager::emptyCache(size_t keptBytes) {
  const Device::NoReset noReset(device());
  BlockList unused;
  auto isUnused = [this, keptBytes](MemoryBlock &block) {
    if (counted.cachedBytes <= keptBytes || !block.uses.areDone())
      return false;
    counted.cachedBytes -= block.bytes;
    --counted.cachedCount;
    return true;
  };
  {
    const std::lock_guard lock(mutex);
    for (BlockList &blocks : cache)
      blocks.moveTo(unused, isUnused);
    largeCache.moveTo(unused, isUnused);
  }
  try {
    giveBack(unused);
  } catch (const DeviceError &) {
    const std::lock_guard lock(mutex);
    while (unused.front())
      keep(unused.popFront());
    throw;
  }
}

void MemoryManager::clear() {
  if (!isDeferred())
    flush();
}

void MemoryManager::trim() { emptyCache(); }

void MemoryManager::defer() {
  const std::lock_guard lock(mutex);
  ++deferrals;
}

void MemoryManager::endDeferral() {
  {
    const std::lock_guard lock(mutex);
    if (--deferrals != 0)
      return;
  }
  flush();
}

bool MemoryManager::isDeferred() const {
  const std::lock_guard lock(mutex);
  return deferrals != 0;
}

void MemoryManager::reset() {
  {
    const std::lock_guard lock(mutex);
    while (live.after != &live) {
      LiveAllocation &allocation = *live.after;
      const TracedMemory traced(TraceKind::Free, device(), allocation);
      unlink(allocation);
      allocation.state.store(LiveAllocation::State::Lost, std::memory_order_relaxed);
    }
  }
  giveBackLost();
  flush();
  emptyCache();
  loseRest();
}

/// Uses on a stream of another device that will never complete, as that device is lost.
void MemoryManager::loseRest() {
  const std::lock_guard lock(mutex);
  const auto isAny = [](MemoryBlock &) { return true; };
  pending.moveTo(lost, isAny);
  for (BlockList &blocks : cache)
    blocks.moveTo(lost, isAny);
  largeCache.moveTo(lost, isAny);
  counted.pendingBytes = counted.cachedBytes = counted.cachedCount = 0;
}

void MemoryManager::setLimits(const MemoryLimits &limits) {
  {
    const std::lock_guard lock(mutex);
    bounds = limits;
  }
  flushIfFull();
  emptyCache(limits.cacheBytes);
}

void MemoryManager::note(const DeviceError &failure) noexcept {
  try {
    const std::lock_guard lock(mutex);
    failures.emplace_back(failure.what());
    hasFailures.store(true, std::memory_order_relaxed);
  } catch (const std::bad_alloc &) {
    // Not enough host memory to record the failure.
  }
}

template <typename Action> void MemoryManager::noteFailureOf(Action action) noexcept {
  try {
    action();
  } catch (const DeviceError &failure) {
    note(failure);
  }
}

std::vector<std::string> MemoryManager::takeFailures() {
  const std::lock_guard lock(mutex);
  hasFailures.store(false, std::memory_order_relaxed);
  return std::exchange(failures, {});
}

/// "out of memory: 3 MiB of 8 MiB are free, 0 bytes cached, 0 bytes pending; the largest arrays have 4 MiB, 1 MiB".
std::string MemoryManager::shortage(size_t bytes) const {
  std::vector<size_t> largest;
  for (const LiveAllocation *one = live.after; one != &live; one = one->after)
    largest.push_back(one->askedBytes);
  const size_t shown = std::min(largest.size(), largestShown);
  std::ranges::partial_sort(largest, largest.begin() + ptrdiff_t(shown), std::greater());
  const size_t free = capacity - std::min(capacity, counted.liveBytes);
  // Rounded numbers would suggest that there is enough.
  const bool isClose = bytes > free && amount(bytes) == amount(free);
  auto exactly = [isClose](size_t some) { return isClose ? fmt::format("{} bytes", some) : amount(some); };
  std::string text = "out of memory: " + exactly(bytes) + " were asked for, ";
  text += exactly(free) + " of " + amount(capacity) + " are free, of which " + amount(counted.cachedBytes) +
          " are cached and " + amount(counted.pendingBytes) + " pending";
  for (size_t i = 0; i < shown; ++i)
    text += (i == 0 ? "; the largest live arrays have " : ", ") + amount(largest[i]);
  return text + "; drop references to arrays, or call memory_manager.trim()";
}

} // namespace treadle

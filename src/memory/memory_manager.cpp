// MemoryManager: size classes, the queue and its flushes, and what to say when memory is out.
#include "memory/memory_manager.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <functional>
#include <iterator>
#include <utility>

namespace treadle {

namespace {

/// Smaller blocks would be lists of their own for nothing.
constexpr size_t smallestBlock = 256;
constexpr int outOfMemory = 2; // CUDA_ERROR_OUT_OF_MEMORY
constexpr size_t largestShown = 3;
/// Blocks of the cache that an allocation looks at before it asks the device.
constexpr size_t usualLooks = 8;

std::string amount(size_t bytes) {
  constexpr const char *units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  double value = double(bytes);
  for (; value >= 1024 && unit < 4; ++unit)
    value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 || value >= 100 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

} // namespace

MemoryManager::MemoryManager(Device &device, const MemoryLimits &limits)
    : owner(device), capacity(device.memoryCapacity()), bounds(limits),
      atForks(this, {[](void *manager) { static_cast<MemoryManager *>(manager)->mutex.lock(); },
                     [](void *manager) { static_cast<MemoryManager *>(manager)->mutex.unlock(); },
                     [](void *manager) { static_cast<MemoryManager *>(manager)->mutex.unlock(); }}) {
  live.before = live.after = &live;
}

MemoryManager::~MemoryManager() {
  try {
    clear();
    trim();
  } catch (const DeviceError &) {
    // Nobody is left to be told.
  }
}

size_t MemoryManager::classOf(size_t bytes) {
  const size_t wanted = std::max(bytes, smallestBlock);
  // The largest power of two that is not larger, and the eighths above it.
  const size_t power = size_t(std::bit_width(wanted)) - 1, eighth = (size_t(1) << power) / 8;
  return power * 8 + (wanted - (size_t(1) << power) + eighth - 1) / eighth;
}

size_t MemoryManager::bytesOfClass(size_t index) {
  const size_t power = size_t(1) << (index / 8);
  return power + power / 8 * (index % 8);
}

bool MemoryManager::Waiting::isUnused() {
  if (uses.empty()) [[likely]]
    return true;
  std::erase_if(uses, [](const StreamPoint &point) { return point.isComplete(); });
  return uses.empty();
}

/// The last block, as its memory is likely in the processor's caches, then others in turn: where streams lag behind,
/// most may be in use, and looking at all of them each time would take longer and longer.
bool MemoryManager::takeCached(size_t index, LiveAllocation &allocation, size_t looks) {
  std::vector<Waiting> &blocks = cache[index];
  looks = std::min(looks, blocks.size());
  for (size_t look = 0; look < looks; ++look) {
    if (nextLook >= blocks.size())
      nextLook = 0;
    const size_t place = look == 0 ? blocks.size() - 1 : nextLook++;
    if (!blocks[place].isUnused())
      continue;
    const Waiting taken = takeOut(blocks, place);
    allocation.memory = taken.memory;
    allocation.bytes = taken.bytes;
    return true;
  }
  return false;
}

MemoryManager::Waiting MemoryManager::takeOut(std::vector<Waiting> &blocks, size_t place) {
  Waiting taken = std::move(blocks[place]);
  if (place + 1 != blocks.size())
    blocks[place] = std::move(blocks.back());
  blocks.pop_back();
  counted.cachedBytes -= taken.bytes;
  --counted.cachedCount;
  return taken;
}

bool MemoryManager::takeFresh(size_t bytes, LiveAllocation &allocation) {
  if (counted.liveBytes + counted.pendingBytes + counted.cachedBytes + bytes > capacity)
    return false;
  try {
    allocation.memory = static_cast<char *>(owner.allocate(bytes));
    allocation.bytes = bytes;
    return true;
  } catch (const DeviceError &error) {
    if (error.code() != outOfMemory)
      throw;
    return false;
  }
}

bool MemoryManager::takeAfterCleaning(size_t index, LiveAllocation &allocation, Dropped &dropped) {
  try {
    flush(dropped);
  } catch (const DeviceError &failure) {
    note(failure);
  }
  if (takeCached(index, allocation, cache[index].size() * 2))
    return true;
  try {
    emptyCache();
  } catch (const DeviceError &failure) {
    note(failure);
  }
  return takeFresh(bytesOfClass(index), allocation);
}

void MemoryManager::link(LiveAllocation &allocation) {
  counted.liveBytes += allocation.bytes;
  ++counted.liveCount;
  allocation.before = live.before;
  allocation.after = &live;
  allocation.before->after = live.before = &allocation;
}

void MemoryManager::unlink(LiveAllocation &allocation) {
  counted.liveBytes -= allocation.bytes;
  --counted.liveCount;
  allocation.before->after = allocation.after;
  allocation.after->before = allocation.before;
}

void MemoryManager::allocate(size_t bytes, LiveAllocation &allocation) {
  Dropped dropped;
  const std::lock_guard lock(mutex);
  // What no class is large enough for is more than any device has.
  const size_t index = bytes >= size_t(1) << 46 ? classCount : classOf(bytes);
  const bool isThere =
      index < classCount && (takeCached(index, allocation, usualLooks) || takeFresh(bytesOfClass(index), allocation) ||
                             takeAfterCleaning(index, allocation, dropped));
  if (!isThere)
    throw DeviceError("allocate " + std::to_string(bytes) + " bytes", outOfMemory, shortage(bytes));
  allocation.askedBytes = bytes;
  link(allocation);
}

void MemoryManager::release(LiveAllocation &allocation, std::vector<StreamPoint> uses) noexcept {
  Dropped dropped;
  const std::lock_guard lock(mutex);
  if (allocation.isLost.load(std::memory_order_relaxed)) {
    owner.releaseLost(allocation.memory);
    return;
  }
  unlink(allocation);
  counted.pendingBytes += allocation.bytes;
  pending.push_back({allocation.memory, allocation.bytes, std::move(uses)});
  flushIfFull(dropped);
}

void MemoryManager::adopt(LiveAllocation &allocation, char *memory, size_t bytes) {
  const std::lock_guard lock(mutex);
  allocation.memory = memory;
  allocation.askedBytes = bytes;
  link(allocation);
}

void MemoryManager::disown(LiveAllocation &allocation) noexcept {
  const std::lock_guard lock(mutex);
  if (!allocation.isLost.load(std::memory_order_relaxed))
    unlink(allocation);
}

void MemoryManager::releaseLater(std::shared_ptr<const void> resource) noexcept {
  Dropped dropped;
  const std::lock_guard lock(mutex);
  pendingResources.push_back(std::move(resource));
  flushIfFull(dropped);
}

void MemoryManager::flushIfFull(Dropped &dropped) {
  const bool isFull = pending.size() + pendingResources.size() > bounds.pendingCount ||
                      double(counted.pendingBytes) > bounds.pendingRatio * double(capacity);
  if (!isFull || deferrals != 0)
    return;
  try {
    flush(dropped);
  } catch (const DeviceError &failure) {
    note(failure);
  }
}

/// Memory in the order in which it came. Where one block fails the rest stay.
void MemoryManager::flush(Dropped &dropped) {
  dropped.insert(dropped.end(), std::make_move_iterator(pendingResources.begin()),
                 std::make_move_iterator(pendingResources.end()));
  pendingResources.clear();
  size_t done = 0;
  struct Rest {
    std::vector<Waiting> &pending;
    const size_t &done;
    ~Rest() { pending.erase(pending.begin(), pending.begin() + ptrdiff_t(done)); }
  } const rest{pending, done};
  while (done < pending.size()) {
    Waiting waiting = std::move(pending[done++]);
    counted.pendingBytes -= waiting.bytes;
    keep(std::move(waiting));
  }
}

/// In the cache, or where that is full and no stream uses the block, back to the device.
void MemoryManager::keep(Waiting waiting) {
  if (counted.cachedBytes + waiting.bytes > bounds.cacheBytes && waiting.isUnused())
    return owner.release(waiting.memory);
  counted.cachedBytes += waiting.bytes;
  ++counted.cachedCount;
  cache[classOf(waiting.bytes)].push_back(std::move(waiting));
}

void MemoryManager::emptyCache(size_t keptBytes) {
  for (std::vector<Waiting> &blocks : cache)
    for (size_t place = blocks.size(); place-- > 0 && counted.cachedBytes > keptBytes;)
      if (blocks[place].isUnused())
        owner.release(takeOut(blocks, place).memory);
}

void MemoryManager::clear() {
  Dropped dropped;
  const std::lock_guard lock(mutex);
  flush(dropped);
}

void MemoryManager::trim() {
  const std::lock_guard lock(mutex);
  emptyCache();
}

void MemoryManager::defer() {
  const std::lock_guard lock(mutex);
  ++deferrals;
}

void MemoryManager::endDeferral() {
  Dropped dropped;
  const std::lock_guard lock(mutex);
  if (--deferrals == 0)
    flush(dropped);
}

bool MemoryManager::isDeferred() const {
  const std::lock_guard lock(mutex);
  return deferrals != 0;
}

void MemoryManager::reset() {
  Dropped dropped;
  const std::lock_guard lock(mutex);
  while (live.after != &live) {
    LiveAllocation &allocation = *live.after;
    unlink(allocation);
    allocation.isLost.store(true, std::memory_order_relaxed);
  }
  flush(dropped);
  emptyCache();
}

MemoryFigures MemoryManager::figures() const {
  const std::lock_guard lock(mutex);
  MemoryFigures figures = counted;
  figures.capacity = capacity;
  figures.pendingCount = pending.size() + pendingResources.size();
  return figures;
}

MemoryLimits MemoryManager::limits() const {
  const std::lock_guard lock(mutex);
  return bounds;
}

void MemoryManager::setLimits(const MemoryLimits &limits) {
  Dropped dropped;
  const std::lock_guard lock(mutex);
  bounds = limits;
  flushIfFull(dropped);
  emptyCache(bounds.cacheBytes);
}

void MemoryManager::note(const DeviceError &failure) {
  failures.emplace_back(failure.what());
  hasFailures.store(true, std::memory_order_relaxed);
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
  std::string text = "out of memory: " + amount(bytes) + " were asked for, ";
  text += amount(capacity - std::min(capacity, counted.liveBytes)) + " of " + amount(capacity) +
          " are free, of which " + amount(counted.cachedBytes) + " are cached and " + amount(counted.pendingBytes) +
          " pending";
  for (size_t i = 0; i < shown; ++i)
    text += (i == 0 ? "; the largest live arrays have " : ", ") + amount(largest[i]);
  return text + "; drop references to arrays, or call memory_manager.trim()";
}

} // namespace treadle

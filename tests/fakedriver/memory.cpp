// Reservations, allocations, and the map of both.
#include "memory.h"

#include "objects.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace fakecuda {

namespace {
constexpr size_t pageBytes = 4096;
/// Larger allocations are filled at both ends only: filling gigabytes would touch all their pages.
constexpr size_t filledBytes = size_t{16} << 20;
constexpr size_t maxDead = 20000;

size_t roundUp(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

void *checkedMap(void *mapped) {
  if (mapped != MAP_FAILED)
    return mapped;
  std::perror("fakecuda: mmap");
  std::abort();
}

void fill(std::byte *bytes, size_t size, int pattern) {
  std::memset(bytes, pattern, std::min(size, filledBytes));
  if (size > filledBytes)
    std::memset(bytes + size - std::min(size - filledBytes, pageBytes), pattern,
                std::min(size - filledBytes, pageBytes));
}
} // namespace

const char *memoryKindName(MemoryKind kind) {
  static constexpr const char *names[] = {"device",     "async",  "managed",  "pinned",
                                          "registered", "global", "imported", "heap"};
  return names[static_cast<size_t>(kind)];
}

bool isHostMemory(MemoryKind kind) {
  return kind == MemoryKind::Managed || kind == MemoryKind::Pinned || kind == MemoryKind::Registered;
}

DeviceMemory::DeviceMemory() {
  file = memfd_create("fakecuda", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, reserved) != 0) {
    std::perror("fakecuda: memfd_create");
    std::abort();
  }
  const int flags = MAP_SHARED | MAP_NORESERVE;
  base = reinterpret_cast<uint64_t>(checkedMap(mmap(nullptr, reserved, PROT_NONE, flags, file, 0)));
  bytes = static_cast<std::byte *>(checkedMap(mmap(nullptr, reserved, PROT_READ | PROT_WRITE, flags, file, 0)));
  next = base + pageBytes;
}

DeviceMemory::~DeviceMemory() {
  munmap(reinterpret_cast<void *>(base), reserved);
  munmap(bytes, reserved);
  close(file);
}

uint64_t DeviceMemory::allocate(size_t size, bool wholePages) {
  const size_t unit = wholePages ? pageBytes : granularity;
  // One unused unit after each block: an overrun never reaches a neighbour.
  const size_t rounded = roundUp(std::max(size, size_t{1}), unit) + unit;
  uint64_t address = 0;
  if (const auto found = freed.find(rounded); !wholePages && found != freed.end()) {
    address = found->second;
    freed.erase(found);
  } else {
    address = roundUp(next, unit);
    if (address + rounded > base + reserved)
      return 0;
    next = address + rounded;
  }
  fill(view(address), size, 0xCB);
  return address;
}

void DeviceMemory::release(uint64_t address, size_t size, bool again) {
  fill(view(address), size, 0xDD);
  const uint64_t from = roundUp(offset(address), pageBytes), to = (offset(address) + size) / pageBytes * pageBytes;
  if (to > from)
    fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
              static_cast<off_t>(to - from));
  if (again || next > base + reserved / 2)
    freed.emplace(roundUp(std::max(size, size_t{1}), granularity) + granularity, address);
}

void DeviceMemory::protect(uint64_t address, size_t size, bool readable) const {
  const int protection = readable ? PROT_READ | PROT_WRITE : PROT_NONE;
  mprotect(reinterpret_cast<void *>(address), roundUp(size, pageBytes), protection);
}

MappedBytes::MappedBytes(const std::vector<std::byte> &bytes) : size(bytes.size()) {
  start = checkedMap(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::memcpy(start, bytes.data(), size);
}

MappedBytes &MappedBytes::operator=(MappedBytes &&other) noexcept {
  std::swap(start, other.start);
  std::swap(size, other.size);
  return *this;
}

/// The range stays reserved, so that no later mapping takes its place.
MappedBytes::~MappedBytes() {
  if (size)
    mmap(start, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

void MemoryMap::add(std::shared_ptr<Allocation> allocation) {
  dead.erase(allocation->address);
  live[allocation->address] = std::move(allocation);
}

void MemoryMap::remove(const std::shared_ptr<Allocation> &allocation) {
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the argument may be in what forgets it
  const std::shared_ptr<Allocation> kept = allocation;
  live.erase(kept->address);
  kept->history.clear();
  kept->context.reset();
  if (dead.size() >= maxDead)
    dead.erase(dead.begin());
  dead[kept->address] = kept;
}

namespace {
std::shared_ptr<Allocation> holding(const std::map<uint64_t, std::shared_ptr<Allocation>> &map, uint64_t address) {
  auto found = map.upper_bound(address);
  if (found == map.begin())
    return nullptr;
  --found;
  // An address at the end belongs to the block too, for messages; accesses of more than 0 bytes fail there.
  return address <= found->second->end() ? found->second : nullptr;
}
} // namespace

std::shared_ptr<Allocation> MemoryMap::find(uint64_t address) const {
  const std::shared_ptr<Allocation> found = holding(live, address);
  return found && (address < found->end() || found->bytes == 0) ? found : nullptr;
}

std::shared_ptr<Allocation> MemoryMap::imported(const std::string &handle, const Context &context) const {
  for (const auto &[address, allocation] : live)
    if (allocation->importedBy == handle && allocation->context.get() == &context)
      return allocation;
  return nullptr;
}

std::shared_ptr<Allocation> MemoryMap::overlapping(uint64_t address, size_t bytes) const {
  if (std::shared_ptr<Allocation> found = find(address))
    return found;
  const auto next = live.lower_bound(address);
  return next != live.end() && next->first < address + bytes ? next->second : nullptr;
}

std::shared_ptr<Allocation> MemoryMap::findDead(uint64_t address) const { return holding(dead, address); }

} // namespace fakecuda

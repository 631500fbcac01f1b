// RemoteMemory: memory that only the device can touch: it has no access rights except while the device itself works.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <sys/mman.h>

namespace remote {

class RemoteMemory {
public:
  explicit RemoteMemory(size_t capacity) : reserved(roundUp(std::clamp(capacity, page, largestReservation), page)) {
    void *memory = mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      throw std::bad_alloc();
    base = static_cast<char *>(memory);
  }
  RemoteMemory(const RemoteMemory &) = delete;
  RemoteMemory &operator=(const RemoteMemory &) = delete;
  ~RemoteMemory() { munmap(base, reserved); }

  bool contains(const char *address) const { return address >= base && address < base + reserved; }

  /// Aligned to 256 bytes; null where there is no room.
  char *allocate(size_t bytes) {
    const size_t wanted = roundUp(std::max<size_t>(bytes, 1), 256);
    const std::lock_guard lock(mutex);
    char *address = base; // the first gap that is large enough
    for (const auto &[start, length] : given) {
      if (size_t(start - address) >= wanted)
        break;
      address = start + length;
    }
    if (wanted < bytes || size_t(base + reserved - address) < wanted)
      return nullptr;
    given[address] = wanted;
    used = std::max(used, size_t(address - base) + wanted);
    if (opened > 0)
      protect(PROT_READ | PROT_WRITE);
    return address;
  }

  /// Overwrites it first, so that later reads of it are seen. False: it was never given.
  bool release(char *memory) {
    const Opened access(*this);
    const std::lock_guard lock(mutex);
    const auto block = given.extract(memory);
    if (block)
      std::memset(memory, 0xdd, std::min(block.mapped(), overwritten));
    return bool(block);
  }

  /// While one lives, all of it can be touched.
  class Opened {
  public:
    explicit Opened(RemoteMemory &memory) : memory(memory) { memory.count(+1, 1, PROT_READ | PROT_WRITE); }
    Opened(const Opened &) = delete;
    Opened &operator=(const Opened &) = delete;
    ~Opened() { memory.count(-1, 0, PROT_NONE); }

  private:
    RemoteMemory &memory;
  };

private:
  static constexpr size_t page = 4096, largestReservation = size_t(1) << 40;
  /// Of a large block only the beginning is overwritten.
  static constexpr size_t overwritten = size_t(1) << 20;
  static size_t roundUp(size_t bytes, size_t step) { return (bytes + step - 1) / step * step; }

  void count(int change, int decisive, int rights) {
    const std::lock_guard lock(mutex);
    opened += change;
    if (opened == decisive)
      protect(rights);
  }
  void protect(int rights) const {
    if (used > 0 && mprotect(base, roundUp(used, page), rights) != 0)
      throw std::bad_alloc();
  }

  char *base = nullptr;
  const size_t reserved;
  std::mutex mutex;
  size_t used = 0;                ///< bytes from `base` that were ever given; guarded by mutex, as all below
  int opened = 0;                 ///< how many Opened live
  std::map<char *, size_t> given; ///< address: bytes
};

} // namespace remote

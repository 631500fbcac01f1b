// Device and host memory of the stand-in: addresses, allocations, and past accesses.
#pragma once

#include "clock.h"
#include "cuda_driver_api.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptxmachine {
struct Region;
}

namespace fakecuda {

struct Context;
struct Pool;
class Driver;

enum class MemoryKind : uint8_t { Device, Async, Managed, Pinned, Registered, Global, Imported, Heap };
const char *memoryKindName(MemoryKind kind);
/// Memory that the host may access.
bool isHostMemory(MemoryKind kind);

enum class AccessKind : uint8_t { Read, Write, Allocate, Free };

struct Access {
  uint64_t address;
  size_t bytes;
  AccessKind kind;
};

/// A past access, for the race checker.
struct PastAccess {
  Access access;
  uint64_t stream;
  uint64_t tick;
  std::shared_ptr<const std::string> what;
  std::shared_ptr<const Clock> known; ///< what was known to have happened before it
};

struct Allocation {
  MemoryKind kind;
  uint64_t address; ///< as callers see it
  size_t bytes;
  std::byte *view = nullptr; ///< the same bytes at an address that the stand-in can access
  int device = 0;
  unsigned flags = 0;
  uint64_t bufferId = 0;
  std::shared_ptr<Context> context;
  std::string madeBy;
  std::string freedBy; ///< the queued or finished call; empty: alive
  std::vector<PastAccess> history;
  uint64_t workWrites = 0; ///< pieces of work that have run and wrote here
  int pendingUses = 0;     ///< pending pieces of work that use bytes in it
  void *mapped = nullptr;  ///< unmapped together with it
  size_t mappedBytes = 0;
  std::string importedBy;   ///< the bytes of the handle
  unsigned timesOpened = 0; ///< and not closed since, by its context
  bool isConstant = false;
  bool isSynchronous = false; ///< copies and memsets that touch it wait: CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
  std::shared_ptr<Pool> pool; ///< of stream-ordered allocations
  std::shared_ptr<ptxmachine::Region> region; ///< as the machine sees it

  uint64_t end() const { return address + bytes; }
};

/// Whether kernels of the context may touch the allocation.
bool isReachable(const Allocation &allocation, const Context &context);
/// Makes the region on first use.
ptxmachine::Region *regionOf(Driver &driver, Allocation &allocation);
/// Kernels may read these bytes from now on.
void markWritten(Driver &driver, Allocation &allocation, const Access &access);

/// The addresses of one device: an inaccessible reservation, and a second mapping of the same file.
class DeviceMemory {
public:
  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  static constexpr size_t granularity = 512;
  static constexpr size_t reserved = size_t{32} << 30;

  /// 0 if the reservation is used up. The bytes are filled with a pattern that is not a sensible value of any type.
  uint64_t allocate(size_t bytes, bool wholePages);
  /// `again`: the address may be reused at once.
  void release(uint64_t address, size_t bytes, bool again);
  std::byte *view(uint64_t address) const { return bytes + (address - base); }
  bool contains(uint64_t address) const { return address >= base && address < base + reserved; }
  void protect(uint64_t address, size_t size, bool readable) const;
  int descriptor() const { return file; }
  uint64_t offset(uint64_t address) const { return address - base; }

private:
  uint64_t base = 0;
  std::byte *bytes = nullptr;
  uint64_t next = 0;
  int file = -1;
  std::multimap<size_t, uint64_t> freed; ///< by rounded size
};

/// All allocations by address, and dead ones for messages.
class MemoryMap {
public:
  void add(std::shared_ptr<Allocation> allocation);
  void remove(const std::shared_ptr<Allocation> &allocation);
  /// The live allocation that contains the address, or null.
  std::shared_ptr<Allocation> find(uint64_t address) const;
  /// The live allocation that overlaps the range, or null.
  std::shared_ptr<Allocation> overlapping(uint64_t address, size_t bytes) const;
  /// What the context has opened by the bytes of a handle, or null.
  std::shared_ptr<Allocation> imported(const std::string &handle, const Context &context) const;
  /// The last dead allocation that contained the address, or null.
  std::shared_ptr<Allocation> findDead(uint64_t address) const;
  const std::map<uint64_t, std::shared_ptr<Allocation>> &all() const { return live; }

private:
  std::map<uint64_t, std::shared_ptr<Allocation>> live;
  std::map<uint64_t, std::shared_ptr<Allocation>> dead;
};

} // namespace fakecuda

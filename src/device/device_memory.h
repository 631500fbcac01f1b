// DeviceMemory: the part of a device that allocates its memory and knows the memory of others.
#pragma once

#include "border/dlpack_abi.h"
#include "device/memory_kind.h"
#include "support/export.h"

#include <cstddef>
#include <optional>
#include <span>

namespace treadle {

/// Foreign memory, as kernels of a device use it.
struct LocatedMemory {
  MemoryKind kind;
  char *data;
};

class TREADLE_API DeviceMemory {
public:
  /// Uninitialised memory, aligned to 256 bytes; `bytes` may be 0. Throws DeviceError if none is left.
  virtual void *allocate(size_t bytes, MemoryKind kind) = 0;
  /// Throws DeviceError if the device cannot take the memory back; it is then lost.
  virtual void release(void *memory, MemoryKind kind) = 0;
  /// Releases memory allocated before a reset; a device that owns its memory has taken it back in the reset.
  virtual void releaseLost(void *memory, MemoryKind kind) noexcept = 0;
  /// Whether the host can access memory of that kind by its address.
  virtual bool isHostVisible(MemoryKind kind) const = 0;
  /// What DLPack calls the place of memory of that kind; nothing: no other library can reach it.
  virtual std::optional<dlpack::Device> exchangePlace(MemoryKind) const { return std::nullopt; }
  /// Finds out whether the device's kernels can use the memory, which is not empty: nothing if they cannot. Throws
  /// DeviceError.
  virtual std::optional<LocatedMemory> locate(std::span<char>) const { return std::nullopt; }
  /// The whole allocation of the device that the address lies in; empty where the device knows none.
  virtual std::span<char> allocationAround(char *) const { return {}; }
  /// Memory of the host is pinned between these two calls, and kernels can use it. Ranges do not overlap. Both throw
  /// DeviceError.
  virtual void registerHost(std::span<char> memory) = 0;
  virtual void unregisterHost(char *memory) = 0;
  /// Total memory in bytes.
  virtual size_t memoryCapacity() const = 0;
  /// Unallocated memory, where other software shares the memory; nothing: only Treadle allocates it.
  virtual std::optional<size_t> freeMemory() const { return std::nullopt; }

protected:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;
  ~DeviceMemory() = default;
};

} // namespace treadle

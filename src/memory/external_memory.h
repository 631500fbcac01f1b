// ExternalMemory: another library that allocates device memory in place of the devices.
#pragma once

#include "device/device.h"
#include "memory/memory_block.h"
#include "support/export.h"

#include <cstddef>

namespace treadle {

/// An allocation of the library; dropping the owner frees it.
struct ExternalPiece {
  char *memory = nullptr;
  MemoryOwner owner = {};
};

/// Thread-safe; called with or without the host's lock, but never under a lock of Treadle's.
class TREADLE_API ExternalMemory {
public:
  ExternalMemory() = default;
  ExternalMemory(const ExternalMemory &) = delete;
  ExternalMemory &operator=(const ExternalMemory &) = delete;
  virtual ~ExternalMemory();

  /// At least `bytes` bytes, a positive number. Throws whatever the library raises.
  virtual ExternalPiece allocate(Device &device, size_t bytes, MemoryKind kind) = 0;
};

} // namespace treadle

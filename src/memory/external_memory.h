// ExternalMemory: another library that the memory of devices comes from, in place of the devices.
#pragma once

#include "device/device.h"
#include "memory/memory_block.h"
#include "support/export.h"

#include <cstddef>

namespace treadle {

/// What a library gives: dropping the owner gives it back.
struct ExternalPiece {
  char *memory = nullptr;
  MemoryOwner owner = {};
};

/// Called by any number of threads at once, with or without the host's lock, and under no lock of Treadle's.
class TREADLE_API ExternalMemory {
public:
  ExternalMemory() = default;
  ExternalMemory(const ExternalMemory &) = delete;
  ExternalMemory &operator=(const ExternalMemory &) = delete;
  virtual ~ExternalMemory();

  /// At least so many bytes, which are not 0. Throws whatever the library raises.
  virtual ExternalPiece allocate(Device &device, size_t bytes, MemoryKind kind) = 0;
};

} // namespace treadle

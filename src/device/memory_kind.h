// Kinds of memory that a device allocates, and the locations of a copy's sides.
#pragma once

#include <cstdint>

namespace treadle {

/// An allocation has one address, for kernels and, if the memory is visible to it, for the host.
enum class MemoryKind : uint8_t {
  Device,  ///< the device's own
  Pinned,  ///< the host's, page-locked, so that copies need no staging buffer
  Mapped,  ///< the host's, accessed by kernels over the bus
  Managed, ///< migrates to where it is used
};

/// The location of one side of a copy, which decides how the copy is made and whether the host must wait for it.
enum class Location : uint8_t {
  Pageable, ///< memory of the host, unknown to any device
  Pinned,   ///< of the host: allocated by a device, or registered with it
  Device,   ///< MemoryKind::Device, Mapped and Managed
};

} // namespace treadle

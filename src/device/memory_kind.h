// Kinds of memory that a device gives, and where the sides of a copy lie.
#pragma once

#include <cstdint>

namespace treadle {

/// An allocation has one address for kernels and, where it is visible there, for the host.
enum class MemoryKind : uint8_t {
  Device,  ///< the device's own
  Pinned,  ///< the host's, page-locked, so that copies need not go through another buffer
  Mapped,  ///< the host's, which kernels use over the bus
  Managed, ///< moves to where it is used
};

/// Where one side of a copy lies: what decides how the copy is made, and whether the host has to wait for it.
enum class Place : uint8_t {
  Pageable, ///< memory of the host that no device knows
  Pinned,   ///< of the host: allocated by a device, or registered with it
  Device,   ///< MemoryKind::Device, Mapped and Managed
};

} // namespace treadle

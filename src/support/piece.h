// Bounds checks on untrusted offsets and sizes, whose sum may overflow.
#pragma once

#include <cstdint>

namespace treadle {

/// Whether `bytes` bytes from `offset` on all lie within the first `whole`.
constexpr bool isPiece(uint64_t offset, uint64_t bytes, uint64_t whole) {
  return offset <= whole && bytes <= whole - offset;
}

/// Whether `bytes` bytes of memory can begin at that address. Addresses in a process are less than 2^63, so that the
/// difference of two is an int64.
constexpr bool isMemory(uintptr_t address, uint64_t bytes) { return isPiece(address, bytes, INT64_MAX); }

} // namespace treadle

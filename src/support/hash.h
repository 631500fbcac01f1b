// Hashes that find buckets. A hash is never an identity: compare the keys too.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace treadle {

constexpr uint64_t hashMix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

constexpr uint64_t hashCombine(uint64_t seed, uint64_t value) { return hashMix(seed + 0x9e3779b97f4a7c15u + value); }

/// Equal bytes have equal hashes in every process on one machine type, so hashes can serve as file names.
inline uint64_t hashBytes(std::string_view bytes, uint64_t seed = 0) {
  uint64_t hash = hashCombine(seed, bytes.size());
  while (bytes.size() >= sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), sizeof word);
    hash = hashCombine(hash, word);
    bytes.remove_prefix(sizeof word);
  }
  uint64_t last = 0;
  if (!bytes.empty())
    std::memcpy(&last, bytes.data(), bytes.size());
  return hashCombine(hash, last);
}

} // namespace treadle

// DeviceMemory: what the machine asks of the driver that it runs under: which bytes are at an address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ptxmachine {

/// A bit for each byte of an allocation: whether it was ever written. Empty: all of them were.
class WrittenBytes {
public:
  WrittenBytes() = default;
  explicit WrittenBytes(size_t bytes) : words((bytes + 63) / 64) {}

  bool all(size_t offset, size_t count) const {
    for (size_t at = offset; !words.empty() && at < offset + count; ++at)
      if (!(words[at / 64] >> at % 64 & 1))
        return false;
    return true;
  }
  void set(size_t offset, size_t count, bool isWritten);

private:
  std::vector<uint64_t> words;
};

/// One allocation, or one variable of a module. It outlives every launch that may touch it.
struct Region {
  uint64_t address = 0;
  size_t bytes = 0;
  std::byte *data = nullptr;
  uint32_t id = 0; ///< from 1, below 2^31, never used again
  bool isConstant = false;
  bool isOfThread = false; ///< made by a thread's malloc: nothing that the host may look at
  WrittenBytes written;
  std::string name; ///< for messages: "memory made by cuMemAlloc (call 12)"
};

class DeviceMemory {
public:
  virtual ~DeviceMemory() = default;
  /// The live region that contains the address, or null.
  virtual Region *find(uint64_t address) = 0;
  /// For messages about an address that is in none: what was freed there, or what is near.
  virtual std::string describe(uint64_t address) = 0;
  /// For the malloc of kernels; 0 if there is no memory. What is freed stays a region until the launch has ended.
  virtual uint64_t allocate(size_t bytes) = 0;
  /// Whether it is the address of memory that `allocate` has made.
  virtual bool release(uint64_t address) = 0;
  /// Text that a kernel printed.
  virtual void print(const std::string &text) = 0;
};

} // namespace ptxmachine

// Frame: the registers and the local memory of one call of a function, for all lanes that made it together.
#pragma once

#include "lanes.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace ptxmachine {

struct Code;
struct CallSite;

/// Bytes of each lane, with a mark for each byte that was written.
class LaneBytes {
public:
  explicit LaneBytes(size_t bytesPerLane)
      : stride(bytesPerLane), bytes(stride * warpSize), written(stride * warpSize) {}

  size_t bytesPerLane() const { return stride; }
  std::byte *of(unsigned lane) { return bytes.data() + lane * stride; }
  bool isWritten(unsigned lane, size_t at, size_t count) const {
    for (size_t k = 0; k < count; ++k)
      if (!written[lane * stride + at + k])
        return false;
    return true;
  }
  void mark(unsigned lane, size_t at, size_t count, bool isDefined) {
    for (size_t k = 0; k < count; ++k)
      written[lane * stride + at + k] = isDefined;
  }

private:
  size_t stride;
  std::vector<std::byte> bytes;
  std::vector<uint8_t> written;
};

/// What `alloca` gave to a lane, until `stackrestore` or the end of the call takes it back.
struct StackPiece {
  unsigned lane;
  size_t offset, bytes;
};

struct Frame {
  explicit Frame(const Code &code);

  const Code &code;
  std::vector<Lanes> registers;
  std::vector<LaneMask> defined; ///< by register: the lanes that have a value
  std::vector<uint32_t> tags;    ///< by register: the region that all its lanes point into; 0: unknown
  LaneBytes local;
  std::vector<StackPiece> pieces;
  LaneBytes params; ///< `.param` variables of the function: its own parameters and results, and those of its calls
  uint64_t localBase = 0; ///< where its local memory begins in the thread's

  std::shared_ptr<Frame> caller;
  uint32_t returnTo = 0;
  const CallSite *site = nullptr;
};

struct Place;
/// Copies a `.param` variable of some lanes, with its marks.
void copyParams(LaneBytes &from, const Place &source, LaneBytes &to, const Place &target, LaneMask mask);

} // namespace ptxmachine

// Frames and steps: what arithmetic needs of them.
#include "frame.h"

#include "launch.h"

#include <cstring>

namespace ptxmachine {

Frame::Frame(const Code &code)
    : code(code), registers(code.registerCount), defined(code.registerCount), tags(code.registerCount),
      local(code.localBytes + code.stackBytes), params(code.paramBytes) {}

uint32_t Step::tag(Slot slot) const {
  if (slot.base == Slot::Base::Register)
    return frame.tags[slot.index];
  return slot.base == Slot::Base::Constant ? warp.launch().program->constantTags()[slot.index] : 0;
}

void Step::require(Slot slot, const char *what) const {
  if (const LaneMask missing = mask & ~defined(slot))
    throw Fault(FaultKind::UndefinedValue,
                std::string(what) + " is a value that was never set (" + frame.code.registers[slot.index] + ")",
                std::countr_zero(missing));
}

void copyParams(LaneBytes &from, const Place &source, LaneBytes &to, const Place &target, LaneMask mask) {
  const size_t bytes = source.bytes < target.bytes ? source.bytes : target.bytes;
  forLanes(mask, [&](unsigned lane) {
    std::memcpy(to.of(lane) + target.offset, from.of(lane) + source.offset, bytes);
    for (size_t at = 0; at < bytes; ++at)
      to.mark(lane, target.offset + at, 1, from.isWritten(lane, source.offset + at, 1));
  });
}

void WrittenBytes::set(size_t offset, size_t count, bool isWritten) {
  for (size_t at = offset; !words.empty() && at < offset + count;) {
    if (at % 64 == 0 && at + 64 <= offset + count) {
      words[at / 64] = isWritten ? ~uint64_t{0} : 0;
      at += 64;
      continue;
    }
    const uint64_t bit = uint64_t{1} << at % 64;
    words[at / 64] = isWritten ? words[at / 64] | bit : words[at / 64] & ~bit;
    ++at;
  }
}

const char *faultName(FaultKind kind) {
  static constexpr const char *names[] = {"out-of-bounds",   "misaligned",     "freed-memory",  "undefined-value",
                                          "read-only-load",  "kernel-barrier", "warp-function", "kernel-race",
                                          "kernel-deadlock", "trap",           "unsupported"};
  return names[static_cast<size_t>(kind)];
}

} // namespace ptxmachine

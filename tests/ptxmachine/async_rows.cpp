// Rows of asynchronous copies from global to shared memory: what is copied arrives when its thread waits for it, and
// until then the bytes there are undefined.
#include "launch.h"
#include "row.h"

#include <cstring>

namespace ptxmachine {

namespace {

/// An address of the instruction as that of a load or store.
Instruction addressAt(const Instruction &i, size_t source, Space space) {
  Instruction result = i;
  result.space = space;
  if (source) {
    result.sources[0] = i.sources[source];
    result.offset = i.secondOffset;
    result.addressBase = AddressBase::Slot;
  }
  return result;
}

/// Sources: to, from, size, and how many bytes to read; zeros fill the rest.
void copy(Step &s, const Instruction &i) {
  for (size_t at = 0; at < i.sourceCount; ++at)
    s.require(i.sources[at], "an operand of a copy");
  const Instruction to = addressAt(i, 0, Space::Shared), from = addressAt(i, 1, Space::Global);
  forLanes(s.mask, [&](unsigned lane) {
    const size_t size = s.source(i, 2).get<uint32_t>(lane);
    const size_t read = i.sourceCount > 3 ? s.source(i, 3).get<uint32_t>(lane) : size;
    if ((size != 4 && size != 8 && size != 16) || read > size)
      throw Fault(FaultKind::Misaligned, "a copy of 4, 8 or 16 bytes, of which no more are read",
                  static_cast<int>(lane));
    const uint64_t source = s.warp.addressOf(s, from, lane);
    if (read && source % size)
      throw Fault(FaultKind::Misaligned, "the source of a copy is no multiple of its size", static_cast<int>(lane));
    AsyncCopy copy{lane, s.warp.commits[lane], {}, size, true, {}};
    for (size_t at = 0; at < read; ++at) {
      const MemoryAccess access{1, AccessKind::Read, false, false};
      const Target byte = s.warp.locate(s, from, lane, source + at, access);
      s.warp.note(from, LaneMask{1} << lane, byte, access);
      copy.bytes[at] = *byte.data;
      copy.isDefined &= !byte.written || byte.written->all(byte.offset, 1);
    }
    const MemoryAccess access{size, AccessKind::Write, false, false};
    copy.to = s.warp.locate(s, to, lane, s.warp.addressOf(s, to, lane), access);
    s.warp.note(to, LaneMask{1} << lane, copy.to, access);
    std::memset(copy.to.data, 0xCB, size);
    copy.to.written->set(copy.to.offset, size, false);
    s.warp.copies.push_back(copy);
  });
}

void commit(Step &s, const Instruction &) {
  forLanes(s.mask, [&](unsigned lane) { ++s.warp.commits[lane]; });
}

/// Lets the lane's copies arrive, but for the last `left` groups.
void arrive(Step &s, const Instruction &i, unsigned lane, uint32_t left) {
  std::erase_if(s.warp.copies, [&](const AsyncCopy &copy) {
    if (copy.lane != lane || copy.group + left >= s.warp.commits[lane])
      return false;
    s.warp.note(i, LaneMask{1} << lane, copy.to, {copy.size, AccessKind::Write, false, false});
    std::memcpy(copy.to.data, copy.bytes, copy.size);
    copy.to.written->set(copy.to.offset, copy.size, copy.isDefined);
    return true;
  });
}

void wait(Step &s, const Instruction &i) {
  forLanes(s.mask, [&](unsigned lane) { arrive(s, i, lane, s.source(i, 0).get<uint32_t>(lane)); });
}

void waitForAll(Step &s, const Instruction &i) {
  commit(s, i);
  forLanes(s.mask, [&](unsigned lane) { arrive(s, i, lane, 0); });
}

template <Execute function> Execute always(const Spelling &) { return function; }

#define PREFETCH "[L2::64B|L2::128B|L2::256B]"
constexpr Row rows[] = {
    {"cp.async.ca.(shared|shared::cta).global." PREFETCH, "mnv?v", always<copy>},
    {"cp.async.cg.(shared|shared::cta).global." PREFETCH, "mnv?v", always<copy>},
    {"cp.async.commit_group", "", always<commit>},
    {"cp.async.wait_group", "v", always<wait>},
    {"cp.async.wait_all", "", always<waitForAll>},
};

} // namespace

std::span<const Row> asyncRows() { return rows; }

} // namespace ptxmachine

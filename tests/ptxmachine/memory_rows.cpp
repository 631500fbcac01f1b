// Rows of loads and stores.
#include "launch.h"
#include "order.h"
#include "row.h"

#include <cstring>
#include <new>

namespace ptxmachine {

namespace {

enum Flag : uint32_t { Strong = 1, Acquire = 2, Release = 4, ReadOnly = 8, Volatile = 16 };

uint32_t flagsOf(const Spelling &s) {
  uint32_t flags = 0;
  if (s.has("volatile") || s.has("relaxed") || s.has("mmio"))
    flags |= Strong;
  if (s.has("acquire"))
    flags |= Strong | Acquire;
  if (s.has("release"))
    flags |= Strong | Release;
  if (s.has("nc"))
    flags |= ReadOnly;
  return flags;
}

bool isDefined(const Target &target, unsigned lane, size_t bytes) {
  if (target.lanes)
    return target.lanes->isWritten(lane, target.offset, bytes);
  return !target.written || target.written->all(target.offset, bytes);
}

void markDefined(const Target &target, unsigned lane, size_t bytes, bool isDefinedNow) {
  if (target.lanes)
    target.lanes->mark(lane, target.offset, bytes, isDefinedNow);
  else if (target.written)
    target.written->set(target.offset, bytes, isDefinedNow);
}

Target advanced(Target target, size_t bytes) {
  target.data += bytes;
  target.offset += bytes;
  return target;
}

/// A parameter that points into a region gives its register that region's tag.
void tagParameter(Step &s, const Instruction &i) {
  const auto lane = static_cast<unsigned>(std::countr_zero(s.mask));
  const uint64_t value = s.result(i).at[lane];
  if (value >> 12 == 0)
    return;
  if (Region *region = s.warp.launch().memory.find(value)) {
    s.warp.launch().shadowOf(*region);
    s.setTag(i, region->id);
  }
}

template <class T> void load(Step &s, const Instruction &i) {
  s.require(i.sources[0], "the address of a load");
  const size_t count = i.resultCount, bytes = sizeof(T) * count;
  const MemoryAccess access{bytes, AccessKind::Read, (i.flags & Strong) != 0, (i.flags & ReadOnly) != 0, sizeof(T)};
  LaneMask defined[4] = {};
  Target target;
  uint64_t last = 0;
  LaneMask same = 0; ///< lanes whose access to the target is not noted yet
  forLanes(s.mask, [&](unsigned lane) {
    const uint64_t address = s.warp.addressOf(s, i, lane);
    if (!same || address != last || target.lanes || access.isStrong) {
      if (same)
        s.warp.note(i, same, target, access);
      new (&target) Target(s.warp.locate(s, i, lane, address, access)); // in place: a copy would wait for its parts
      last = address;
      same = 0;
    }
    same |= LaneMask{1} << lane;
    for (size_t at = 0; at < count; ++at) {
      T value;
      std::memcpy(&value, target.data + at * sizeof(T), sizeof(T));
      s.result(i, at).set<T>(lane, value);
      defined[at] |= static_cast<LaneMask>(isDefined(advanced(target, at * sizeof(T)), lane, sizeof(T))) << lane;
    }
    if (i.flags & Strong) {
      s.warp.note(i, same, target, access);
      same = 0;
      noteStrongRead(s, i, lane, target, (i.flags & Acquire) != 0);
    }
  });
  if (same)
    s.warp.note(i, same, target, access);
  for (size_t at = 0; at < count; ++at)
    s.define(i, at, defined[at]);
  if (target.isUniform && sizeof(T) == 8 && count == 1)
    tagParameter(s, i);
}

template <class T> void store(Step &s, const Instruction &i) {
  s.require(i.sources[0], "the address of a store");
  const size_t count = i.sourceCount - 1u;
  MemoryAccess access{sizeof(T) * count, AccessKind::Write, (i.flags & Strong) != 0, false};
  if (i.flags & Release)
    fence(s, s.mask);
  forLanes(s.mask, [&](unsigned lane) {
    T values[4];
    for (size_t at = 0; at < count; ++at)
      values[at] = s.source(i, 1 + at).get<T>(lane);
    const Target target = s.warp.locate(s, i, lane, s.warp.addressOf(s, i, lane), access);
    MemoryAccess now = access;
    if (!now.isStrong && std::memcmp(target.data, values, access.bytes) == 0 && isDefined(target, lane, access.bytes))
      now.kind = AccessKind::Silent;
    s.warp.note(i, LaneMask{1} << lane, target, now);
    std::memcpy(target.data, values, access.bytes);
    for (size_t at = 0; at < count; ++at)
      markDefined(advanced(target, at * sizeof(T)), lane, sizeof(T), s.defined(i.sources[1 + at]) >> lane & 1);
    if (i.flags & Strong)
      noteStrongStore(s, i, lane, target);
  });
}

Execute chooseLoad(const Spelling &s) {
  switch (const Type type = s.last(); type.bits) {
  case 8:
    return type.isSigned() ? load<int8_t> : load<uint8_t>;
  case 16:
    return type.isSigned() ? load<int16_t> : load<uint16_t>;
  case 32:
    return type.isSigned() ? load<int32_t> : load<uint32_t>;
  case 64:
    return load<uint64_t>;
  default:
    return nullptr;
  }
}

Execute chooseStore(const Spelling &s) {
  switch (s.last().bits) {
  case 8:
    return store<uint8_t>;
  case 16:
    return store<uint16_t>;
  case 32:
    return store<uint32_t>;
  case 64:
    return store<uint64_t>;
  default:
    return nullptr;
  }
}

void nothing(Step &, const Instruction &) {}
Execute chooseNothing(const Spelling &) { return nothing; }

#define SPACES "[global|shared|shared::cta|shared::cluster|local|const|param|param::entry|param::func]"
#define WRITABLE "[global|shared|shared::cta|shared::cluster|local]"
#define NARROW "(b8|b16|b32|u8|u16|u32|s8|s16|s32|f32)"
#define TYPES "(b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64)"
/// Of up to 128 bits.
#define VECTORS(start, operands, choose)                                                                               \
  {start "." TYPES, operands, choose, flagsOf}, {start ".v2." TYPES, operands, choose, flagsOf}, {                     \
    start ".v4." NARROW, operands, choose, flagsOf                                                                     \
  }
#define SCOPES "(cta|cluster|gpu|sys)"
#define L1 "(L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate)"
#define L2 "[L2::64B|L2::128B|L2::256B]"

constexpr Row rows[] = {
    VECTORS("ld.[weak]." SPACES ".[ca|cg|cs|lu|cv]", "Rm", chooseLoad),
    VECTORS("ld.[weak].[global]." L1 "." L2, "Rm", chooseLoad),
    VECTORS("ld.[weak].[global].[ca|cg|cs|lu|cv]." L2, "Rm", chooseLoad),
    VECTORS("ld.volatile." WRITABLE, "Rm", chooseLoad),
    VECTORS("ld.(relaxed|acquire)." SCOPES ".[global|shared|shared::cta|shared::cluster]", "Rm", chooseLoad),
    VECTORS("ld.(relaxed|acquire)." SCOPES ".[global]." L1 "." L2, "Rm", chooseLoad),
    VECTORS("ld.global.[ca|cg|cs].nc." L2, "Rm", chooseLoad),
    VECTORS("ld.global.nc." L1 "." L2, "Rm", chooseLoad),
    VECTORS("ldu.[global]", "Rm", chooseLoad),
    VECTORS("st.[weak]." WRITABLE ".[wb|cg|cs|wt]", "mV", chooseStore),
    VECTORS("st.[weak].[param|param::func]", "mV", chooseStore),
    VECTORS("st.[weak].[global]." L1, "mV", chooseStore),
    VECTORS("st.volatile." WRITABLE, "mV", chooseStore),
    VECTORS("st.(relaxed|release)." SCOPES ".[global|shared|shared::cta|shared::cluster]", "mV", chooseStore),
    VECTORS("st.(relaxed|release)." SCOPES ".[global]." L1, "mV", chooseStore),
    {"prefetch.[global|local].(L1|L2)", "m", chooseNothing},
    {"prefetch.global.(L2::evict_last|L2::evict_normal)", "m", chooseNothing},
    {"prefetchu.L1", "m", chooseNothing},
};

} // namespace

std::span<const Row> memoryRows() { return rows; }

} // namespace ptxmachine

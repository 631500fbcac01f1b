// Rows of atomic operations: `atom`, which gives the old value, and `red`, which gives none.
#include "order.h"
#include "row.h"
#include "small_floats.h"

#include <bit>
#include <cmath>
#include <type_traits>

namespace ptxmachine {

namespace {

enum Flag : uint32_t { Acquires = 1, Releases = 2 };

uint32_t flagsOf(const Spelling &s) {
  return (s.has("acquire") || s.has("acq_rel") ? Acquires : 0u) |
         (s.has("release") || s.has("acq_rel") ? Releases : 0u);
}

struct Add {
  template <class T> static T apply(T old, T value, T) {
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(old) + static_cast<std::make_unsigned_t<T>>(value));
    else
      return static_cast<T>(old + value);
  }
};
struct And {
  template <class T> static T apply(T old, T value, T) { return old & value; }
};
struct Or {
  template <class T> static T apply(T old, T value, T) { return old | value; }
};
struct Xor {
  template <class T> static T apply(T old, T value, T) { return old ^ value; }
};
struct Exchange {
  template <class T> static T apply(T, T value, T) { return value; }
};
struct CompareAndSwap {
  template <class T> static T apply(T old, T compare, T value) { return old == compare ? value : old; }
};
struct Min {
  template <class T> static T apply(T old, T value, T) { return value < old ? value : old; }
};
struct Max {
  template <class T> static T apply(T old, T value, T) { return old < value ? value : old; }
};
/// Wraps to 0 after the value.
struct Increment {
  template <class T> static T apply(T old, T value, T) { return old >= value ? 0 : old + 1; }
};
struct Decrement {
  template <class T> static T apply(T old, T value, T) { return old == 0 || old > value ? value : old - 1; }
};

/// A sum of f16 or bf16, or two in a word.
template <const SmallFormat &format> struct AddSmall {
  template <class T> static T apply(T old, T value, T) {
    uint32_t result = 0;
    for (unsigned shift = 0; shift < sizeof(T) * 8; shift += 16) {
      const auto part = [&](T word) { return widened(static_cast<uint16_t>(word >> shift), format); };
      result |= uint32_t{narrowed(stickySum(part(old), part(value)), format)} << shift;
    }
    return static_cast<T>(result);
  }
};

/// Replaces a value in memory, and returns it. Atomic for the host, too, which may share the memory.
template <class T, class Update> T exchangeAtomically(std::byte *place, Update update) {
  using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
  auto *const bits = reinterpret_cast<Bits *>(place);
  Bits known = __atomic_load_n(bits, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(bits, &known, std::bit_cast<Bits>(update(std::bit_cast<T>(known))), false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    ;
  return std::bit_cast<T>(known);
}

/// The old value of each lane in turn. A compare-and-swap that fails writes nothing, so it releases nothing either.
template <class T, class Op> void update(Step &s, const Instruction &i) {
  s.require(i.sources[0], "the address of an atomic operation");
  for (size_t at = 1; at < i.sourceCount; ++at)
    s.require(i.sources[at], "an operand of an atomic operation");
  if (i.flags & Releases)
    fence(s, s.mask);
  const MemoryAccess access{sizeof(T), AccessKind::Write, true, false};
  forLanes(s.mask, [&](unsigned lane) {
    const Target target = s.warp.locate(s, i, lane, s.warp.addressOf(s, i, lane), access);
    if (target.written && !target.written->all(target.offset, sizeof(T)) && !std::is_same_v<Op, Exchange>)
      throw Fault(FaultKind::UndefinedValue, "an atomic operation on memory that was never written",
                  static_cast<int>(lane));
    s.warp.note(i, LaneMask{1} << lane, target, access);
    const T value = s.source(i, 1).get<T>(lane), third = i.sourceCount > 2 ? s.source(i, 2).get<T>(lane) : T{};
    const T old = exchangeAtomically<T>(target.data, [&](T now) { return Op::apply(now, value, third); });
    if (target.written)
      target.written->set(target.offset, sizeof(T), true);
    const bool isWritten = !std::is_same_v<Op, CompareAndSwap> || old == value;
    noteStrongRead(s, i, lane, target, false);
    if (isWritten)
      noteStrongUpdate(s, lane, target);
    if (i.flags & Acquires)
      s.warp.clock.fence(lane, s.warp.block.round);
    if (i.resultCount)
      s.result(i).set<T>(lane, old);
  });
  if (i.resultCount)
    s.define(i, 0, allLanes);
}

template <class Op> Execute integers(const Spelling &s) {
  const Type type = s.last();
  if (type.bits == 32)
    return type.isSigned() ? Execute(update<int32_t, Op>) : Execute(update<uint32_t, Op>);
  return type.isSigned() ? Execute(update<int64_t, Op>) : Execute(update<uint64_t, Op>);
}

Execute chooseFloat(const Spelling &s) {
  return s.last().bits == 32 ? Execute(update<float, Add>) : Execute(update<double, Add>);
}
template <const SmallFormat &format> Execute sumsOfSmall(const Spelling &s) {
  return s.last().isPair ? Execute(update<uint32_t, AddSmall<format>>) : Execute(update<uint16_t, AddSmall<format>>);
}
Execute chooseShort(const Spelling &) { return update<uint16_t, CompareAndSwap>; }
template <class Op> Execute words(const Spelling &) { return update<uint32_t, Op>; }

#define SEM "[relaxed|acquire|release|acq_rel]"
#define PLACES "[cta|cluster|gpu|sys].[global|shared|shared::cta|shared::cluster]"
/// As older texts have it.
#define SPACE_FIRST "(global|shared).(cta|gpu|sys)"
#define ATOM(operation, operands, choose)                                                                              \
  {"atom." SEM "." PLACES "." operation, operands, choose, flagsOf}, {                                                 \
    "atom." SPACE_FIRST "." operation, operands, choose, flagsOf                                                       \
  }
#define PAIR(operation, choose)                                                                                        \
  ATOM(operation, "rmv", choose), {"red.[relaxed|release]." PLACES "." operation, "mv", choose, flagsOf}, {            \
    "red." SPACE_FIRST "." operation, "mv", choose, flagsOf                                                            \
  }

constexpr Row rows[] = {
    PAIR("add.(u32|s32|u64)", integers<Add>),
    PAIR("add.(f32|f64)", chooseFloat),
    PAIR("add.noftz.(f16|f16x2)", sumsOfSmall<half>),
    PAIR("add.noftz.(bf16|bf16x2)", sumsOfSmall<brain>),
    PAIR("and.(b32|b64)", integers<And>),
    PAIR("or.(b32|b64)", integers<Or>),
    PAIR("xor.(b32|b64)", integers<Xor>),
    PAIR("min.(u32|s32|u64|s64)", integers<Min>),
    PAIR("max.(u32|s32|u64|s64)", integers<Max>),
    PAIR("inc.u32", words<Increment>),
    PAIR("dec.u32", words<Decrement>),
    ATOM("exch.(b32|b64)", "rmv", integers<Exchange>),
    ATOM("cas.(b32|b64)", "rmvv", integers<CompareAndSwap>),
    ATOM("cas.b16", "rmvv", chooseShort),
};

} // namespace

std::span<const Row> atomicRows() { return rows; }

} // namespace ptxmachine

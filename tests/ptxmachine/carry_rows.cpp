// Rows of extended precision: sums, differences and products with the carry flag.
#include "map.h"
#include "row.h"

namespace ptxmachine {

namespace {

enum Flag : uint32_t { In = 1, Out = 2, High = 4 };
uint32_t flagsOf(const Spelling &s) {
  const std::string_view opcode = s.words.front();
  return (opcode == "addc" || opcode == "subc" || opcode == "madc" ? In : 0u) | (s.has("cc") ? Out : 0u) |
         (s.has("hi") ? High : 0u);
}

/// `f(lane, carry)` gives the wide sum or difference, whose bit past the type is the new carry or borrow.
template <class U, class F> void withCarry(Step &s, const Instruction &i, F f) {
  Lanes &carry = s.frame.registers[carryRegister];
  LaneMask defined = s.definedSources(i);
  if (i.flags & In)
    defined &= s.frame.defined[carryRegister];
  forLanes(s.mask, [&](unsigned lane) {
    const unsigned __int128 result = f(lane, i.flags & In ? carry.at[lane] : 0);
    s.result(i).set<U>(lane, static_cast<U>(result));
    if (i.flags & Out)
      carry.at[lane] = static_cast<uint64_t>(result >> sizeof(U) * 8) & 1;
  });
  s.define(i, 0, defined);
  if (i.flags & Out)
    s.frame.defined[carryRegister] = (s.frame.defined[carryRegister] & ~s.mask) | (defined & s.mask);
}

template <class T> struct Add {
  static void run(Step &s, const Instruction &i) {
    using U = std::make_unsigned_t<T>;
    const Lanes a = s.source(i, 0), b = s.source(i, 1);
    withCarry<U>(s, i, [&](unsigned lane, uint64_t carry) {
      return static_cast<unsigned __int128>(a.get<U>(lane)) + b.get<U>(lane) + carry;
    });
  }
};
template <class T> struct Sub {
  static void run(Step &s, const Instruction &i) {
    using U = std::make_unsigned_t<T>;
    const Lanes a = s.source(i, 0), b = s.source(i, 1);
    withCarry<U>(s, i, [&](unsigned lane, uint64_t carry) {
      return static_cast<unsigned __int128>(a.get<U>(lane)) - b.get<U>(lane) - carry;
    });
  }
};
template <class T> struct Mad {
  static void run(Step &s, const Instruction &i) {
    using U = std::make_unsigned_t<T>;
    const Lanes a = s.source(i, 0), b = s.source(i, 1), c = s.source(i, 2);
    withCarry<U>(s, i, [&](unsigned lane, uint64_t carry) {
      const __int128 product = static_cast<__int128>(a.get<T>(lane)) * b.get<T>(lane);
      const U part = static_cast<U>(i.flags & High ? product >> sizeof(T) * 8 : product);
      return static_cast<unsigned __int128>(part) + c.get<U>(lane) + carry;
    });
  }
};
/// A 128-bit product of unsigned 64-bit numbers does not fit in a signed one.
template <> struct Mad<uint64_t> {
  static void run(Step &s, const Instruction &i) {
    const Lanes a = s.source(i, 0), b = s.source(i, 1), c = s.source(i, 2);
    withCarry<uint64_t>(s, i, [&](unsigned lane, uint64_t carry) {
      const unsigned __int128 product = static_cast<unsigned __int128>(a.at[lane]) * b.at[lane];
      const auto part = static_cast<uint64_t>(i.flags & High ? product >> 64 : product);
      return static_cast<unsigned __int128>(part) + c.at[lane] + carry;
    });
  }
};

#define ALL "(u32|s32|u64|s64)"
constexpr Row rows[] = {
    {"add.cc." ALL, "rvv", chooseInteger<Add>, flagsOf},
    {"addc.[cc]." ALL, "rvv", chooseInteger<Add>, flagsOf},
    {"sub.cc." ALL, "rvv", chooseInteger<Sub>, flagsOf},
    {"subc.[cc]." ALL, "rvv", chooseInteger<Sub>, flagsOf},
    {"mad.(lo|hi).cc." ALL, "rvvv", chooseInteger<Mad>, flagsOf},
    {"madc.(lo|hi).[cc]." ALL, "rvvv", chooseInteger<Mad>, flagsOf},
};

} // namespace

std::span<const Row> carryRows() { return rows; }

} // namespace ptxmachine

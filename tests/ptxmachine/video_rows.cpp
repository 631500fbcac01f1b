// Rows of video instructions: four bytes or two halves of a word at once, the lowest first. Operands select no parts.
#include "map.h"
#include "row.h"

#include <algorithm>
#include <cstdlib>

namespace ptxmachine {

namespace {

/// The operation in the lowest bits.
enum Operation : uint32_t {
  Sum,
  Difference,
  Average,
  Distance,
  Least,
  Most,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  OperationMask = 15
};
enum Flag : uint32_t {
  Bytes = 16,
  FirstSigned = 32,
  SecondSigned = 64,
  ResultSigned = 128,
  Saturate = 256,
  Total = 512
};

uint32_t flagsOf(const Spelling &s) {
  constexpr std::string_view names[] = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax",
                                        "eq",   "ne",   "lt",    "le",       "gt",   "ge"};
  const std::string_view word = s.words.front(), name = word.substr(0, word.size() - 1);
  uint32_t flags = 0;
  for (uint32_t at = 0; at < 12; ++at)
    if (name == names[at] || (name == "vset" && s.has(names[at])))
      flags = at;
  const size_t first = name == "vset" ? 0 : 1;
  return flags | (word.back() == '4' ? Bytes : 0u) | (s.types[first].isSigned() ? FirstSigned : 0u) |
         (s.types[first + 1].isSigned() ? SecondSigned : 0u) | (first && s.type().isSigned() ? ResultSigned : 0u) |
         (s.has("sat") ? Saturate : 0u) | (s.has("add") ? Total : 0u);
}

int part(uint32_t word, unsigned at, unsigned bits, bool isSigned) {
  const int value = static_cast<int>(word >> at * bits & ((1u << bits) - 1));
  return isSigned && value >> (bits - 1) ? value - (1 << bits) : value;
}

int operate(uint32_t operation, int a, int b) {
  switch (operation) {
  case Sum:
    return a + b;
  case Difference:
    return a - b;
  case Average:
    return (a + b + (a + b >= 0)) >> 1;
  case Distance:
    return std::abs(a - b);
  case Least:
    return std::min(a, b);
  case Most:
    return std::max(a, b);
  case Eq:
    return a == b;
  case Ne:
    return a != b;
  case Lt:
    return a < b;
  case Le:
    return a <= b;
  case Gt:
    return a > b;
  default:
    return a >= b;
  }
}

/// `.add` sums the parts' results and the third operand; otherwise all parts of the third are replaced.
void partwise(Step &s, const Instruction &i) {
  const unsigned bits = i.flags & Bytes ? 8 : 16;
  const int low = i.flags & ResultSigned ? -(1 << (bits - 1)) : 0, high = low + (1 << bits) - 1;
  map3<uint32_t, uint32_t>(s, i, [&](uint32_t a, uint32_t b, uint32_t c) {
    uint32_t result = i.flags & Total ? c : 0;
    for (unsigned at = 0; at < 32 / bits; ++at) {
      int value = operate(i.flags & OperationMask, part(a, at, bits, i.flags & FirstSigned),
                          part(b, at, bits, i.flags & SecondSigned));
      if (i.flags & Saturate)
        value = std::clamp(value, low, high);
      if (i.flags & Total)
        result += static_cast<uint32_t>(value);
      else
        result |= (static_cast<uint32_t>(value) & ((1u << bits) - 1)) << at * bits;
    }
    return result;
  });
}

Execute choose(const Spelling &) { return partwise; }

#define TYPES "(u32|s32).(u32|s32).(u32|s32)"
#define OPERATION(name)                                                                                                \
  {name "2." TYPES ".[sat|add]", "rvvv", choose, flagsOf}, { name "4." TYPES ".[sat|add]", "rvvv", choose, flagsOf }
constexpr Row rows[] = {
    OPERATION("vadd"),
    OPERATION("vsub"),
    OPERATION("vavrg"),
    OPERATION("vabsdiff"),
    OPERATION("vmin"),
    OPERATION("vmax"),
    {"vset2.(u32|s32).(u32|s32).(eq|ne|lt|le|gt|ge).[add]", "rvvv", choose, flagsOf},
    {"vset4.(u32|s32).(u32|s32).(eq|ne|lt|le|gt|ge).[add]", "rvvv", choose, flagsOf},
};

} // namespace

std::span<const Row> videoRows() { return rows; }

} // namespace ptxmachine

// The one table of everything callable in a kernel: key, typing rule, operation.
#pragma once

#include "builtins/operation.h"
#include "types/number_rules.h"

#include <limits>
#include <span>
#include <string_view>
#include <variant>

namespace treadle {

/// How a call is typed, by the method that the table of infer/infer_builtin.cpp has for it; behind some, what the row's
/// `code` holds.
enum class BuiltinRule : uint8_t {
  MathUnary,    ///< one real number; the float function of its type: an Operation
  MathBinary,   ///< two real numbers; the float function of the type both share: an Operation
  MathRounding, ///< ceil, floor, trunc: an Operation
  MathClassify, ///< a real number to Bool; of integers decided at once: an Operation
  Abs,
  MinMax, ///< an Operation
  Power,
  Round,
  Int,
  Float,
  Complex,
  Bool,
  Length,
  Range,
  Enumerate,
  Zip,
  Binary,      ///< a BinaryOperator
  Unary,       ///< a UnaryOperator
  Compare,     ///< a CompareOperator
  ThreadValue, ///< a number, not called: an Operation
  WarpSize,    ///< a number, not called
  ThreadAxes,  ///< not called: has the attributes x, y, z, each a row of its own
  Grid,        ///< cuda.grid, cuda.gridsize: a Position
  SharedArray,
  LocalArray,
  ConstArray,
  Barrier,  ///< a BarrierKind
  Bits,     ///< an integer: an Operation
  Fma,      ///< three real numbers
  Select,   ///< Bool, two numbers of one type
  Shuffle,  ///< a WarpOperation
  Vote,     ///< a WarpOperation
  Match,    ///< a WarpOperation
  Hardware, ///< a WarpOperation with no operands, or one that has a default
  LaneMask,
  GridGroup,   ///< cuda.cg.this_grid()
  Atomic,      ///< an AtomicOperation
  AtomicFirst, ///< the same, of an array's first element: no index is given
  Print,
  Breakpoint, // the last: builtinRules counts on it
};

constexpr size_t builtinRules = static_cast<size_t>(BuiltinRule::Breakpoint) + 1;

/// What tells the rows of one rule apart.
using BuiltinCode = std::variant<std::monostate, Operation, Position, BinaryOperator, UnaryOperator, CompareOperator,
                                 AtomicOperation, WarpOperation, BarrierKind>;

constexpr uint8_t anyNumber = std::numeric_limits<uint8_t>::max();

/// A row. To add an intrinsic that one of the rules describes is to add a row.
struct Builtin {
  std::string_view key;
  BuiltinRule rule;
  BuiltinCode code;
  uint8_t minimum, maximum;    ///< number of arguments; maximum anyNumber: no limit
  std::string_view parameters; ///< names by which they may be given, with one space between; empty: by position alone

  Operation operation() const { return std::get<Operation>(code); }
};

/// The row with that key, or nullptr.
const Builtin *findBuiltin(std::string_view key);
std::span<const Builtin> allBuiltins();

} // namespace treadle

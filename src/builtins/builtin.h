// The one table of everything callable in a kernel: key, typing rule, operation.
#pragma once

#include "builtins/operation.h"

#include <span>
#include <string_view>

namespace treadle {

/// How a call is typed; infer/infer_builtin.cpp has one function for each.
enum class BuiltinRule : uint8_t {
  MathUnary,    ///< one real number; the float function of its type
  MathBinary,   ///< two real numbers; the float function of the type both share
  MathRounding, ///< ceil, floor, trunc
  MathClassify, ///< a real number to Bool; of integers decided at once (`code`: the answer)
  Abs,
  MinMax,
  Power,
  Round,
  Int,
  Float,
  Complex,
  Bool,
  Length,
  Range,
  Together,    ///< enumerate (`code` 1), zip (`code` 0)
  Binary,      ///< `code`: a BinaryOperator
  Unary,       ///< `code`: a UnaryOperator
  Compare,     ///< `code`: a CompareOperator
  ThreadValue, ///< a number, not called: `operation`
  WarpSize,    ///< a number, not called
  ThreadAxes,  ///< not called: has the attributes x, y, z, each a row of its own
  Grid,        ///< cuda.grid, cuda.gridsize: `operation` of the x axis, y and z follow it
  SharedArray,
  LocalArray,
  ConstArray,
  Barrier, ///< `code`: a BarrierKind
  Bits,    ///< an integer: `operation`
  Fma,     ///< three real numbers
  Select,  ///< Bool, two numbers of one type
  Shuffle, ///< `code`: a WarpOperation, as the rows below
  Vote,
  Match,
  WarpOp, ///< no operands, or one that has a default
  LaneMask,
  GridGroup, ///< cuda.cg.this_grid()
  Atomic,    ///< `code`: an AtomicOperation
  Print,
  Breakpoint,
};

/// A row. To add an intrinsic that one of the rules describes is to add a row.
struct Builtin {
  std::string_view key;
  BuiltinRule rule;
  Operation operation;
  uint8_t code;
  uint8_t minimum, maximum;    ///< number of arguments; maximum 255: any number
  std::string_view parameters; ///< names by which they may be given, with one space between; empty: by position alone
};

/// The row with that key, or nullptr.
const Builtin *findBuiltin(std::string_view key);
std::span<const Builtin> allBuiltins();

} // namespace treadle

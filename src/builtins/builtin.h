// The one table of everything callable in a kernel: key, typing rule, operation.
#pragma once

#include "builtins/operation.h"
#include "types/number_rules.h"

#include <limits>
#include <span>
#include <string_view>
#include <variant>

namespace treadle {

/// How a call is typed; infer/calls/builtins.cpp names a method for each. The comments describe the arguments and the
/// row's `code`.
enum class BuiltinRule : uint8_t {
  MathUnary,    ///< one real number, computed as a float: an Operation
  MathBinary,   ///< two real numbers, computed as their common float type: an Operation
  MathRounding, ///< ceil, floor, trunc: an Operation
  MathClassify, ///< a real number to Bool; constant for integers: an Operation
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
  ThreadAxes,  ///< not called: has the attributes x, y, z, each with its own row
  Grid,        ///< cuda.grid, cuda.gridsize: a Position
  SharedArray,
  LocalArray,
  ConstArray,
  Barrier,      ///< a BarrierKind
  Bits,         ///< an integer: an Operation
  Fma,          ///< three real numbers
  Select,       ///< Bool, two numbers of one type
  Shuffle,      ///< a WarpOperation
  Vote,         ///< a WarpOperation
  Match,        ///< a WarpOperation
  Hardware,     ///< a WarpOperation with no operands, or with one that has a default
  ThreadNumber, ///< a number, called: an Operation
  GridGroup,    ///< cuda.cg.this_grid()
  PeerArray,    ///< a shared array, a block of the cluster
  Atomic,       ///< an AtomicOperation
  AtomicFirst,  ///< the same on an array's first element: no index is passed
  Print,
  TypeOf,        ///< the argument's type; the argument is not evaluated
  IsInstance,    ///< known while compiling
  DType,         ///< a type, by any of its names
  Reshape,       ///< an array, extents or a tuple of them
  Ravel,         ///< an array: its elements along one axis
  Transpose,     ///< an array, axes or a tuple of them
  Retype,        ///< an array, a type
  NewArrayLike,  ///< an array or array expression of constant extents, a value for full_like(), a dtype
  NewArray,      ///< a shape, a value for NumPy's full(), a dtype: an array of the thread
  Bitcast,       ///< a number, a type of the same width
  MathFloat,     ///< one or two real numbers: the float type that math functions of them compute in
  Refuse,        ///< texts: calling the library's function is an error
  Literally,     ///< a value that must be a compile-time constant
  LiteralUnroll, ///< a tuple, over which loops are unrolled anyway
  TupleOf,       ///< a tuple
  Consteval,     ///< never called: the reader of sources gives such calls their own syntax
  Unit,          ///< a date, a duration or a type of either
  UnitFactor,    ///< two units
  UnitNamed,     ///< a text
  TimeOf,        ///< int64, whether it is a duration, a unit
  Ticks,         ///< a date or a duration
  Axis,          ///< an axis, a number of axes: the axis counted from the first one
  Computed,      ///< two texts, a shape, operands: an array expression of the library
};

/// The number of rules. Compilation fails if a rule that has rows or a method is not counted.
constexpr size_t builtinRules = size_t(BuiltinRule::Computed) + 1;

/// Distinguishes the rows of one rule.
using BuiltinCode = std::variant<std::monostate, Operation, Position, BinaryOperator, UnaryOperator, CompareOperator,
                                 AtomicOperation, WarpOperation, BarrierKind>;

constexpr uint8_t anyNumber = std::numeric_limits<uint8_t>::max();

/// A row. An intrinsic that fits one of the rules is added as a row.
struct Builtin {
  std::string_view key;
  BuiltinRule rule;
  BuiltinCode code;
  uint8_t minimum, maximum;    ///< number of arguments; maximum anyNumber: no limit
  std::string_view parameters; ///< keyword names, separated by single spaces; empty: positional only

  Operation operation() const { return std::get<Operation>(code); }
};

/// The row with that key, or nullptr.
const Builtin *findBuiltin(std::string_view key);
std::span<const Builtin> allBuiltins();

} // namespace treadle

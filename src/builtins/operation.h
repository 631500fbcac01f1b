// Operation: everything a typed expression can compute from values, without touching memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace treadle {

/// What kind of operation it is. Passes and generators ask for this, never for an operation's place in the table.
enum class OperationClass : uint8_t {
  Conversion,
  Arithmetic,
  Bitwise, ///< on integers
  Comparison,
  Part, ///< of complex numbers and Optionals
  Rounding,
  Classification, ///< gives Bool
  Bits,           ///< of one integer
  Choice,
  Math,     ///< float32 or float64
  Identity, ///< which thread of which block this is, and how many there are
};

/// Among which threads the result is one value where the operands are.
enum class Uniformity : uint8_t {
  Operands, ///< all to which the operands are one value
  Grid,
  Block,
  Thread, ///< none
};

/// Cheap: a few instructions, computed rather than branched around. Costly: a division, a loop or a call.
enum class Cost : uint8_t { Cheap, Costly };

/// What each operation means is written once, in codegen/.
///
/// Integers wrap. Operands of arithmetic and comparison have one type (Shl and Shr: the count too), except comparisons
/// between integers of different types, which are exact. A comparison gives Bool. On every operation every lane is
/// defined, whether it is active or not (integer division by 0 included: any value, no trap).
enum class Operation : uint8_t {
#define OPERATION(name, text, kind, operands, cost) name,
#define IDENTITY(name, text, uniformity) name,
#include "builtins/operations.inc"
};

struct OperationRow {
  std::string_view text; ///< how dumps print it
  OperationClass kind;
  uint8_t operands;
  Uniformity uniformity;
  Cost cost;
};

inline constexpr OperationRow operationRows[] = {
#define OPERATION(name, text, kind, operands, cost)                                                                    \
  {text, OperationClass::kind, operands, Uniformity::Operands, Cost::cost},
#define IDENTITY(name, text, uniformity) {text, OperationClass::Identity, 0, Uniformity::uniformity, Cost::Cheap},
#include "builtins/operations.inc"
};

constexpr const OperationRow &rowOf(Operation op) { return operationRows[static_cast<unsigned>(op)]; }
/// How dumps print it.
constexpr std::string_view operationText(Operation op) { return rowOf(op).text; }
constexpr bool isOfClass(Operation op, OperationClass kind) { return rowOf(op).kind == kind; }
constexpr bool isComparison(Operation op) { return isOfClass(op, OperationClass::Comparison); }
/// One value for all threads of the block, or of the grid, where its operands are.
constexpr bool isOneForBlock(Operation op) { return rowOf(op).uniformity != Uniformity::Thread; }
constexpr bool isOneForGrid(Operation op) {
  return rowOf(op).uniformity == Uniformity::Operands || rowOf(op).uniformity == Uniformity::Grid;
}

enum class Position : uint8_t {
#define AXES(name, text, uniformity) name,
#include "builtins/operations.inc"
};

struct PositionOnAxis {
  Position position;
  unsigned axis; ///< 0 x, 1 y, 2 z
  bool operator==(const PositionOnAxis &) const = default;
};

constexpr Operation operationOf(PositionOnAxis at) {
  constexpr Operation operations[][3] = {
#define AXES(name, text, uniformity) {Operation::name##X, Operation::name##Y, Operation::name##Z},
#include "builtins/operations.inc"
  };
  return operations[static_cast<unsigned>(at.position)][at.axis];
}

/// Which position an operation gives, if it gives one.
constexpr std::optional<PositionOnAxis> positionOf(Operation op) {
  if (!isOfClass(op, OperationClass::Identity))
    return std::nullopt;
  for (unsigned position = 0; position <= static_cast<unsigned>(Position::GridSize); ++position)
    for (unsigned axis = 0; axis < 3; ++axis)
      if (operationOf({static_cast<Position>(position), axis}) == op)
        return PositionOnAxis{static_cast<Position>(position), axis};
  return std::nullopt;
}

/// Read-modify-write operations on one element; each gives the old value.
enum class AtomicOperation : uint8_t {
  Add,
  Sub,
  And,
  Or,
  Xor,
  Exchange,
  Inc, ///< 0 where the old value is not below the operand, else one more
  Dec, ///< the operand where the old value is 0 or above the operand, else one less
  Max, ///< floats: an element that is NaN stays, an operand that is NaN does nothing
  Min,
  NanMax, ///< floats: NaN counts as missing
  NanMin,
  CompareAndSwap, ///< a second operand: what the element must be to be replaced
};

/// How dumps print it.
constexpr std::string_view atomicText(AtomicOperation op) {
  constexpr std::string_view texts[] = {"add", "sub", "and", "or",     "xor",    "exch", "inc",
                                        "dec", "max", "min", "nanmax", "nanmin", "cas"};
  return texts[static_cast<unsigned>(op)];
}

/// What a thread does together with the others of its warp, or with the hardware. It stays where it stands and runs as
/// often as it is written. Member masks are uint32; lanes that have exited may be named. Results of votes and matches
/// count lanes that are both named and there.
enum class WarpClass : uint8_t {
  Shuffle,
  Vote,
  Match,
  Sync,
  Fence,
  Other, ///< of the thread alone
};

enum class WarpOperation : uint8_t {
#define WARP_OPERATION(name, text, kind, operands) name,
#include "builtins/warp_operations.inc"
};

struct WarpOperationRow {
  std::string_view text; ///< how dumps print it
  WarpClass kind;
  uint8_t operands;
};

inline constexpr WarpOperationRow warpOperationRows[] = {
#define WARP_OPERATION(name, text, kind, operands) {text, WarpClass::kind, operands},
#include "builtins/warp_operations.inc"
};

constexpr const WarpOperationRow &rowOf(WarpOperation op) { return warpOperationRows[static_cast<unsigned>(op)]; }
/// How dumps print it.
constexpr std::string_view warpText(WarpOperation op) { return rowOf(op).text; }
/// Waits for the lanes of its member mask.
constexpr bool isSynchronizing(WarpOperation op) {
  return rowOf(op).kind != WarpClass::Fence && rowOf(op).kind != WarpClass::Other;
}

/// What a barrier does besides waiting.
enum class BarrierKind : uint8_t {
  Plain,
  Count, ///< how many threads of the block gave true
  And,   ///< 1 where all of them did, else 0
  Or,    ///< 1 where one of them did, else 0
  Grid,  ///< waits for the whole grid
};

constexpr std::string_view barrierText(BarrierKind kind) {
  constexpr std::string_view texts[] = {"barrier", "barrier count", "barrier and", "barrier or", "barrier grid"};
  return texts[static_cast<unsigned>(kind)];
}

} // namespace treadle

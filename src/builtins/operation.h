// Operation: everything a typed expression can compute from values, without touching memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace treadle {

/// The class of an operation. Passes and generators test this, never an operation's place in the table.
enum class OperationClass : uint8_t {
  Conversion,
  Arithmetic,
  Bitwise, ///< on integers
  Comparison,
  Part, ///< of complex numbers and Optionals
  Rounding,
  Classification, ///< the result is Bool
  Bits,           ///< of one integer
  Choice,
  Math,     ///< float32 or float64
  Identity, ///< the position of the thread and block, and their counts
};

/// The largest group of threads for which the result is one value if the operands are.
enum class Uniformity : uint8_t {
  Operands, ///< all for which the operands are one value
  Grid,
  Block,
  Thread, ///< none
};

/// Cheap: a few instructions, computed rather than branched around. Costly: a division, a loop or a call.
enum class Cost : uint8_t { Cheap, Costly };

/// The meaning of each operation is defined in codegen/ only.
///
/// Integers wrap. Operands of arithmetic and comparison have one type (Shl and Shr: the count too), except comparisons
/// between integers of different types, which are exact. Comparisons return Bool. Every operation is defined on every
/// lane, active or not (integer division by 0 included: any value, no trap).
enum class Operation : uint8_t {
#define OPERATION(name, text, kind, operands, cost) name,
#define IDENTITY(name, text, uniformity) name,
#include "builtins/operations.inc"
};

struct OperationRow {
  std::string_view text; ///< as dumps print it
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

constexpr const OperationRow &rowOf(Operation op) { return operationRows[unsigned(op)]; }
constexpr std::string_view operationText(Operation op) { return rowOf(op).text; }
constexpr bool isOfClass(Operation op, OperationClass kind) { return rowOf(op).kind == kind; }
constexpr bool isComparison(Operation op) { return isOfClass(op, OperationClass::Comparison); }
/// One value for all threads of the block, or of the grid, if its operands are.
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
  return operations[unsigned(at.position)][at.axis];
}

/// The position that an operation computes, if any.
constexpr std::optional<PositionOnAxis> positionOf(Operation op) {
  if (!isOfClass(op, OperationClass::Identity))
    return std::nullopt;
  for (unsigned position = 0; position <= unsigned(Position::GridSize); ++position)
    for (unsigned axis = 0; axis < 3; ++axis)
      if (operationOf({static_cast<Position>(position), axis}) == op)
        return PositionOnAxis{static_cast<Position>(position), axis};
  return std::nullopt;
}

/// Whether it is about the cluster that the block is in.
constexpr bool isOfCluster(Operation op) {
  if (op == Operation::ClusterRank || op == Operation::ClusterBlocks)
    return true;
  const std::optional<PositionOnAxis> at = positionOf(op);
  return at && at->position >= Position::BlockInCluster && at->position <= Position::GridClusters;
}

/// Read-modify-write operations on one element; each returns the old value.
enum class AtomicOperation : uint8_t {
  Add,
  Sub,
  And,
  Or,
  Xor,
  Exchange,
  Inc, ///< 0 if the old value is not below the operand, else the old value plus 1
  Dec, ///< the operand if the old value is 0 or above the operand, else the old value minus 1
  Max, ///< floats: a NaN element stays, a NaN operand has no effect
  Min,
  NanMax, ///< floats: NaN is ignored if the other value is a number
  NanMin,
  CompareAndSwap, ///< its second operand is the value that the element must equal to be replaced
};

constexpr std::string_view atomicText(AtomicOperation op) {
  constexpr std::string_view texts[] = {"add", "sub", "and", "or",     "xor",    "exch", "inc",
                                        "dec", "max", "min", "nanmax", "nanmin", "cas"};
  return texts[unsigned(op)];
}

/// Operations of a thread together with the others of its warp, or with the hardware. They are never moved, and run as
/// often as they are written. Member masks are uint32 and may include lanes that have exited. Results of votes and
/// matches count lanes that are both members and present.
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
  std::string_view text; ///< as dumps print it
  WarpClass kind;
  uint8_t operands;
};

inline constexpr WarpOperationRow warpOperationRows[] = {
#define WARP_OPERATION(name, text, kind, operands) {text, WarpClass::kind, operands},
#include "builtins/warp_operations.inc"
};

constexpr const WarpOperationRow &rowOf(WarpOperation op) { return warpOperationRows[unsigned(op)]; }
constexpr std::string_view warpText(WarpOperation op) { return rowOf(op).text; }
/// Whether it waits for the lanes of its member mask.
constexpr bool isSynchronizing(WarpOperation op) {
  return rowOf(op).kind != WarpClass::Fence && rowOf(op).kind != WarpClass::Other;
}

/// The result of a barrier besides waiting.
enum class BarrierKind : uint8_t {
  Plain,
  Count,       ///< the number of threads of the block whose predicate is true
  And,         ///< 1 if all of them are true, else 0
  Or,          ///< 1 if any of them is true, else 0
  Grid,        ///< waits for the whole grid
  Cluster,     ///< arrives, and waits until all blocks of the cluster have arrived
  ClusterWait, ///< the same for a thread that has arrived by a WarpOperation
};

constexpr std::string_view barrierText(BarrierKind kind) {
  constexpr std::string_view texts[] = {"barrier",      "barrier count",   "barrier and",         "barrier or",
                                        "barrier grid", "barrier cluster", "barrier cluster wait"};
  return texts[unsigned(kind)];
}
constexpr bool hasPredicate(BarrierKind kind) {
  return kind == BarrierKind::Count || kind == BarrierKind::And || kind == BarrierKind::Or;
}
constexpr bool isOfCluster(BarrierKind kind) { return kind >= BarrierKind::Cluster; }

} // namespace treadle

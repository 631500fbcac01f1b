// Operation: everything a typed expression can compute from values without memory accesses.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace treadle {

/// The class of an operation. Passes and generators test this, never an operation's position in the table.
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

/// The largest group of threads over which the result is uniform if the operands are.
enum class Uniformity : uint8_t {
  Operands, ///< the group over which the operands are uniform
  Grid,
  Block,
  Thread, ///< none
  Lane,   ///< none; which threads are a warp decides
};

/// Cheap: a few instructions, speculated rather than branched around. Costly: a division, a loop or a call.
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
/// The comparison of the operands in the other order.
constexpr Operation mirrored(Operation op) {
  switch (op) {
  case Operation::Lt:
    return Operation::Gt;
  case Operation::Le:
    return Operation::Ge;
  case Operation::Gt:
    return Operation::Lt;
  case Operation::Ge:
    return Operation::Le;
  default:
    return op;
  }
}
/// Uniform over the block, or the grid, if its operands are.
constexpr bool isOneForBlock(Operation op) { return rowOf(op).uniformity < Uniformity::Thread; }
constexpr bool isOneForGrid(Operation op) {
  return rowOf(op).uniformity == Uniformity::Operands || rowOf(op).uniformity == Uniformity::Grid;
}

/// Whether the result depends on which threads are a warp.
constexpr bool showsWarps(Operation op) { return rowOf(op).uniformity == Uniformity::Lane; }

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

/// Whether it concerns the block's cluster.
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

/// Operations of a thread together with the others of its warp, or with the hardware. They are never moved, duplicated
/// or removed. Member masks are uint32 and may include lanes that have exited. Results of votes and matches count lanes
/// that are both members and present.
enum class WarpClass : uint8_t {
  Shuffle,
  Vote,
  Match,
  Sync,
  Query, ///< tells a lane about the others without waiting for them
  Fence, ///< of the single thread, as those below
  Clock,
  Result, ///< of the statement before it
  Debug,
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
constexpr bool isSynchronizing(WarpOperation op) { return rowOf(op).kind < WarpClass::Query; }
/// Whether a lane learns from it which threads are a warp.
constexpr bool showsWarps(WarpOperation op) { return rowOf(op).kind <= WarpClass::Query; }

/// A barrier's result.
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

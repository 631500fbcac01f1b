// LaneValues: what the lanes compute: each by itself, and a warp together.
#pragma once

#include "codegen/lanes.h"
#include "typed/typed.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace treadle::codegen {

/// What each lane computes by itself, and what the lanes of a warp do together.
class LaneValues {
public:
  /// The number of runs in a warp: its lanes divided by the run length of affine leaves.
  virtual unsigned runCount() const { return 1; }
  /// The leaf as a vector with an element per lane. Never called for PTX, which has only scalars.
  virtual llvm::Value *splat(const Leaf &leaf) = 0;
  /// Operations of class Identity, of that integer type.
  virtual Leaf identity(Operation op, const Type *type) = 0;
  /// Functions for which the hardware has no instruction; operands are scalars or vectors of one float type.
  virtual llvm::Value *math(Operation op, llvm::ArrayRef<llvm::Value *> operands) = 0;
  /// An i1 (or vector of i1) that is true where the divisor may be used, or nullptr when every lane is active.
  virtual llvm::Value *activeLanes() = 0;
  /// Floor division and remainder of integers whose divisor is neither 0 nor -1 with a minimal dividend.
  /// Scalars or vectors; `isRemainder` chooses C's remainder instead of C's quotient.
  virtual llvm::Value *divide(llvm::Value *left, llvm::Value *right, bool isSigned, bool isRemainder) = 0;
  /// The quotient of a vector of unsigned integers by a scalar that is not 0; nullptr: no faster than divide().
  virtual llvm::Value *divideByUniform(llvm::Value *, llvm::Value *) { return nullptr; }
  /// A float32 or float64 as an Int: truncated, saturated, 0 for NaN; nullptr: no faster than by comparisons.
  virtual llvm::Value *floatToInteger(llvm::Value *, const Type *) { return nullptr; }
  /// Whether the processor converts between vectors of integers of 64 bits and of floats.
  virtual bool convertsLongs() const { return true; }

  /// A comparison of signed integers of one type.
  struct Comparison {
    Operation op;
    const Leaf &left, &right;
    typed::Interval leftRange, rightRange;
  };
  /// A cheaper way to compare than element by element, if the model knows one.
  virtual std::optional<Leaf> compare(const Comparison &) { return std::nullopt; }
  /// Add, Sub or Mul of integers of one type.
  struct Computation {
    Operation op;
    const Leaf &left, &right;
    typed::Interval leftRange, rightRange, range; ///< bounds of the operands and of the result
  };
  /// A cheaper way to compute that, if the model knows one.
  virtual std::optional<Leaf> compute(const Computation &) { return std::nullopt; }

  /// Operation::BroadcastFirst. Models that emit each lane by itself have no others.
  virtual Leaf broadcastFirst(const Leaf &value) { return value; }

  /// Whether a float is never NaN, where the model gains from knowing.
  virtual bool isOrdered(const typed::Expr &) { return false; }

  /// What the lanes of a warp do together. Operands are of one leaf each.
  virtual Lanes warpOp(const typed::WarpOp &op, llvm::ArrayRef<Leaf> operands) = 0;

  /// A cheaper way for FloorDiv, Mod, Shr and BitAnd of an affine integer, if the model knows one.
  virtual std::optional<Leaf> divideByConstant(Operation, const Leaf &, const Leaf &) { return std::nullopt; }
  /// A cheaper way, if the model knows one, to an index (i64) that is below 2^31 in magnitude or never used.
  virtual std::optional<Leaf> index(const typed::Expr &) { return std::nullopt; }

protected:
  ~LaneValues() = default;
};

} // namespace treadle::codegen

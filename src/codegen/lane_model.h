// LaneModel: what differs between code for one thread (PTX) and code for a warp as a vector (CPU). Everything else,
// most of all the meaning of every operation, is written once in codegen/.
#pragma once

#include "border/image.h"
#include "codegen/lanes.h"
#include "typed/typed.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace treadle::codegen {

class Emitter;
struct Frame;

/// The places that the lanes access. An affine index stops being affine if it wraps around in some lanes only, which is
/// known at run time: such a place has two versions, and the affine one cannot be had without the condition.
class Place {
public:
  struct Versions {
    Leaf fast;                       ///< right where `slowIf` is false
    llvm::Value *slowIf;             ///< a scalar i1
    llvm::function_ref<Leaf()> slow; ///< emits the version that is always right; valid while the access is emitted
  };

  Place() = default;
  explicit Place(const Leaf &leaf) : all{leaf, nullptr, nullptr} {}
  explicit Place(const Versions &versions) : all(versions) {}

  /// Right in every lane.
  Leaf everywhere() const { return all.slowIf ? all.slow() : all.fast; }
  /// nullptr where there is only one version.
  const Versions *versions() const { return all.slowIf ? &all : nullptr; }

private:
  Versions all{Leaf(nullptr), nullptr, nullptr};
};

/// The place of an access, and what is known about the array.
struct Address {
  Place place;
  Space space = Space::Global;
  bool isReadOnly = false;           ///< nothing in this launch writes the array (loads may use the read-only cache)
  bool isPolled = false;             ///< a loop waits for what is read here: it is read anew each time
  unsigned alignment = 1;            ///< bytes, of every element
  const typed::Slot *slot = nullptr; ///< the array's, where it is one
  llvm::function_ref<Leaf()> arrayBytes = nullptr; ///< all elements of the array
};

class LaneModel {
public:
  virtual ~LaneModel() = default;

  // Values.
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

  /// Whether a float is never NaN, where the model gains from knowing.
  virtual bool isOrdered(const typed::Expr &) { return false; }

  /// What the lanes of a warp do together. Operands are of one leaf each.
  virtual Lanes warpOp(const typed::WarpOp &op, llvm::ArrayRef<Leaf> operands) = 0;

  /// A cheaper way for FloorDiv, Mod, Shr and BitAnd of an affine integer, if the model knows one.
  virtual std::optional<Leaf> divideByConstant(Operation, const Leaf &, const Leaf &) { return std::nullopt; }

  // Slots.
  virtual void declareSlots(Frame &frame) = 0;
  /// Some of its leaves: reading all of a tuple for each of its items would take time in the square of their number.
  virtual Lanes readSlot(Frame &frame, const typed::Slot &slot, LeafSpan leaves) = 0;
  virtual void writeSlot(Frame &frame, const typed::Slot &slot, const Lanes &value) = 0;

  // Control. Bodies and values are emitted back through the Emitter.
  virtual void emitBody(typed::Body body) = 0;
  virtual void emitIf(const typed::If &statement) = 0;
  virtual void emitWhile(const typed::While &statement) = 0;
  virtual void emitRange(const typed::Range &statement) = 0;
  virtual void emitBreak() = 0;
  virtual void emitContinue() = 0;
  virtual void emitReturn(const Lanes &value) = 0;
  virtual void emitBarrier(const typed::Barrier &statement) = 0;
  virtual Lanes emitConditional(const typed::Conditional &expression) = 0;
  /// The body of a device function in place: its parameters are already written. Returns its result.
  virtual Lanes emitInlined(Frame &frame) = 0;
  /// Whether the callee cannot be a function of its own.
  virtual bool mustInline(const TypedFunction &) { return false; }
  /// A call of a device function kept as a function.
  virtual Lanes emitOutlined(const TypedFunction &callee, llvm::ArrayRef<Lanes> arguments) = 0;
  /// Debug mode's checks: ends the thread with an error where `failed` (i1, scalar or vector) holds.
  virtual void emitCheck(const Leaf &failed, Fault fault, const FaultPlace &place) = 0;
  /// Image::raises so far; grows while code is emitted.
  virtual std::vector<RaisedError> &raised() = 0;
  /// Image::sources so far, likewise.
  virtual std::vector<FunctionSource> &sources() = 0;

  /// A part of what is printed: text, or a value of 64 bits (Bool: an i1), with the text as C's directive if there is
  /// one.
  struct PrintPiece {
    enum class Kind : uint8_t { Text, Signed, Unsigned, Float, Bool } kind;
    std::string text;
    Leaf value;
  };
  virtual void print(llvm::ArrayRef<PrintPiece> pieces) = 0;

  /// Addresses are computed only where their elements are accessed, so that they lie in the array; never for a lane
  /// that is masked out.
  virtual bool accessesEveryAddress() const { return false; }
  /// Of an affine index (i64), which active lanes are negative. Right for all that are within the bounds of an array.
  struct Signs {
    llvm::Value *someNegative, *mixed; ///< i1: at least one; at least one, but not all
  };
  /// Never called for PTX.
  virtual Signs signsOf(const Leaf &index) = 0;
  /// A cheaper way, if the model knows one, to an index (i64) that is below 2^31 in magnitude or never used.
  virtual std::optional<Leaf> index(const typed::Expr &) { return std::nullopt; }

  // Memory. An element is a Bool, Int, Float or Complex; it has as many leaves.
  virtual Lanes load(const Type *element, const Address &address) = 0;
  virtual void store(const Type *element, const Address &address, const Lanes &value) = 0;
  struct AtomicUpdate {
    AtomicOperation op;
    const Type *element; ///< an Int or a Float of 32 or 64 bits
    const Address &address;
    Leaf value, compare;
    bool isUsed;
  };
  /// Returns the old value; no leaves if it is not used.
  virtual Lanes atomic(const AtomicUpdate &update) = 0;
  /// The array of a shared or local allocation: a pointer leaf (extents are added by the emitter).
  virtual Leaf allocate(Frame &frame, const typed::Allocation &allocation) = 0;
  /// The address of `bytes` (i64) of the array's memory; fails where there are none.
  virtual Leaf heapMemory(const typed::HeapArray &array, const Leaf &bytes) = 0;
  /// Dynamic shared memory of the launch: a pointer to its first byte, and its size in bytes (i64).
  virtual Leaf dynamicShared(uint32_t alignment) = 0;
  /// The address in another block of the cluster of what is at `pointer` in this one. `rank`: int32.
  virtual Leaf peerPointer(const Leaf &pointer, const Leaf &rank) = 0;
  virtual Leaf dynamicSharedBytes() = 0;
  /// Bytes from one element of a local array to the next one of the same lane.
  virtual unsigned localElementStride(const Type *element) = 0;
  virtual Leaf capturedPointer(const TypedFunction &function, unsigned id) = 0;
  /// The address of a copy of the bytes in memory that nothing writes; the same for equal bytes, and aligned for any
  /// element.
  virtual Leaf constantPointer(const std::vector<std::byte> &bytes) = 0;
};

} // namespace treadle::codegen

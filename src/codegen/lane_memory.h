// LaneMemory: loads, stores, atomics and arrays of the lanes.
#pragma once

#include "codegen/lanes.h"
#include "typed/typed.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstddef>
#include <vector>

namespace treadle::codegen {

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

/// Memory. An element is a Bool, Int, Float or Complex; it has as many leaves.
class LaneMemory {
public:
  /// Addresses are computed only where their elements are accessed, so that they lie in the array; never for a lane
  /// that is masked out.
  virtual bool accessesEveryAddress() const { return false; }
  /// Of an affine index (i64), which active lanes are negative. Right for all that are within the bounds of an array.
  struct Signs {
    llvm::Value *someNegative, *mixed; ///< i1: at least one; at least one, but not all
  };
  /// Never called for PTX.
  virtual Signs signsOf(const Leaf &index) = 0;
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

protected:
  ~LaneMemory() = default;
};

} // namespace treadle::codegen

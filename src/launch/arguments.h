// The arguments of one launch: tokens for their types, and leaves for their values.
#pragma once

#include "memory/buffer.h"
#include "support/inline_list.h"
#include "types/limits.h"
#include "types/names/type_code.h"

#include <cstdint>
#include <memory>
#include <string>

namespace treadle {

/// One leaf of the flattened arguments. Arrays are borrowed: the caller guarantees that they outlive the launch.
struct ArgumentLeaf {
  enum class Kind : uint8_t { None, Signed, Unsigned, Real, Complex, Array };
  Kind kind;
  NumberCode number; ///< of a scalar; of an array's elements
  uint8_t ndim;
  Layout layout;
  bool isOnHost;      ///< Array: in pageable memory of the host
  uint32_t itemBytes; ///< Array: of one element
  union {
    int64_t integer; ///< Signed; the bits of Unsigned
    double real;     ///< Real, Complex
    char *data;      ///< Array: element [0, ..., 0]
  };
  union {
    double imag;          ///< Complex
    const int64_t *shape; ///< Array
  };
  const int64_t *strides; ///< Array, in bytes
};

/// An array as an argument. Borrowed.
struct ArrayArgument {
  char *data; ///< element [0, ..., 0]
  const int64_t *shape;
  const int64_t *strides; ///< in bytes
  uint8_t ndim;
  Layout layout;
  bool isOnHost;
  bool isReadOnly;
  NumberCode number;  ///< of an element
  const Type *record; ///< of the elements, if they are records, else null

  /// Index ranges (passes/ranges/ranges.h) rely on it. Zero strides and empty axes can claim extents that no memory
  /// holds.
  bool hasExtents() const {
    for (unsigned axis = 0; axis < ndim; ++axis)
      if (shape[axis] > maxExtent) [[unlikely]]
        return false;
    return true;
  }
  /// Why an array that fails `hasExtents` cannot be passed.
  TREADLE_API std::string whyTooLarge() const;
};

/// Lives on the stack of Dispatcher::launch's caller. A usual launch allocates nothing for it.
struct ArgumentList {
  InlineList<TypeToken, 64> tokens;
  InlineList<ArgumentLeaf, 40> leaves;
  InlineList<const std::shared_ptr<Buffer> *, 16> buffers; ///< of device arrays
  bool usesHostMemory = false;    ///< the caller may use it again as soon as the launch returns
  bool usesBorrowed = false;      ///< Buffer::isBorrowed holds for some buffer
  const Device *device = nullptr; ///< of the last device array
  bool isMixed = false;           ///< the device arrays are of several devices
  bool isUsedBefore = false;      ///< whether Buffer::isUsedBefore holds for one of the buffers

  void addScalar(NumberCode number, ArgumentLeaf::Kind kind, int64_t integer) {
    ArgumentLeaf &leaf = leaves.push();
    leaf.kind = kind;
    leaf.number = number;
    leaf.integer = integer;
    tokens.push() = tokens::scalar(number);
  }

  void addReal(NumberCode number, double real, double imag) {
    ArgumentLeaf &leaf = leaves.push();
    leaf.kind = rowOf(number).kind == TypeKind::Complex ? ArgumentLeaf::Kind::Complex : ArgumentLeaf::Kind::Real;
    leaf.number = number;
    leaf.real = real;
    leaf.imag = imag;
    tokens.push() = tokens::scalar(number);
  }

  /// A number from memory.
  TREADLE_API void addNumber(NumberCode number, const void *bytes);

  /// Force-inlined, as a call would spill `array` to memory: about 25 instructions for each array of a launch.
  [[gnu::always_inline]] void addArray(const ArrayArgument &array) {
    ArgumentLeaf &leaf = leaves.push();
    leaf.kind = ArgumentLeaf::Kind::Array;
    leaf.isOnHost = array.isOnHost;
    leaf.ndim = array.ndim;
    leaf.layout = array.layout;
    leaf.data = array.data;
    leaf.shape = array.shape;
    leaf.strides = array.strides;
    usesHostMemory |= array.isOnHost;
    if (array.record) [[unlikely]] {
      leaf.number = NumberCode::Other;
      leaf.itemBytes = array.record->bytes();
      tokens.push() = tokens::recordArray(array.record, array.ndim, array.layout, array.isReadOnly);
      return;
    }
    leaf.number = array.number;
    leaf.itemBytes = rowOf(array.number).bytes;
    tokens.push() = tokens::array(array.number, array.ndim, array.layout, array.isReadOnly);
  }
};

/// The origin of launches; lives until the last of them has run.
class LaunchMaker : public LaunchOrigin {
public:
  /// `isHeld`: something else than its launches keeps it alive until then.
  explicit LaunchMaker(bool isHeld) : isHeld(isHeld) {}
  /// One of its launches completes at that position.
  virtual void use(const std::shared_ptr<StreamTimeline> &timeline, uint64_t position) = 0;
  /// The same for repeated launches: `share` once, and `isUsed` after each note in it.
  virtual void share(std::shared_ptr<const SharedUse> use) = 0;
  void isUsed() {
    if (!isHeld) [[unlikely]]
      keep();
  }

protected:
  ~LaunchMaker() = default;
  bool isHeld;

private:
  virtual void keep() = 0;
};

/// What a queued launch uses.
class TREADLE_API ArgumentOwners final : public LaunchOwners {
public:
  ArgumentOwners(const ArgumentList &list, LaunchMaker &maker) : list(list), maker(maker) {}

  LaunchOrigin *origin() const override { return &maker; }
  void queued(const std::shared_ptr<StreamTimeline> &timeline, uint64_t position) const override;
  std::shared_ptr<const void> captured() const override;

private:
  const ArgumentList &list;
  LaunchMaker &maker;
};

} // namespace treadle

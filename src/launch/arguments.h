// The arguments of one launch: tokens for their types, and leaves for their values.
#pragma once

#include "launch/type_code.h"
#include "memory/buffer.h"
#include "support/inline_list.h"
#include "types/facts.h"

#include <cstdint>
#include <memory>
#include <string>

namespace treadle {

/// One leaf of the flattened arguments. Arrays are not owned: the caller guarantees that they outlive the launch.
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

/// An array as an argument. Not owned.
struct ArrayArgument {
  char *data; ///< element [0, ..., 0]
  const int64_t *shape;
  const int64_t *strides; ///< in bytes
  uint8_t ndim;
  Layout layout;
  bool isOnHost;
  bool isReadOnly;
  NumberCode number;  ///< of an element
  const Type *record; ///< of the elements, where they are records, else null

  /// Index ranges (passes/ranges.h) rely on it. Zero strides and empty axes can claim more than any memory holds.
  bool hasExtents() const {
    for (unsigned axis = 0; axis < ndim; ++axis)
      if (shape[axis] > maxExtent) [[unlikely]]
        return false;
    return true;
  }
  /// Why an array without `hasExtents` cannot be passed.
  TREADLE_API std::string whyTooLarge() const;
};

/// Lives on the stack of Dispatcher::launch's caller. A usual launch allocates nothing for it.
struct ArgumentList {
  InlineList<TypeToken, 64> tokens;
  InlineList<ArgumentLeaf, 40> leaves;
  InlineList<const std::shared_ptr<Buffer> *, 16> buffers; ///< of device arrays
  bool usesHostMemory = false;                             ///< its owner may use it again when the launch returns
  bool usesBorrowed = false;                               ///< Buffer::isBorrowed holds for some buffer
  const Device *device = nullptr;                          ///< of the device arrays: of the last one
  bool isMixed = false;                                    ///< they are of several devices
  bool isUsedBefore = false; ///< whether Buffer::isUsedBefore holds for one of the buffers

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

  /// Inline, as a call would put `array` into memory: about 25 instructions for each array of a launch.
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

/// Makes launches, and lives until the last of them has run.
class LaunchMaker : public LaunchOrigin {
public:
  /// A launch of it will have run at that point.
  virtual void use(const std::shared_ptr<StreamTimeline> &timeline, uint64_t position) = 0;
  /// The same for launches that are made again and again: `share` once, and `isUsed` after each note in it.
  virtual void share(std::shared_ptr<const SharedUse> use) = 0;
  virtual void isUsed() = 0;

protected:
  ~LaunchMaker() = default;
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

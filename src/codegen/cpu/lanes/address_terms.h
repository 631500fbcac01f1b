// AddressTerms: a pointer, a multiple of a value, and a constant, to tell how far two addresses are apart.
#pragma once

#include <cstdint>

namespace llvm {
class DataLayout;
class Value;
} // namespace llvm

namespace treadle::codegen {

/// Of `x[3 * i + 1]` and `x[3 * i + 2]` base, index and factor are equal, and the offsets tell how far they are apart.
/// Of addresses in another form nothing is known, unless they are the same value.
struct AddressTerms {
  const llvm::Value *base, *index; ///< index: null if there is none
  int64_t factor, offset;          ///< in bytes

  static AddressTerms of(const llvm::Value *pointer, const llvm::DataLayout &layout);

  /// The distance is that of the offsets.
  bool isBeside(const AddressTerms &other) const {
    return base == other.base && index == other.index && factor == other.factor;
  }

  /// Both are elements of sequences with one every `step` bytes, of `size` bytes each: whether no element of the one
  /// overlaps one of the other, in whatever direction and however far the sequences go.
  bool isBetween(const AddressTerms &other, int64_t step, int64_t size) const {
    const int64_t apart = ((offset - other.offset) % step + step) % step;
    return isBeside(other) && apart >= size && step - apart >= size;
  }
};

} // namespace treadle::codegen

// ArrayView: elements in the memory of a buffer, by extents and byte strides; and the arithmetic of extents and
// strides.
#pragma once

#include "support/export.h"
#include "types/type.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace treadle {

class Buffer;

/// The most axes that an array can have.
constexpr unsigned maxDimensions = 8;

/// Where elements lie, relative to element [0, ..., 0]. Refers to extents and strides that it does not own.
struct StridedExtents {
  std::span<const int64_t> shape;
  std::span<const int64_t> strides; ///< bytes; as many as there are extents
  int64_t itemBytes = 0;            ///< of one element, at least 0
};

/// Bytes from `first` up to but not including `last`, counted from element [0, ..., 0].
struct ByteRange {
  int64_t first = 0, last = 0;
};

/// Fills in the strides of elements in C or Fortran order without gaps, and returns how many bytes they are. An axis of
/// no elements counts as one of 1, as in NumPy. Throws UsageError (Value) for extents that no array has: negative
/// ones, ones beyond `maxExtent`, and those whose bytes an int64 cannot count.
TREADLE_API int64_t packStrides(std::span<const int64_t> shape, int64_t itemBytes, bool isFortran,
                                std::span<int64_t> strides);

/// A 0-d array has one. Precondition: extents that `packStrides` accepts.
TREADLE_API int64_t elementCount(std::span<const int64_t> shape);

/// In C or Fortran order without gaps. Strides of axes of one element do not matter, and an array without elements is
/// contiguous both ways, as in NumPy.
TREADLE_API bool isContiguous(const StridedExtents &extents, bool isFortran);

/// C where both orders fit.
TREADLE_API Layout layoutOf(const StridedExtents &extents);

/// The bytes of all elements: empty without elements. Nothing if an int64 cannot represent it.
TREADLE_API std::optional<ByteRange> reachOf(const StridedExtents &extents);

/// Whether the array whose element [0, ..., 0] is at `data` lies in `memory` with all of its elements. One without
/// elements does where its address does, the end of the memory included.
TREADLE_API bool liesIn(std::span<const char> memory, const char *data, const StridedExtents &extents);

/// Whether all elements of the array whose element [0, ..., 0] is at `data` lie at multiples of `alignment` bytes, a
/// power of 2. Of an axis of one element the stride does not matter.
TREADLE_API bool areAligned(const char *data, const StridedExtents &extents, uint64_t alignment);

/// Elements in the memory of a buffer, which it keeps alive. Only `checked` may make one from untrusted extents and
/// strides.
struct ArrayView {
  char *data = nullptr; ///< element [0, ..., 0]
  std::shared_ptr<Buffer> owner;
  uint32_t itemBytes = 0; ///< of one element
  uint8_t ndim = 0;
  int64_t shape[maxDimensions];
  int64_t strides[maxDimensions]; ///< bytes

  ArrayView() = default;
  /// Without axes yet.
  ArrayView(char *data, std::shared_ptr<Buffer> owner, uint32_t itemBytes)
      : data(data), owner(std::move(owner)), itemBytes(itemBytes) {}

  void addAxis(int64_t extent, int64_t stride) {
    shape[ndim] = extent;
    strides[ndim] = stride;
    ++ndim;
  }

  /// The view of `memory` whose element [0, ..., 0] lies `offset` bytes after its beginning; it has no owner yet.
  /// Throws UsageError (Value) if an element would lie outside, or the extents are invalid. Without elements, neither
  /// offset nor strides matter.
  TREADLE_API static ArrayView checked(std::span<char> memory, int64_t offset, const StridedExtents &extents);

  std::span<const int64_t> extents() const { return {shape, ndim}; }
  StridedExtents strided() const { return {{shape, ndim}, {strides, ndim}, itemBytes}; }
  int64_t count() const { return elementCount(extents()); }
};

} // namespace treadle

// Views of views: indexing, reshaping, permuting axes, reinterpreting elements.
#pragma once

#include "memory/array_view.h"

#include <string>

namespace treadle {

/// The axes that remain after indexing, built one axis of `base` after the other.
class TREADLE_API SelectedAxes {
public:
  /// `view`: of the same element [0, ..., 0] as `base`; becomes the result. Both outlive this.
  SelectedAxes(const ArrayView &base, ArrayView &view) : base(base), view(view) { view.ndim = 0; }

  /// How many axes `...` stands for in an index of so many parts. Throws UsageError (Index) if there are too many
  /// parts, or more than one `...`.
  unsigned axesOfEllipsis(size_t parts, size_t ellipses) const {
    const size_t selecting = parts - ellipses;
    if (ellipses > 1 || selecting > base.ndim) [[unlikely]]
      failToSelect(selecting, ellipses);
    return base.ndim - unsigned(selecting);
  }
  /// Negative indices count from the end. Throws UsageError (Index).
  void position(int64_t index);
  /// `count` elements from `start`, which must exist; the step may be any number.
  void slice(int64_t start, int64_t count, int64_t step) {
    view.data += count > 0 ? start * base.strides[axis] : 0;
    // Steps beyond the axis leave one element, whose stride does not matter.
    int64_t stride = 0;
    if (__builtin_mul_overflow(base.strides[axis], step, &stride))
      stride = base.strides[axis];
    view.addAxis(count, stride);
    ++axis;
  }
  void whole(unsigned count) {
    for (; count > 0; --count, ++axis)
      view.addAxis(base.shape[axis], base.strides[axis]);
  }

  unsigned axesLeft() const { return base.ndim - axis; }
  /// Of the next axis.
  int64_t extent() const { return base.shape[axis]; }

private:
  [[noreturn]] void failToSelect(size_t selecting, size_t ellipses) const;

  const ArrayView &base;
  ArrayView &view;
  unsigned axis = 0;
};

/// The same elements with other extents, one of which may be -1, counted in C or Fortran order. Throws UsageError:
/// Value if the extents do not fit, NotImplemented if no strides reach the elements.
TREADLE_API ArrayView reshaped(const ArrayView &view, std::span<const int64_t> shape, bool isFortran);

/// The axes in another order. Throws UsageError (Value) unless each axis occurs once.
TREADLE_API ArrayView permuted(const ArrayView &view, std::span<const int64_t> axes);
TREADLE_API ArrayView transposed(const ArrayView &view);

/// Drops all axes of extent 1.
TREADLE_API ArrayView squeezed(const ArrayView &view);
/// Drops those axes. Throws UsageError (Value) for one that does not exist or has another extent.
TREADLE_API ArrayView squeezed(const ArrayView &view, std::span<const int64_t> axes);

/// The same memory as elements of that type. A different size needs C order without gaps, and changes the extent of the
/// last axis. Throws UsageError (Value) if the sizes do not divide.
TREADLE_API ArrayView viewedAs(const ArrayView &view, const Type *element);

/// A field of each element: an array field adds axes. Throws UsageError (Value) if there are too many.
TREADLE_API ArrayView fieldOf(const ArrayView &view, const RecordField &field);

/// The memory of the buffer that `view` is a view of, starting `offset` bytes after the element [0, ..., 0] of `view`.
/// Throws UsageError (Value) if the extents reach beyond the buffer.
TREADLE_API ArrayView viewOfBuffer(const ArrayView &view, int64_t offset, const StridedExtents &extents);

/// "(2, 3)", "(5,)".
TREADLE_API std::string shapeText(std::span<const int64_t> shape);

} // namespace treadle

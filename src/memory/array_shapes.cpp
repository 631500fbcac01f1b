// Extents and strides of views of views. Nothing here touches memory.
#include "memory/array_shapes.h"

#include "memory/buffer.h"
#include "support/error.h"

#include <algorithm>
#include <fmt/core.h>

namespace treadle {

namespace {

[[noreturn]] void failValue(const std::string &message) { throw UsageError(UsageError::Kind::Value, message); }
[[noreturn]] void failIndex(const std::string &message) { throw UsageError(UsageError::Kind::Index, message); }

/// The same memory, with no axes yet.
ArrayView withoutAxes(const ArrayView &view) { return {view.data, view.owner, view.itemBytes}; }

/// Negative numbers count from the end; nothing if there is no such axis.
std::optional<unsigned> axisOf(const ArrayView &view, int64_t axis) {
  const int64_t place = axis < 0 ? axis + view.ndim : axis;
  return place >= 0 && place < view.ndim ? std::optional(unsigned(place)) : std::nullopt;
}

/// Saturates at the largest int64.
int64_t product(std::span<const int64_t> extents) {
  if (std::ranges::find(extents, 0) != extents.end())
    return 0;
  int64_t result = 1;
  for (const int64_t extent : extents)
    if (__builtin_mul_overflow(result, extent, &result))
      return INT64_MAX;
  return result;
}

/// Replaces -1 by the missing extent, and checks that the number of elements stays the same.
void complete(std::span<int64_t> shape, const ArrayView &view) {
  const int64_t size = view.count();
  const std::string text = shapeText(shape);
  const auto unknown = std::ranges::find(shape, -1);
  if (std::ranges::count(shape, -1) > 1)
    failValue("one extent at most can be -1, found shape " + text);
  if (std::ranges::any_of(shape, [](int64_t extent) { return extent < -1; }))
    failValue("negative dimensions are not allowed, found shape " + text);
  const std::string misfit =
      fmt::format("an array of shape {} cannot have shape {}: {} elements", shapeText(view.extents()), text, size);
  if (unknown == shape.end()) {
    if (const int64_t known = product(shape); known != size)
      failValue(fmt::format("{}, not {}", misfit, known));
    return;
  }
  *unknown = 1;
  const int64_t known = product(shape);
  if (known == 0 || size % known != 0)
    failValue(misfit);
  *unknown = size / known;
}

/// Elements at one distance from each other.
struct Run {
  int64_t length, step;
};

/// The axis that varies fastest comes first.
unsigned axisInOrder(unsigned place, unsigned ndim, bool isFortran) { return isFortran ? place : ndim - 1 - place; }

/// Merges axes that follow each other without gaps into runs; the first varies fastest.
std::vector<Run> runsOf(const ArrayView &view, bool isFortran) {
  std::vector<Run> runs;
  for (unsigned place = 0; place < view.ndim; ++place) {
    const unsigned axis = axisInOrder(place, view.ndim, isFortran);
    const int64_t extent = view.shape[axis], stride = view.strides[axis];
    if (extent == 1)
      continue;
    if (!runs.empty() && stride == runs.back().length * runs.back().step)
      runs.back().length *= extent;
    else
      runs.push_back({extent, stride});
  }
  return runs;
}

} // namespace

void SelectedAxes::failToSelect(size_t selecting, size_t ellipses) const {
  if (ellipses > 1)
    failIndex("an index can only have a single ellipsis ('...')");
  failIndex(fmt::format("too many indices: the array has {} dimensions, {} were indexed", base.ndim, selecting));
}

void SelectedAxes::position(int64_t index) {
  const int64_t extent = base.shape[axis];
  if (index < -extent || index >= extent) [[unlikely]]
    failIndex(fmt::format("index {} is out of bounds for axis {} with size {}", index, axis, extent));
  view.data += (index < 0 ? index + extent : index) * base.strides[axis];
  ++axis;
}

ArrayView reshaped(const ArrayView &view, std::span<const int64_t> shape, bool isFortran) {
  if (shape.size() > maxDimensions)
    failValue(fmt::format("the shape has {} dimensions; the limit is {}", shape.size(), maxDimensions));
  ArrayView made = view;
  made.ndim = uint8_t(shape.size());
  std::ranges::copy(shape, made.shape);
  complete({made.shape, made.ndim}, view);
  if (view.count() == 0) {
    packStrides(made.extents(), made.itemBytes, false, made.strides);
    return made;
  }
  // Distributes the runs over the new axes.
  const std::vector<Run> runs = runsOf(view, isFortran);
  auto next = runs.begin();
  Run left = next == runs.end() ? Run{1, view.itemBytes} : *next++;
  for (unsigned place = 0; place < made.ndim; ++place) {
    const unsigned axis = axisInOrder(place, made.ndim, isFortran);
    const int64_t extent = made.shape[axis];
    if (extent > 1 && left.length == 1)
      left = *next++;
    if (left.length % extent != 0)
      throw UsageError(UsageError::Kind::NotImplemented,
                       "shape " + shapeText(made.extents()) + " would take a copy of the elements");
    made.strides[axis] = left.step;
    left = {left.length / extent, left.step * extent};
  }
  return made;
}

ArrayView permuted(const ArrayView &view, std::span<const int64_t> axes) {
  ArrayView made = withoutAxes(view);
  unsigned seen = 0; // a bit for each axis
  for (const int64_t given : axes) {
    const std::optional<unsigned> axis = axisOf(view, given);
    if (!axis || (seen >> *axis & 1) != 0)
      break;
    seen |= 1u << *axis;
    made.addAxis(view.shape[*axis], view.strides[*axis]);
  }
  if (made.ndim != view.ndim || axes.size() != view.ndim)
    failValue(fmt::format("axes {} are not each of the {} axes once", shapeText(axes), view.ndim));
  return made;
}

ArrayView transposed(const ArrayView &view) {
  ArrayView made = view;
  std::reverse(made.shape, made.shape + made.ndim);
  std::reverse(made.strides, made.strides + made.ndim);
  return made;
}

ArrayView squeezed(const ArrayView &view) {
  ArrayView made = withoutAxes(view);
  for (unsigned axis = 0; axis < view.ndim; ++axis)
    if (view.shape[axis] != 1)
      made.addAxis(view.shape[axis], view.strides[axis]);
  return made;
}

ArrayView squeezed(const ArrayView &view, std::span<const int64_t> axes) {
  unsigned gone = 0; // a bit for each axis
  for (const int64_t given : axes) {
    const std::optional<unsigned> axis = axisOf(view, given);
    if (!axis)
      failValue(fmt::format("axis {} is out of bounds for an array of {} dimensions", given, view.ndim));
    if (view.shape[*axis] != 1)
      failValue(fmt::format("axis {} has extent {}: only axes of extent 1 can be left out", *axis, view.shape[*axis]));
    gone |= 1u << *axis;
  }
  ArrayView made = withoutAxes(view);
  for (unsigned axis = 0; axis < view.ndim; ++axis)
    if ((gone >> axis & 1) == 0)
      made.addAxis(view.shape[axis], view.strides[axis]);
  return made;
}

ArrayView viewedAs(const ArrayView &view, const Type *element) {
  ArrayView made = view;
  made.itemBytes = element->bytes();
  if (made.itemBytes == view.itemBytes)
    return made;
  if (view.ndim == 0 || !isContiguous(view.strided(), false))
    failValue(fmt::format("elements of {} bytes instead of {} need a C-contiguous array of one or more dimensions, "
                          "found shape {} with strides {}",
                          made.itemBytes, view.itemBytes, shapeText(view.extents()),
                          shapeText(view.strided().strides)));
  int64_t &last = made.shape[made.ndim - 1];
  const int64_t row = last * view.itemBytes;
  if (made.itemBytes == 0 || row % made.itemBytes != 0)
    failValue(
        fmt::format("the last axis has {} bytes, no multiple of the {} of {}", row, made.itemBytes, element->name()));
  last = row / made.itemBytes;
  packStrides(made.extents(), made.itemBytes, false, made.strides);
  return made;
}

ArrayView fieldOf(const ArrayView &view, const RecordField &field) {
  const size_t ndim = view.ndim + field.shape.size();
  if (ndim > maxDimensions)
    failValue(fmt::format("field '{}' would have {} dimensions; the limit is {}", field.name, ndim, maxDimensions));
  ArrayView made = view;
  made.data += field.offset;
  made.itemBytes = field.type->bytes();
  made.ndim = uint8_t(ndim);
  std::ranges::copy(field.shape, made.shape + view.ndim);
  packStrides(field.shape, made.itemBytes, false, {made.strides + view.ndim, field.shape.size()});
  return made;
}

ArrayView viewOfBuffer(const ArrayView &view, int64_t offset, const StridedExtents &extents) {
  const std::span<char> memory(view.owner->data(), view.owner->bytes());
  // An offset that wraps is negative, and lies outside of any memory.
  const auto first = int64_t(uint64_t(view.data - memory.data()) + uint64_t(offset));
  ArrayView made = ArrayView::checked(memory, first, extents);
  made.owner = view.owner;
  return made;
}

std::string shapeText(std::span<const int64_t> shape) {
  std::string text = "(";
  for (const int64_t extent : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + (shape.size() == 1 ? ",)" : ")");
}

} // namespace treadle

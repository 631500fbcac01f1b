// Extents and strides: packing, contiguity and reach, without overflow for any values.
#include "memory/array_view.h"

#include "support/error.h"
#include "types/limits.h"

#include <algorithm>
#include <fmt/core.h>
#include <string>

namespace treadle {

namespace {

[[noreturn]] void failValue(const std::string &message) { throw UsageError(UsageError::Kind::Value, message); }

bool isEmpty(std::span<const int64_t> shape) { return std::ranges::find(shape, 0) != shape.end(); }

void checkExtents(std::span<const int64_t> shape, int64_t itemBytes) {
  if (shape.size() > maxDimensions)
    failValue(fmt::format("the shape has {} dimensions; the limit is {}", shape.size(), maxDimensions));
  int64_t bytes = std::max<int64_t>(itemBytes, 1);
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] < 0 || shape[axis] > maxExtent) [[unlikely]] {
      const std::string found = fmt::format("shape[{}] is {}", axis, shape[axis]);
      failValue(shape[axis] < 0 ? "negative dimensions are not allowed: " + found
                                : found + "; arrays have at most 2^47 elements along an axis");
    }
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(shape[axis], 1), &bytes)) [[unlikely]]
      failValue("the array would be larger than the address space");
  }
}

} // namespace

int64_t packStrides(std::span<const int64_t> shape, int64_t itemBytes, bool isFortran, std::span<int64_t> strides) {
  if (shape.size() > maxDimensions) [[unlikely]]
    checkExtents(shape, itemBytes);
  int64_t bytes = itemBytes;
  bool hasElements = true, isFit = true;
  for (size_t i = 0; i < shape.size(); ++i) {
    const size_t axis = isFortran ? i : shape.size() - 1 - i;
    strides[axis] = bytes;
    hasElements &= shape[axis] != 0;
    isFit &= uint64_t(shape[axis]) <= uint64_t(maxExtent);
    isFit &= !__builtin_mul_overflow(bytes, std::max<int64_t>(shape[axis], 1), &bytes);
  }
  // Says what is wrong with which axis.
  if (!isFit) [[unlikely]]
    checkExtents(shape, itemBytes);
  return hasElements ? bytes : 0;
}

int64_t elementCount(std::span<const int64_t> shape) {
  if (isEmpty(shape))
    return 0;
  int64_t count = 1;
  for (const int64_t extent : shape)
    count *= extent;
  return count;
}

bool isContiguous(const StridedExtents &extents, bool isFortran) {
  if (isEmpty(extents.shape))
    return true;
  int64_t expected = extents.itemBytes;
  const size_t ndim = extents.shape.size();
  for (size_t i = 0; i < ndim; ++i) {
    const size_t axis = isFortran ? i : ndim - 1 - i;
    if (extents.shape[axis] == 1)
      continue;
    if (extents.strides[axis] != expected)
      return false;
    expected *= extents.shape[axis];
  }
  return true;
}

Layout layoutOf(const StridedExtents &extents) {
  return isContiguous(extents, false) ? Layout::C : isContiguous(extents, true) ? Layout::F : Layout::Any;
}

std::optional<ByteRange> reachOf(const StridedExtents &extents) {
  if (isEmpty(extents.shape))
    return ByteRange{};
  ByteRange range{0, extents.itemBytes};
  for (size_t axis = 0; axis < extents.shape.size(); ++axis) {
    int64_t span = 0;
    if (__builtin_mul_overflow(extents.strides[axis], extents.shape[axis] - 1, &span))
      return std::nullopt;
    int64_t &end = span < 0 ? range.first : range.last;
    if (__builtin_add_overflow(end, span, &end))
      return std::nullopt;
  }
  return range;
}

bool liesIn(std::span<const char> memory, const char *data, const StridedExtents &extents) {
  const std::optional<ByteRange> reach = reachOf(extents);
  // Addresses are less than 2^63, so the distance of two is an int64.
  const int64_t offset = int64_t(reinterpret_cast<uintptr_t>(data) - reinterpret_cast<uintptr_t>(memory.data()));
  int64_t first = 0, last = 0;
  return reach && !__builtin_add_overflow(offset, reach->first, &first) &&
         !__builtin_add_overflow(offset, reach->last, &last) && first >= 0 && last <= int64_t(memory.size());
}

bool areAligned(const char *data, const StridedExtents &extents, uint64_t alignment) {
  uint64_t steps = reinterpret_cast<uintptr_t>(data);
  for (size_t axis = 0; axis < extents.shape.size(); ++axis)
    if (extents.shape[axis] != 1)
      steps |= uint64_t(extents.strides[axis]);
  return (steps & (alignment - 1)) == 0;
}

ArrayView ArrayView::checked(std::span<char> memory, int64_t offset, const StridedExtents &extents) {
  checkExtents(extents.shape, extents.itemBytes);
  if (extents.strides.size() != extents.shape.size())
    failValue(fmt::format("there are {} strides for {} dimensions", extents.strides.size(), extents.shape.size()));
  ArrayView view;
  view.itemBytes = uint32_t(extents.itemBytes);
  view.ndim = uint8_t(extents.shape.size());
  std::ranges::copy(extents.shape, view.shape);
  std::ranges::copy(extents.strides, view.strides);
  const bool hasElements = !isEmpty(extents.shape);
  const uintptr_t address = reinterpret_cast<uintptr_t>(memory.data()) + uintptr_t(hasElements ? offset : 0);
  view.data = reinterpret_cast<char *>(address);
  if (hasElements && !liesIn(memory, view.data, extents))
    failValue("the view would reach beyond its buffer");
  return view;
}

} // namespace treadle

// Strides, reach and buffer of a new array.
#include "memory/new_array.h"

#include "memory/buffer.h"
#include "support/error.h"

#include <algorithm>
#include <fmt/core.h>

namespace treadle {

namespace {

/// The byte range of the elements, relative to the first of them.
ByteRange setStrides(ArrayView &view, const ElementOrder &order) {
  const int64_t packed = packStrides(view.extents(), view.itemBytes, order.isFortran, view.strides);
  if (!order.strides) [[likely]]
    return {0, packed};
  if (order.strides->size() != view.ndim)
    throw UsageError(UsageError::Kind::Value,
                     fmt::format("{} strides were given for {} dimensions", order.strides->size(), view.ndim));
  std::ranges::copy(*order.strides, view.strides);
  const std::optional<ByteRange> reach = reachOf(view.strided());
  int64_t bytes = 0;
  if (!reach || __builtin_sub_overflow(reach->last, reach->first, &bytes))
    throw UsageError(UsageError::Kind::Value, "the array would be larger than the address space");
  return *reach;
}

std::shared_ptr<Buffer> allocate(size_t bytes, const MemorySource &source) {
  const AllocationRequest request{.bytes = bytes, .stream = source.stream, .kind = source.kind};
  try {
    return std::make_shared<Buffer>(source.manager, request);
  } catch (const DeviceError &error) {
    const bool isShort = error.result() == CudaResult::OutOfMemory;
    const auto points = isShort ? source.manager.pointsThatMayHelp(bytes) : std::nullopt;
    if (!points)
      throw;
    source.wait(*points);
  }
  return std::make_shared<Buffer>(source.manager, request);
}

} // namespace

void allocateElements(ArrayView &view, const ElementOrder &order, const MemorySource &source) {
  const ByteRange reach = setStrides(view, order);
  view.owner = allocate(size_t(reach.last - reach.first), source);
  view.data = view.owner->data() - reach.first;
}

} // namespace treadle

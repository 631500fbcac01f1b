// The only entry point for arrays of other libraries.
#include "interop/described_array.h"

#include "types/limits.h"

#include <algorithm>
#include <fmt/core.h>

namespace treadle {

namespace {

[[noreturn]] void failValue(const std::string &message) { throw UsageError(UsageError::Kind::Value, message); }

/// All bytes that the description claims; empty without elements. Precondition: valid extents.
std::span<char> claimedMemory(const ArrayDescription &description) {
  const std::optional<ByteRange> reach = reachOf(description.extents);
  int64_t bytes = 0;
  if (!reach || __builtin_sub_overflow(reach->last, reach->first, &bytes))
    failValue("the strides reach beyond the address space");
  if (bytes == 0)
    return {};
  if (!description.data)
    failValue("the array has elements, but its address is 0");
  const auto address = reinterpret_cast<uintptr_t>(description.data);
  uintptr_t first = 0, last = 0;
  if (__builtin_add_overflow(address, reach->first, &first) || __builtin_add_overflow(address, reach->last, &last) ||
      last > uintptr_t(INT64_MAX))
    failValue("the array would reach beyond the address space");
  return {reinterpret_cast<char *>(first), size_t(bytes)}; // NOLINT(performance-no-int-to-ptr)
}

/// Processors and GPUs require elements at multiples of a power of 2 that their type determines.
void checkAlignment(const ArrayDescription &description) {
  const uint64_t alignment = description.element->alignment();
  if (!areAligned(static_cast<const char *>(description.data), description.extents, alignment))
    failValue(fmt::format("elements of {} lie at multiples of {} bytes, and these do not: copy the array",
                          description.element->name(), alignment));
}

void readChecked(const ArrayDescription &description, ForeignArray &array) {
  int64_t packed[maxDimensions];
  packStrides(description.extents.shape, description.extents.itemBytes, false, packed); // throws for invalid extents
  array.memory = claimedMemory(description);
  int64_t offset = 0;
  if (!array.memory.empty()) {
    checkAlignment(description);
    offset = static_cast<char *>(description.data) - array.memory.data();
  }
  array.view = ArrayView::checked(array.memory, offset, description.extents);
}

/// Fast path for nearly all arrays, in one walk over their axes, with the same result as `readChecked`. False: the
/// array has no elements, or `readChecked` must report an error.
bool readUsual(const ArrayDescription &description, ForeignArray &array) {
  const StridedExtents &extents = description.extents;
  if (extents.shape.size() > maxDimensions || extents.strides.size() != extents.shape.size() || !description.data)
    return false;
  const auto address = reinterpret_cast<uintptr_t>(description.data);
  int64_t first = 0, last = extents.itemBytes, bytes = std::max<int64_t>(extents.itemBytes, 1);
  uint64_t steps = address;
  bool isUsual = address <= uintptr_t(INT64_MAX);
  for (size_t axis = 0; axis < extents.shape.size(); ++axis) {
    const int64_t extent = extents.shape[axis], stride = extents.strides[axis];
    array.view.addAxis(extent, stride);
    isUsual &= extent > 0 && extent <= maxExtent;
    isUsual &= !__builtin_mul_overflow(bytes, extent, &bytes);
    int64_t span = 0;
    isUsual &= !__builtin_mul_overflow(stride, std::max<int64_t>(extent, 1) - 1, &span);
    int64_t &end = span < 0 ? first : last;
    isUsual &= !__builtin_add_overflow(end, span, &end);
    steps |= extent == 1 ? 0 : uint64_t(stride);
  }
  int64_t length = 0;
  isUsual &= !__builtin_sub_overflow(last, first, &length);
  isUsual &= !__builtin_add_overflow(int64_t(address), first, &first) && first >= 0;
  isUsual &= !__builtin_add_overflow(int64_t(address), last, &last);
  array.memory = {reinterpret_cast<char *>(first), size_t(length)}; // NOLINT(performance-no-int-to-ptr)
  return isUsual && (steps & (description.element->alignment() - 1)) == 0;
}

} // namespace

ForeignArray::ForeignArray(const ArrayDescription &description)
    : view(static_cast<char *>(description.data), nullptr, uint32_t(description.extents.itemBytes)),
      element(description.element), isReadOnly(description.isReadOnly) {
  if (readUsual(description, *this)) [[likely]]
    return;
  try {
    readChecked(description, *this);
  } catch (const UsageError &error) {
    throw UsageError(UsageError::Kind::Buffer, error.what());
  }
}

void ForeignArray::own(MemoryResource &resource, char *address, MemoryOwner &&owner) {
  view.owner = std::make_shared<Buffer>(resource, std::span(address, memory.size()), std::move(owner));
  view.data += address - memory.data();
}

} // namespace treadle

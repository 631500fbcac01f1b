// The one way in for arrays of other libraries.
#include "interop/described_array.h"

namespace treadle {

namespace {

[[noreturn]] void failValue(const std::string &message) { throw UsageError(UsageError::Kind::Value, message); }

/// All bytes that the description claims; empty without elements. Its extents are those of an array.
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

/// Processors and GPUs load elements where their type says that they can lie.
void checkAlignment(const ArrayDescription &description) {
  const auto alignment = int64_t(description.element->alignment());
  const auto isAligned = [alignment](int64_t bytes) { return bytes % alignment == 0; };
  bool areAligned = isAligned(int64_t(reinterpret_cast<uintptr_t>(description.data)));
  for (size_t axis = 0; axis < description.extents.shape.size(); ++axis)
    areAligned &= description.extents.shape[axis] == 1 || isAligned(description.extents.strides[axis]);
  if (!areAligned)
    failValue("elements of " + description.element->name() + " lie at multiples of " + std::to_string(alignment) +
              " bytes, and these do not: copy the array");
}

ArrayView checkedView(const ArrayDescription &description) {
  const std::span<char> bytes = claimedMemory(description);
  if (bytes.empty())
    return ArrayView::checked({}, 0, description.extents);
  checkAlignment(description);
  return ArrayView::checked(bytes, static_cast<char *>(description.data) - bytes.data(), description.extents);
}

} // namespace

ArrayView viewOf(const ArrayDescription &description) {
  try {
    return checkedView(description);
  } catch (const UsageError &error) {
    throw UsageError(UsageError::Kind::Buffer, error.what());
  }
}

std::span<char> memoryOf(const ArrayView &view) {
  const std::optional<ByteRange> reach = reachOf(view.strided());
  return {view.data + reach->first, size_t(reach->last - reach->first)};
}

void ownElements(ArrayView &view, MemoryResource &resource, MemoryOwner owner) {
  view.owner = std::make_shared<Buffer>(resource, memoryOf(view), std::move(owner));
}

} // namespace treadle

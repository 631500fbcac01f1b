// Copies host arrays to a device before a launch, and back after it.
#include "launch/host_staging.h"

#include "border/image.h"
#include "memory/array_view.h"

#include <algorithm>
#include <optional>

namespace treadle {

namespace {

/// The alignment of device memory, and the largest that facts know.
constexpr size_t alignment = 256;

StridedExtents extentsOf(const ArgumentLeaf &array) {
  return {{array.shape, array.ndim}, {array.strides, array.ndim}, array.itemBytes};
}

} // namespace

std::vector<HostStaging::Range> HostStaging::rangesOf(std::span<const ArgumentLeaf> leaves) {
  std::vector<Range> ranges;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].kind != ArgumentLeaf::Kind::Array || !leaves[i].isOnHost)
      continue;
    const std::optional<ByteRange> reach = reachOf(extentsOf(leaves[i]));
    if (reach && reach->first < reach->last)
      ranges.push_back({leaves[i].data + reach->first, leaves[i].data + reach->last, {i}});
  }
  std::ranges::sort(ranges, {}, &Range::first);
  std::vector<Range> merged;
  for (Range &range : ranges) {
    if (merged.empty() || merged.back().last <= range.first) {
      merged.push_back(std::move(range));
      continue;
    }
    merged.back().last = std::max(merged.back().last, range.last);
    merged.back().arrays.push_back(range.arrays.front());
  }
  return merged;
}

HostStaging::HostStaging(MemoryManager &memory, Stream &stream, std::span<const ArgumentLeaf> leaves,
                         LaunchWatcher &watcher)
    : stream(stream), originals(leaves), staged(leaves.begin(), leaves.end()) {
  const StreamPoint last = stream.last(); // keeps the timeline alive
  for (const Range &range : rangesOf(leaves)) {
    const size_t offset = reinterpret_cast<uintptr_t>(range.first) % alignment;
    const size_t bytes = offset + size_t(range.last - range.first);
    buffers.push_back(std::make_unique<Buffer>(memory, bytes, last.timeline.get()));
    char *const target = buffers.back()->data() + offset;
    copyIn(range, target, watcher);
    for (const size_t array : range.arrays)
      staged[array].data = target + (leaves[array].data - range.first);
  }
}

void HostStaging::copyIn(const Range &range, char *target, LaunchWatcher &watcher) const {
  const int64_t shape[] = {range.last - range.first}, strides[] = {1};
  stream.copy({target, range.first, shape, strides, strides, 1, Location::Device, Location::Pageable}, nullptr,
              watcher);
}

void HostStaging::leaveAt(const StreamPoint &point) const {
  for (const std::unique_ptr<Buffer> &buffer : buffers)
    buffer->use(point);
}

void HostStaging::copyBack(const Image &image, LaunchWatcher &watcher) const {
  for (size_t i = 0; i < staged.size(); ++i) {
    const ArgumentLeaf &from = staged[i], &to = originals[i];
    const bool isWritten = i >= image.writes.size() || image.writes[i];
    if (from.kind != ArgumentLeaf::Kind::Array || from.data == to.data || !isWritten)
      continue;
    const StridedExtents extents = extentsOf(to);
    stream.copy({to.data, from.data, extents.shape, extents.strides, extents.strides, extents.itemBytes,
                 Location::Pageable, Location::Device},
                nullptr, watcher);
  }
}

} // namespace treadle

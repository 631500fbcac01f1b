// Copies host arrays to a device before a launch, and back after it.
#include "launch/host_staging.h"

#include "border/image.h"
#include "launch/array_alignment.h"
#include "launch/launch_facts.h"
#include "support/error.h"

#include <algorithm>
#include <numeric>

namespace treadle {

namespace {

/// The alignment of device memory, and the largest that any fact assumes.
constexpr size_t largestAlignment = 256;

bool areSame(const ArgumentLeaf &a, const ArgumentLeaf &b) {
  const StridedExtents first = extentsOf(a), second = extentsOf(b);
  return a.data == b.data && a.itemBytes == b.itemBytes && std::ranges::equal(first.shape, second.shape) &&
         std::ranges::equal(first.strides, second.strides);
}

/// 0: a single element.
int64_t commonStep(const ArgumentLeaf &array) {
  int64_t step = 0;
  for (unsigned axis = 0; axis < array.ndim; ++axis)
    if (array.shape[axis] > 1)
      step = std::gcd(step, array.strides[axis]);
  return step;
}

/// Whether no element of one overlaps an element of the other, as with fields of one array of records. Conservative:
/// may report overlap.
bool areApart(const ArgumentLeaf &a, const ArgumentLeaf &b) {
  const ByteRange first = *reachOf(extentsOf(a)), second = *reachOf(extentsOf(b));
  if (a.data + first.last <= b.data + second.first || b.data + second.last <= a.data + first.first)
    return true;
  const int64_t step = std::gcd(commonStep(a), commonStep(b));
  if (step == 0)
    return false;
  const int64_t between = ((b.data - a.data) % step + step) % step;
  return between >= a.itemBytes && between + b.itemBytes <= step;
}

} // namespace

HostStaging::HostStaging(MemoryManager &memory, Stream &stream, const StagedLaunch &launch, LaunchWatcher &watcher)
    : stream(stream), launch(launch), alignments(alignmentsOf(launch.image.signature)),
      staged(launch.leaves.begin(), launch.leaves.end()) {
  for (const Range &range : ranges()) {
    if (const std::optional<size_t> place = placeOf(range)) {
      stageTogether(memory, range, *place, watcher);
      continue;
    }
    checkApart(range);
    for (const size_t array : range.arrays) {
      // An array that is passed twice has one copy.
      const auto first = std::ranges::find_if(
          range.arrays, [&](size_t other) { return areSame(launch.leaves[other], launch.leaves[array]); });
      if (*first == array)
        stageAlone(memory, array, watcher);
      staged[array].data = staged[*first].data;
      staged[array].strides = staged[*first].strides;
    }
  }
}

std::vector<HostStaging::Range> HostStaging::ranges() const {
  std::vector<Range> ranges;
  for (size_t i = 0; i < launch.leaves.size(); ++i) {
    const ArgumentLeaf &leaf = launch.leaves[i];
    if (leaf.kind != ArgumentLeaf::Kind::Array || !leaf.isOnHost)
      continue;
    const std::optional<ByteRange> reach = reachOf(extentsOf(leaf));
    if (reach && reach->first < reach->last)
      ranges.push_back({leaf.data + reach->first, leaf.data + reach->last, {i}});
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

/// The offset from a multiple of 256 bytes at which a copy of the range can begin: as on the host, or so that one of
/// its arrays is aligned. Nothing: no offset aligns all elements.
std::optional<size_t> HostStaging::placeOf(const Range &range) const {
  const auto offsetOf = [&](size_t array) { return size_t(launch.leaves[array].data - range.first); };
  const auto fits = [&](size_t place) {
    return std::ranges::all_of(range.arrays, [&](size_t array) {
      const char *const first = reinterpret_cast<const char *>(place + offsetOf(array));
      return areAligned(first, extentsOf(launch.leaves[array]), alignments[array]);
    });
  };
  if (const size_t same = reinterpret_cast<uintptr_t>(range.first) % largestAlignment; fits(same))
    return same;
  for (const size_t array : range.arrays)
    if (const size_t place = (largestAlignment - offsetOf(array) % largestAlignment) % largestAlignment; fits(place))
      return place;
  return std::nullopt;
}

/// Separate copies are correct only if no write to one of the arrays is also one to another.
void HostStaging::checkApart(const Range &range) const {
  for (const size_t one : range.arrays)
    for (const size_t other : range.arrays) {
      const ArgumentLeaf &first = launch.leaves[one], &second = launch.leaves[other];
      const bool areFine = areSame(first, second) ? !overlapsItself(first) : areApart(first, second);
      if (!areFine && (isWritten(one) || isWritten(other)))
        throw UsageError(
            UsageError::Kind::Buffer,
            "arrays of the host share memory in such a way that no copy of it on the device has all elements "
            "where kernels can load them, at multiples of their sizes: copy one of the arrays first");
    }
}

bool HostStaging::isWritten(size_t leaf) const {
  return leaf >= launch.image.writes.size() || launch.image.writes[leaf];
}

char *HostStaging::allocate(MemoryManager &memory, size_t bytes) {
  const StreamPoint last = stream.last(); // keeps the timeline alive
  buffers.push_back(std::make_unique<Buffer>(memory, bytes, last.timeline.get()));
  return buffers.back()->data();
}

void HostStaging::stageTogether(MemoryManager &memory, const Range &range, size_t place, LaunchWatcher &watcher) {
  char *const target = allocate(memory, place + size_t(range.last - range.first)) + place;
  const int64_t shape[] = {range.last - range.first}, strides[] = {1};
  stream.copy({target, range.first, shape, strides, strides, 1, Location::Device, Location::Pageable}, nullptr,
              watcher);
  for (const size_t array : range.arrays)
    staged[array].data = target + (launch.leaves[array].data - range.first);
}

/// Packs the array.
void HostStaging::stageAlone(MemoryManager &memory, size_t leaf, LaunchWatcher &watcher) {
  const ArgumentLeaf &from = launch.leaves[leaf];
  const StridedExtents extents = extentsOf(from);
  int64_t *const strides = packed.emplace_back().data();
  const int64_t bytes = packStrides(extents.shape, extents.itemBytes, false, {strides, from.ndim});
  staged[leaf].data = allocate(memory, size_t(bytes));
  staged[leaf].strides = strides;
  stream.copy({staged[leaf].data, from.data, extents.shape, extentsOf(staged[leaf]).strides, extents.strides,
               extents.itemBytes, Location::Device, Location::Pageable},
              nullptr, watcher);
}

void HostStaging::leaveAt(const StreamPoint &point) const {
  for (const std::unique_ptr<Buffer> &buffer : buffers)
    buffer->use(point);
}

void HostStaging::copyBack(LaunchWatcher &watcher) const {
  for (size_t i = 0; i < staged.size(); ++i) {
    const ArgumentLeaf &from = staged[i], &to = launch.leaves[i];
    if (from.kind != ArgumentLeaf::Kind::Array || from.data == to.data || !isWritten(i))
      continue;
    const StridedExtents extents = extentsOf(to);
    stream.copy({to.data, from.data, extents.shape, extents.strides, extentsOf(from).strides, extents.itemBytes,
                 Location::Pageable, Location::Device},
                nullptr, watcher);
  }
}

} // namespace treadle

// HostStaging: device copies of one launch's host arrays, for devices whose kernels cannot access host memory.
#pragma once

#include "launch/arguments.h"
#include "memory/array_view.h"
#include "memory/memory_manager.h"

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace treadle {

struct Image;

/// The arguments of a launch, and its code.
struct StagedLaunch {
  std::span<const ArgumentLeaf> leaves;
  const Image &image;
};

/// The facts of the launch hold for the copies as well: overlapping arrays share one copy, at the same distance, and
/// each keeps its alignment up to 256 bytes. Elements are aligned as their type requires, even if the host has them at
/// odd addresses, or as one field of packed records.
class HostStaging {
public:
  /// Copies the arrays to the device, and waits for the copies. The leaves' arrays must outlive this object. Throws
  /// UsageError (Buffer) for arrays that overlap in such a way that no copy aligns all elements.
  HostStaging(MemoryManager &memory, Stream &stream, const StagedLaunch &launch, LaunchWatcher &watcher);
  HostStaging(const HostStaging &) = delete;
  HostStaging &operator=(const HostStaging &) = delete;

  /// The arguments with the copies in place of the arrays.
  std::span<const ArgumentLeaf> leaves() const { return staged; }
  /// Copies back the arrays that the kernel may have written: only their elements, as the host may use the gaps.
  void copyBack(LaunchWatcher &watcher) const;
  /// The launch is no longer waited for: the copies are in use up to that point.
  void leaveAt(const StreamPoint &point) const;

private:
  /// A range of host memory that contains one or more arrays.
  struct Range {
    char *first, *last;
    std::vector<size_t> arrays; ///< positions among the leaves
  };
  std::vector<Range> ranges() const;
  std::optional<size_t> placeOf(const Range &range) const;
  void checkApart(const Range &range) const;
  bool isWritten(size_t leaf) const;
  char *allocate(MemoryManager &memory, size_t bytes);
  void stageTogether(MemoryManager &memory, const Range &range, size_t place, LaunchWatcher &watcher);
  void stageAlone(MemoryManager &memory, size_t leaf, LaunchWatcher &watcher);

  Stream &stream;
  const StagedLaunch launch;
  const std::vector<uint64_t> alignments; ///< of the leaves
  std::vector<ArgumentLeaf> staged;
  std::deque<std::array<int64_t, maxDimensions>> packed; ///< strides of arrays that were staged separately
  std::vector<std::unique_ptr<Buffer>> buffers;
};

} // namespace treadle

// HostStaging: the host's arrays of one launch, as copies in the memory of a device whose kernels cannot use the
// host's.
#pragma once

#include "launch/arguments.h"
#include "memory/memory_manager.h"

#include <memory>
#include <span>
#include <vector>

namespace treadle {

struct Image;

/// The facts of the launch hold for the copies as well: arrays that overlap lie in one copy, at the same distance, and
/// each keeps its alignment up to 256 bytes.
class HostStaging {
public:
  /// Copies the arrays to the device, and waits for the copies. The leaves' arrays must outlive this object.
  HostStaging(MemoryManager &memory, Stream &stream, std::span<const ArgumentLeaf> leaves, LaunchWatcher &watcher);
  HostStaging(const HostStaging &) = delete;
  HostStaging &operator=(const HostStaging &) = delete;

  /// The arguments with the copies in place of the arrays.
  std::span<const ArgumentLeaf> leaves() const { return staged; }
  /// Copies back the arrays that the kernel may have written: only their elements, as the host may use the gaps.
  void copyBack(const Image &image, LaunchWatcher &watcher) const;
  /// Nobody waits for the launch any more: the copies are in use up to there.
  void leaveAt(const StreamPoint &point) const;

private:
  /// A range of the host's memory that holds one or more arrays.
  struct Range {
    char *first, *last;
    std::vector<size_t> arrays; ///< positions among the leaves
  };
  static std::vector<Range> rangesOf(std::span<const ArgumentLeaf> leaves);
  void copyIn(const Range &range, char *target, LaunchWatcher &watcher) const;

  Stream &stream;
  const std::span<const ArgumentLeaf> originals;
  std::vector<ArgumentLeaf> staged;
  std::vector<std::unique_ptr<Buffer>> buffers;
};

} // namespace treadle

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

/// What the facts of the launch say of the arrays holds for the copies: arrays that overlap lie in one copy, at the
/// same distance, and each has its alignment up to 256 bytes.
class HostStaging {
public:
  /// Copies to the device, and waits for it. The leaves' arrays live as long as this object.
  HostStaging(MemoryManager &memory, Stream &stream, std::span<const ArgumentLeaf> leaves, LaunchWatcher &watcher);
  HostStaging(const HostStaging &) = delete;
  HostStaging &operator=(const HostStaging &) = delete;

  /// What the kernel gets in place of the arguments.
  std::span<const ArgumentLeaf> leaves() const { return staged; }
  /// Copies back what the kernel may have written: elements only, as the host may use what lies between them.
  void copyBack(const Image &image, LaunchWatcher &watcher) const;

private:
  /// Bytes of the host that hold one or several arrays.
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

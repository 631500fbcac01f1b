// StreamFailures: what failed on streams of one device until somebody has been told.
#pragma once

#include "device/stream.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

namespace treadle::cpu {

/// Outlives the streams: what failed on one that was dropped is told by whoever waits for all streams.
class StreamFailures {
public:
  void add(uint64_t stream, uint64_t position, std::exception_ptr failure);
  /// Those of one stream up to a position, in their order; a QueuedFailure that has all of them, or null. Each is told
  /// once.
  std::exception_ptr take(uint64_t stream, uint64_t position);
  /// Those of several streams.
  std::exception_ptr takeOf(const std::vector<uint64_t> &streams);
  /// Those of streams that are no more, too.
  std::exception_ptr takeAll();
  bool areNone() const { return count.load(std::memory_order_relaxed) == 0; }
  /// Names a stream for as long as the process lives.
  uint64_t nameStream() { return names.fetch_add(1) + 1; }

  /// Around a fork. What failed in the parent is told there.
  void lock() { mutex.lock(); }
  void unlock() { mutex.unlock(); }
  void beginChild();

private:
  struct Untold {
    uint64_t stream, position;
    std::exception_ptr failure;
  };
  template <typename Predicate> std::exception_ptr takeWhere(Predicate isWanted);

  std::mutex mutex;
  std::vector<Untold> untold; ///< guarded by mutex
  std::atomic<size_t> count{0};
  std::atomic<uint64_t> names{0};
};

} // namespace treadle::cpu

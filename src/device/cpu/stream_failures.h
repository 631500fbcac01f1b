// StreamFailures: the failures on the streams of one device that have not been reported.
#pragma once

#include "device/stream.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

namespace treadle::cpu {

/// Outlives the streams: failures of a dropped stream are reported by a wait for all streams.
class StreamFailures {
public:
  void add(uint64_t stream, uint64_t position, std::exception_ptr failure);
  /// Those of one stream up to a position, in their order, as one QueuedFailure, or null. Each is returned once.
  std::exception_ptr take(uint64_t stream, uint64_t position);
  /// Those of several streams.
  std::exception_ptr takeOf(const std::vector<uint64_t> &streams);
  /// Those of all streams, also of dropped ones.
  std::exception_ptr takeAll();
  bool areNone() const { return count.load(std::memory_order_relaxed) == 0; }
  /// A name for a stream, unique in the process.
  uint64_t nameStream() { return names.fetch_add(1) + 1; }

  /// Called around a fork. Failures of the parent are reported in the parent.
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

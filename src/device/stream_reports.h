// StreamReports: what the streams of one device have to tell the host: failures and printed text.
#pragma once

#include "device/stream.h"
#include "support/export.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// Filled by the threads of streams, emptied by calls that wait for streams; each failure and each text is reported
/// once. Outlives the streams: what a dropped stream has left is reported by a wait for all streams.
class TREADLE_API StreamReports {
public:
  /// A name for a stream, unique on the device.
  uint64_t nameStream() { return names.fetch_add(1) + 1; }

  /// Keeps the exception that is being handled, from work at that position; `origin` null: the work was no launch.
  void addFailure(uint64_t stream, uint64_t position, LaunchOrigin *origin);
  /// Those of one stream up to a position, in their order, as one QueuedFailure, or null. Each is returned once.
  std::exception_ptr takeFailure(uint64_t stream, uint64_t position);
  /// Those of all streams, also of dropped ones.
  std::exception_ptr takeFailures();
  /// Throws those of the named streams, as one QueuedFailure.
  void throwFailures(std::span<const uint64_t> streams);
  bool haveFailures() const { return count.load(std::memory_order_relaxed) != 0; }

  void print(std::string_view text);
  /// Passes on what was printed. The host may run any code then, so it is called under no lock.
  void tellPrinted(LaunchWatcher &watcher);

  /// Drops all that was not reported.
  void clear();

  /// Called around a fork. Failures and text of the parent are reported in the parent.
  void lock() { mutex.lock(); }
  void unlock() { mutex.unlock(); }
  void beginChild();

private:
  struct Failure {
    uint64_t stream, position;
    std::exception_ptr failure; ///< a QueuedFailure
  };
  template <typename Predicate> std::exception_ptr takeWhere(Predicate isWanted);

  std::mutex mutex;
  std::vector<Failure> failures; ///< guarded by mutex, as the next
  std::string printed;
  std::atomic<size_t> count{0}; ///< of `failures`
  std::atomic<uint64_t> names{0};
};

} // namespace treadle

// StreamReports: reports of one device's streams to the host: failures and printed text.
#pragma once

#include "device/stream.h"
#include "support/export.h"
#include "support/fork_gate.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// Filled by the threads of streams, drained by calls that wait for streams; each failure and each text is reported
/// once. Outlives the streams: a wait for all streams also reports what dropped streams have left.
class TREADLE_API StreamReports {
public:
  /// A name for a stream, unique on the device.
  uint64_t nameStream() { return names.fetch_add(1) + 1; }

  /// Stores the exception being handled, from work at that position; `origin` null: the work was not a launch.
  void addFailure(uint64_t stream, uint64_t position, LaunchOrigin *origin);
  /// Those of one stream up to a position, in order, as one QueuedFailure, or null. Each is returned once.
  std::exception_ptr takeFailure(uint64_t stream, uint64_t position);
  /// Those of all streams, including dropped ones.
  std::exception_ptr takeFailures();
  /// Throws those of the named streams, as one QueuedFailure.
  void throwFailures(std::span<const uint64_t> streams);
  bool haveFailures() const { return count.load(std::memory_order_relaxed) != 0; }

  void print(std::string_view text);
  /// Passes on printed text. The host may run arbitrary code then, so it is called under no lock.
  void tellPrinted(LaunchWatcher &watcher);

  /// Drops everything unreported.
  void clear();

  /// In the child of a fork: failures and text of the parent are reported in the parent.
  void beginChild();

private:
  struct Failure {
    uint64_t stream, position;
    std::exception_ptr failure; ///< a QueuedFailure
  };
  template <typename Predicate> std::exception_ptr takeWhere(Predicate isWanted);

  ForkMutex mutex;
  std::vector<Failure> failures; ///< guarded by mutex, as the next
  std::string printed;
  std::atomic<size_t> count{0}; ///< of `failures`
  std::atomic<uint64_t> names{0};
};

} // namespace treadle

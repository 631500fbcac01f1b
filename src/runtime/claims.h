// Claims: the compilations in progress, which other threads wait for instead of repeating them.
#pragma once

#include "support/fork_gate.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace treadle {

class Dispatcher;
class Overload;
class Type;

/// The work in progress in all dispatchers that other threads may wait for. Work of a parent's thread never finishes in
/// a child, so a child starts without claims.
class Claims {
public:
  struct Work {
    const Dispatcher *dispatcher = nullptr;
    std::vector<const Type *> arguments; ///< of an inference in progress
    const Overload *overload = nullptr;  ///< of a code generation in progress
    bool operator==(const Work &) const = default;
  };

  Claims();
  Claims(const Claims &) = delete;
  Claims &operator=(const Claims &) = delete;

  /// False: it is claimed already, perhaps by this thread.
  bool tryTake(const Work &work);
  /// The calling thread has claimed the work: waiting would deadlock.
  bool isOwn(const Work &work);
  void giveBack(const Work &work);
  /// Returns true once the work is unclaimed, false on timeout. Called without the host's lock.
  bool waitFor(const Work &work, std::chrono::milliseconds time);

private:
  bool isTaken(const Work &work) const;

  std::mutex mutex;
  std::condition_variable givenBack;
  struct Taken {
    Work work;
    std::thread::id by;
  };
  std::vector<Taken> taken; ///< guarded by mutex
  const AtForks atForks;
};

} // namespace treadle

// Claims: the compilations in progress, so that other threads wait for them instead of repeating them.
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

/// The work of all dispatchers that a thread is doing and others may wait for. Work of a parent's thread is never
/// finished in a child, so a child starts without claims.
class Claims {
public:
  struct Work {
    const Dispatcher *dispatcher = nullptr;
    std::vector<const Type *> arguments; ///< being inferred
    const Overload *overload = nullptr;  ///< being given a variant
    bool operator==(const Work &) const = default;
  };

  Claims();
  Claims(const Claims &) = delete;
  Claims &operator=(const Claims &) = delete;

  /// False: another thread has it, or this one.
  bool tryTake(const Work &work);
  /// The calling thread has the work: it would wait for itself.
  bool isOwn(const Work &work);
  void giveBack(const Work &work);
  /// Returns true when no thread has the work, false after some time. Called without the host's lock.
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

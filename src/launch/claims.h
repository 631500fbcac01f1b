// Claims: who compiles what, so that others wait for it instead of compiling it too.
#pragma once

#include "support/fork_gate.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace treadle {

class Dispatcher;
class Overload;
class Type;

/// The pieces of work that some thread does and others may wait for, of all dispatchers. Work of a parent's thread will
/// never be done in a child, so a child begins without any.
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

  /// False: another thread has it.
  bool tryTake(const Work &work);
  void giveBack(const Work &work);
  /// Returns when nobody has it, or after some time: false. Without the host's lock.
  bool waitFor(const Work &work, std::chrono::milliseconds time);

private:
  bool isTaken(const Work &work) const;

  std::mutex mutex;
  std::condition_variable givenBack;
  std::vector<Work> taken; ///< guarded by mutex
  const AtForks atForks;
};

} // namespace treadle

// Background: work with no waiting caller, run in order by one low-priority thread.
#pragma once

#include "support/export.h"
#include "support/fork_gate.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace treadle {

/// Items run in the order in which they were added, without the host's lock. The thread is started for the first item
/// and ends after it has been idle for a while. When the process exits, remaining items are run first, for at most two
/// seconds. The child of a fork starts with an empty queue: the work is its parent's.
class TREADLE_API Background {
public:
  /// Never destroyed, as the thread may use it until the process ends.
  static Background &instance();

  /// `owner` and `name`: the key for `finish`. `work` must not throw. False: the queue is full, and the work is
  /// dropped.
  bool add(const void *owner, std::string name, std::function<void()> work);
  /// Returns when no item of that owner and name is left; an empty name: no item of that owner. Called from an item,
  /// which runs after all those added before it, it does not wait; nor does it on any thread once the process exits.
  void finish(const void *owner, std::string_view name = {});
  /// For a host that may end without running the process's exit handlers (Python, on an unhandled KeyboardInterrupt):
  /// returns when the queue is empty, after two seconds at the latest.
  void finishAll();

private:
  using Clock = std::chrono::steady_clock;
  struct Item {
    const void *owner;
    std::string name;
    std::function<void()> work;
    bool isOf(const void *other, std::string_view what) const {
      return owner == other && (what.empty() || name == what);
    }
  };

  Background();
  void run();
  void start();
  void doFirst(std::unique_lock<std::mutex> &lock);
  void finishBefore(Clock::time_point deadline);
  void beginChild();

  /// Never held while an item runs.
  std::mutex mutex;
  std::condition_variable added, done;
  std::deque<Item> items; ///< guarded by mutex, as all below
  bool isBusy = false;    ///< the first item is running
  std::thread::id worker; ///< by that thread
  bool hasThread = false; ///< a thread is serving the queue
  bool isExiting = false;
  AtForks atForks;
};

} // namespace treadle

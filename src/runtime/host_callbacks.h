// HostCallbacks: the queue of callbacks from the streams to the host thread that calls them.
#pragma once

#include "support/fork_gate.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace treadle {

/// Filled by the streams' threads, which never wait for the host; drained by a host thread, which may itself use
/// streams.
class HostCallbacks {
public:
  static HostCallbacks &instance() {
    static HostCallbacks *const callbacks = new HostCallbacks; // never destroyed: threads may use it at exit
    return *callbacks;
  }

  void push(std::shared_ptr<const void> item) {
    {
      const std::lock_guard lock(mutex);
      items.push_back(std::move(item));
    }
    arrived.notify_one();
  }

  /// Whether a thread that calls `pop` must be started: true once, and once more in each child of a fork.
  bool claimCaller() {
    const std::lock_guard lock(mutex);
    return !std::exchange(hasCaller, true);
  }
  /// The thread could not be started.
  void giveBackCaller() {
    const std::lock_guard lock(mutex);
    hasCaller = false;
  }

  /// Waits for an item; called without the host's lock.
  std::shared_ptr<const void> pop() {
    std::unique_lock lock(mutex);
    caller = std::this_thread::get_id();
    arrived.wait(lock, [this] { return !items.empty(); });
    std::shared_ptr<const void> item = std::move(items.front());
    items.pop_front();
    return item;
  }

private:
  /// Callbacks queued by the parent's streams stay the parent's; the thread that waits for items does not exist in the
  /// child.
  void beginChild() {
    new (&mutex) std::mutex;
    new (&arrived) std::condition_variable;
    new (&items) std::deque<std::shared_ptr<const void>>;
    hasCaller = hasCaller && caller == std::this_thread::get_id();
  }

  std::mutex mutex;
  std::condition_variable arrived;
  std::deque<std::shared_ptr<const void>> items; ///< guarded by mutex, as are those below
  bool hasCaller = false;
  std::thread::id caller;
  const AtForks atForks{this,
                        {[](void *self) { static_cast<HostCallbacks *>(self)->mutex.lock(); },
                         [](void *self) { static_cast<HostCallbacks *>(self)->mutex.unlock(); },
                         [](void *self) { static_cast<HostCallbacks *>(self)->beginChild(); }}};
};

} // namespace treadle

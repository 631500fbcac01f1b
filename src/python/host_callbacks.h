// HostCallbacks: what streams want Python to call, in front of the thread that does.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

namespace treadle::python {

/// Filled by threads of streams, which never wait for Python; emptied by one Python thread, which may use streams.
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

  /// Waits for one. Without the GIL.
  std::shared_ptr<const void> pop() {
    std::unique_lock lock(mutex);
    arrived.wait(lock, [this] { return !items.empty(); });
    std::shared_ptr<const void> item = std::move(items.front());
    items.pop_front();
    return item;
  }

private:
  std::mutex mutex;
  std::condition_variable arrived;
  std::deque<std::shared_ptr<const void>> items; ///< references to Python objects
};

} // namespace treadle::python

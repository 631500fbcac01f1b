// The driver's own threads: one for host functions, one that runs work when idle.
#include "driver.h"

#include <chrono>
#include <thread>

namespace fakecuda {

void Driver::runOnCallbackThread(const std::function<void()> &function) {
  if (!callbackThread) {
    callbackThread = true;
    std::thread([this] { callbackLoop(); }).detach();
  }
  std::unique_lock lock(mutex, std::adopt_lock);
  progress.wait(lock, [&] { return !callback; });
  callback = &function;
  callbacks.notify_all();
  progress.wait(lock, [&] { return callback != &function; });
  lock.release();
}

void Driver::callbackLoop() {
  threadState().inCallback = true;
  std::unique_lock lock(mutex);
  while (true) {
    callbacks.wait(lock, [&] { return callback; });
    lock.unlock();
    (*callback)();
    lock.lock();
    callback = nullptr;
    progress.notify_all();
  }
}

void Driver::startIdleThread() {
  if (config.patienceMs > 0)
    std::thread([this, ofEpoch = epoch] { idleLoop(ofEpoch); }).detach();
}

/// A real device works without being called. This thread first waits for the configured time.
void Driver::idleLoop(uint64_t ofEpoch) {
  const std::chrono::milliseconds patience(config.patienceMs);
  uint64_t seen = 0;
  while (true) {
    std::this_thread::sleep_for(patience);
    mutex.lock();
    const bool stale = epoch != ofEpoch || exiting;
    if (!stale && lastCall == seen)
      step(1);
    seen = lastCall;
    mutex.unlock();
    if (stale)
      return;
  }
}

} // namespace fakecuda

// LaunchClock: polls every few ms while launches run, and sleeps after a while without any.
#include "device/cpu/launch_clock.h"

#include "device/cpu/threads/safepoint.h"
#include "support/error.h"
#include "support/threads.h"

#include <chrono>
#include <new>
#include <pthread.h>

namespace treadle::cpu {

namespace {

/// A launch seen at two polls is asked to check: after Python's GIL switch interval, or twice that.
constexpr std::chrono::milliseconds betweenLooks{5};
/// From then on it is asked at every tenth poll, 20 times a second.
constexpr uint32_t looksBetweenQuestions = 10;
/// The number of polls without any launch after which the clock sleeps.
constexpr uint32_t idleLooks = 40;

} // namespace

bool HostSlot::takeAsked() {
  if (!asked.exchange(false))
    return false;
  safepointRequests().fetch_sub(1);
  return true;
}

/// The calling thread's slot; null until it needs one.
HostSlot *&HostSlot::known() {
  static thread_local HostSlot *slot = nullptr;
  return slot;
}

HostSlot &HostSlot::ofThisThread() {
  HostSlot *&slot = known();
  if (slot) [[likely]]
    return *slot;
  // Detected with a pthread key, as thread_local objects must not have destructors here.
  static const pthread_key_t key = [] {
    pthread_key_t made;
    if (pthread_key_create(&made, [](void *ended) { static_cast<HostSlot *>(ended)->isFree = true; }) != 0)
      throw std::bad_alloc();
    return made;
  }();
  slot = LaunchClock::instance().add();
  pthread_setspecific(key, slot);
  return *slot;
}

LaunchClock &LaunchClock::instance() {
  static LaunchClock *const clock = new LaunchClock; // never destroyed: its thread runs until the process ends
  return *clock;
}

LaunchClock::LaunchClock()
    : atForks(this, {[](void *self) { static_cast<LaunchClock *>(self)->mutex.lock(); },
                     [](void *self) { static_cast<LaunchClock *>(self)->mutex.unlock(); },
                     [](void *self) { static_cast<LaunchClock *>(self)->beginChild(); }}) {}

/// The child's only thread may be in a launch, if a signal handler has forked there.
void LaunchClock::beginChild() {
  new (&mutex) std::mutex;
  new (&woken) std::condition_variable;
  hasThread = false;
  isAwake = false;
  const HostSlot *const own = HostSlot::known();
  for (const std::unique_ptr<HostSlot> &slot : slots) {
    slot->asked = false; // safepointRequests() restarts at 0 in a child
    if (slot.get() == own)
      continue;
    slot->launches = 0;
    slot->isFree = true;
  }
}

HostSlot *LaunchClock::add() {
  const std::lock_guard lock(mutex);
  for (const std::unique_ptr<HostSlot> &slot : slots)
    if (slot->isFree.exchange(false))
      return slot.get();
  return slots.emplace_back(std::make_unique<HostSlot>()).get();
}

/// False: the system cannot start a thread.
bool LaunchClock::wake() {
  const std::lock_guard lock(mutex);
  if (isAwake.exchange(true))
    return true;
  if (hasThread) {
    woken.notify_one();
    return true;
  }
  try {
    startThread("a clock", [this] { run(); });
    hasThread = true;
  } catch (const Error &) {
    isAwake = false;
  }
  return hasThread;
}

void LaunchClock::run() {
  std::unique_lock lock(mutex);
  for (uint32_t idle = 0;;) {
    idle = lookAtAll() ? 0 : idle + 1;
    if (idle >= idleLooks) {
      isAwake = false;
      // A launch that started meanwhile may have seen `isAwake` set.
      if (!lookAtAll())
        woken.wait(lock, [this] { return isAwake.load(); });
      isAwake = true;
      idle = 0;
    }
    woken.wait_for(lock, betweenLooks, [] { return false; });
  }
}

/// Whether any launch is running or has run since the last poll.
bool LaunchClock::lookAtAll() {
  bool any = false;
  for (const std::unique_ptr<HostSlot> &slot : slots) {
    const uint64_t before = slot->lastSeen;
    look(*slot);
    any |= slot->lastSeen != before || slot->lastSeen % 2 != 0;
  }
  return any;
}

void LaunchClock::look(HostSlot &slot) {
  const uint64_t seen = slot.launches.load();
  if (seen != slot.lastSeen || seen % 2 == 0) {
    slot.takeAsked(); // left over from a launch that has ended
    slot.lastSeen = seen;
    slot.looks = 0;
    return;
  }
  if (slot.looks++ % looksBetweenQuestions == 0 && !slot.asked.exchange(true))
    safepointRequests().fetch_add(1);
}

} // namespace treadle::cpu

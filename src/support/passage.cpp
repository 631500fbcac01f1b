// The places of threads, and how all of them are looked at.
#include "support/passage.h"

#include <chrono>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace treadle {

constinit thread_local Passage::Place *Passage::mine = nullptr;

namespace {

long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

/// Of the process, as threads are. Never destroyed.
struct Places {
  std::mutex mutex;
  Passage::Place *first = nullptr; ///< guarded by mutex
  pthread_key_t key{};
  const bool haveFence; ///< of all threads, once asked for

  static Places &instance() {
    static Places *const all = new Places;
    return *all;
  }

  Passage::Place &take() {
    const std::lock_guard lock(mutex);
    Passage::Place *place = first;
    while (place && place->isTaken)
      place = place->next;
    if (!place) {
      place = new Passage::Place;
      place->next = first;
      first = place;
    }
    place->isTaken = true;
    return *place;
  }
  void giveBack(Passage::Place &place) {
    const std::lock_guard lock(mutex);
    place.isTaken = false;
  }

private:
  Places() : haveFence(membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0) {
    pthread_key_create(&key, Passage::endOfThread);
  }
};

} // namespace

bool fenceAllThreads() { return Places::instance().haveFence && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0; }

/// By a key, as a thread_local object with a destructor would need the library to stay loaded. Where another key's
/// destructor enters once more, the thread takes a place anew, and the system calls this again.
Passage::Place &Passage::takePlace() {
  Places &places = Places::instance();
  mine = &places.take();
  pthread_setspecific(places.key, mine);
  return *mine;
}

void Passage::endOfThread(void *place) {
  mine = nullptr;
  Places::instance().giveBack(*static_cast<Place *>(place));
}

Passage::Passage() : needsFence(!Places::instance().haveFence) {}

void Passage::enterLater(Place &place) {
  for (;;) {
    std::unique_lock lock(changing);
    if (mayEnter())
      return;
    place.depth.store(0, std::memory_order_release);
    opened.wait(lock, [this] { return mayEnter(); });
    place.depth.store(1);
  }
}

Passage::Closed::Closed(Passage &passage) : passage(passage), alone(passage.closing) {
  {
    const std::lock_guard lock(passage.changing);
    passage.closer = std::this_thread::get_id();
    passage.isClosed.store(true);
  }
  if (passage.needsFence)
    std::atomic_thread_fence(std::memory_order_seq_cst);
  else
    fenceAllThreads();
  // A place that is added from now on belongs to a thread that finds the passage closed.
  Place *place;
  {
    Places &places = Places::instance();
    const std::lock_guard lock(places.mutex);
    place = places.first;
  }
  for (; place; place = place->next)
    while (place != mine && place->depth.load(std::memory_order_acquire) != 0)
      std::this_thread::sleep_for(std::chrono::microseconds(20));
}

Passage::Closed::~Closed() {
  {
    const std::lock_guard lock(passage.changing);
    passage.isClosed.store(false);
    passage.closer = {};
  }
  passage.opened.notify_all();
}

} // namespace treadle

// Handlers that the C library calls around a fork.
#include "support/fork_gate.h"

#include <atomic>
#include <mutex>
#include <new>
#include <pthread.h>
#include <shared_mutex>
#include <vector>

namespace treadle {

namespace {

struct Locked {
  void *object;
  void (*lock)(void *);
  void (*unlock)(void *);
};

struct Forks {
  std::atomic<uint32_t> count{0};
  std::shared_mutex gate;
  std::mutex registering;
  std::vector<Locked> locked; ///< guarded by registering
};

void unlockObjects(Forks &forks) {
  for (const Locked &one : forks.locked)
    one.unlock(one.object);
}

/// Never destroyed.
Forks &forks() {
  static Forks *const made = [] {
    auto *state = new Forks;
    pthread_atfork(
        [] {
          forks().gate.lock();
          forks().registering.lock();
          for (const Locked &one : forks().locked)
            one.lock(one.object);
        },
        [] {
          unlockObjects(forks());
          forks().registering.unlock();
          forks().gate.unlock();
        },
        [] {
          forks().count.fetch_add(1, std::memory_order_relaxed);
          unlockObjects(forks());
          // The C library knows the owner of such a lock by its thread, which has another number here.
          new (&forks().registering) std::mutex;
          new (&forks().gate) std::shared_mutex;
        });
    return state;
  }();
  return *made;
}

} // namespace

uint32_t forkCount() { return forks().count.load(std::memory_order_relaxed); }

ForkGate::ForkGate() { forks().gate.lock_shared(); }
ForkGate::~ForkGate() { forks().gate.unlock_shared(); }

void lockDuringForks(void *object, void (*lock)(void *), void (*unlock)(void *)) {
  const std::lock_guard guard(forks().registering);
  forks().locked.push_back({object, lock, unlock});
}

} // namespace treadle

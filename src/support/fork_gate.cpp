// Handlers that the C library calls around a fork.
#include "support/fork_gate.h"

#include <mutex>
#include <new>
#include <pthread.h>
#include <shared_mutex>
#include <vector>

namespace treadle {

namespace {

struct Handled {
  const AtForks *registration;
  void *object;
  ForkHandlers handlers;
};

struct Forks {
  std::shared_mutex gate;
  std::mutex registering;
  std::vector<Handled> handled; ///< guarded by `registering`
};

/// Never destroyed.
Forks &forks();

void callEach(void (*ForkHandlers::*handler)(void *)) {
  for (const Handled &one : forks().handled)
    if (one.handlers.*handler)
      (one.handlers.*handler)(one.object);
}

void prepareFork() {
  forks().gate.lock();
  forks().registering.lock();
  callEach(&ForkHandlers::before);
}

void resumeParent() {
  callEach(&ForkHandlers::inParent);
  forks().registering.unlock();
  forks().gate.unlock();
}

void beginChild() {
  // The C library identifies the owner of such a lock by its thread id, which differs in the child.
  new (&forks().registering) std::mutex;
  new (&forks().gate) std::shared_mutex;
  callEach(&ForkHandlers::inChild);
}

Forks &forks() {
  static Forks *const made = [] {
    auto *state = new Forks;
    pthread_atfork(prepareFork, resumeParent, beginChild);
    return state;
  }();
  return *made;
}

} // namespace

ForkGate::ForkGate() { forks().gate.lock_shared(); }
ForkGate::~ForkGate() { forks().gate.unlock_shared(); }

AtForks::AtForks(void *object, const ForkHandlers &handlers) {
  const std::lock_guard lock(forks().registering);
  forks().handled.push_back({this, object, handlers});
}

AtForks::~AtForks() {
  const std::lock_guard lock(forks().registering);
  std::erase_if(forks().handled, [this](const Handled &one) { return one.registration == this; });
}

} // namespace treadle

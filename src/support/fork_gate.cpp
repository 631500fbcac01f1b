// Handlers that the C library calls around a fork.
#include "support/fork_gate.h"

#include <new>
#include <pthread.h>
#include <shared_mutex>

namespace treadle {

/// Registrations in order. Each is a node of the list, so that adding and removing one takes constant time.
struct ForkList {
  AtForks *first = nullptr, *last = nullptr;

  void add(AtForks &one) {
    one.before = last;
    (last ? last->after : first) = &one;
    last = &one;
  }
  void remove(AtForks &one) {
    (one.before ? one.before->after : first) = one.after;
    (one.after ? one.after->before : last) = one.before;
  }
  void callEach(void (*ForkHandlers::*handler)(void *)) const {
    for (const AtForks *one = first; one; one = one->after)
      if (one->handlers.*handler)
        (one->handlers.*handler)(one->object);
  }
};

namespace {

struct Forks {
  std::shared_mutex gate;
  std::mutex registering;
  ForkList handled; ///< guarded by `registering`, as the next
  /// Those of ForkMutex, taken last before a fork: other locks may be held while one of them is taken.
  ForkList mutexes;
};

/// Never destroyed.
Forks &forks();

void prepareFork() {
  forks().gate.lock();
  forks().registering.lock();
  forks().handled.callEach(&ForkHandlers::before);
  forks().mutexes.callEach(&ForkHandlers::before);
}

void resumeParent() {
  forks().mutexes.callEach(&ForkHandlers::inParent);
  forks().handled.callEach(&ForkHandlers::inParent);
  forks().registering.unlock();
  forks().gate.unlock();
}

/// The mutexes first: handlers take them.
void beginChild() {
  // The C library identifies the owner of such a lock by its thread id, which differs in the child.
  new (&forks().registering) std::mutex;
  new (&forks().gate) std::shared_mutex;
  forks().mutexes.callEach(&ForkHandlers::inChild);
  forks().handled.callEach(&ForkHandlers::inChild);
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

AtForks::AtForks(void *object, const ForkHandlers &handlers) : object(object), handlers(handlers) {
  const std::lock_guard lock(forks().registering);
  forks().handled.add(*this);
}

AtForks::AtForks(const OfMutex &mutex) : object(mutex.object), handlers(mutex.handlers), isOfMutex(true) {
  const std::lock_guard lock(forks().registering);
  forks().mutexes.add(*this);
}

AtForks::~AtForks() {
  const std::lock_guard lock(forks().registering);
  (isOfMutex ? forks().mutexes : forks().handled).remove(*this);
}

namespace {

constexpr ForkHandlers shortly{[](void *self) { static_cast<ForkMutex *>(self)->lock(); },
                               [](void *self) { static_cast<ForkMutex *>(self)->unlock(); },
                               [](void *self) { static_cast<ForkMutex *>(self)->renew(); }};
constexpr ForkHandlers overWork{.inChild = [](void *self) { static_cast<ForkMutex *>(self)->renew(); }};

} // namespace

ForkMutex::ForkMutex(Held held) : atForks(AtForks::OfMutex{this, held == Held::Shortly ? shortly : overWork}) {}
ForkMutex::~ForkMutex() = default;
void ForkMutex::renew() { new (&mutex) std::mutex; }

} // namespace treadle

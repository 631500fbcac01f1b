// Forks: work that a fork must not interrupt, and what is repaired in the child.
#pragma once

#include "support/export.h"

#include <mutex>

namespace treadle {

/// Forks wait while one exists: locks that its thread takes are free in the child, and data that it changes is
/// consistent there. Its thread must not wait for the host's lock, which the forking thread may hold.
class TREADLE_API ForkGate {
public:
  ForkGate();
  ~ForkGate();
  ForkGate(const ForkGate &) = delete;
  ForkGate &operator=(const ForkGate &) = delete;
};

/// The handlers of one object around a fork. Only the thread that forked exists in the child.
struct ForkHandlers {
  void (*before)(void *object) = nullptr;   ///< before the fork: takes locks
  void (*inParent)(void *object) = nullptr; ///< after it: releases them
  /// Releases them in the child, and repairs the state of threads that exist only in the parent: their locks, flags,
  /// nesting depths and unfinished work. May allocate; must not destroy anything that may take another object's lock.
  void (*inChild)(void *object) = nullptr;
};

/// Registers an object's handlers for the lifetime of this. They run in order of registration, so an object whose lock
/// is held while another object's lock is taken must register first.
class TREADLE_API AtForks {
public:
  AtForks(void *object, const ForkHandlers &handlers);
  ~AtForks();
  AtForks(const AtForks &) = delete;
  AtForks &operator=(const AtForks &) = delete;

private:
  friend class ForkMutex;
  friend struct ForkList;
  struct OfMutex {
    void *object;
    const ForkHandlers &handlers;
  };
  explicit AtForks(const OfMutex &mutex);

  void *const object;
  const ForkHandlers handlers;
  const bool isOfMutex = false;
  AtForks *before = nullptr, *after = nullptr; ///< registered before and after it
};

/// A mutex that is free in the child of a fork, even if a thread of the parent held it.
class TREADLE_API ForkMutex {
public:
  enum class Held {
    /// For short critical sections: a fork waits until it is free, so that what it guards is consistent in the child.
    /// Its holder neither blocks nor takes another of the process's locks.
    Shortly,
    /// Held while work runs, for which forks do not wait: what it guards must be consistent at every moment.
    OverWork
  };
  explicit ForkMutex(Held held = Held::Shortly);
  ForkMutex(const ForkMutex &) = delete;
  ForkMutex &operator=(const ForkMutex &) = delete;
  ~ForkMutex();

  void lock() { mutex.lock(); }
  bool try_lock() { return mutex.try_lock(); } // NOLINT(readability-identifier-naming): as std::lock wants it
  void unlock() { mutex.unlock(); }
  /// In the child: free, even if another thread held it.
  void renew();

private:
  std::mutex mutex;
  const AtForks atForks;
};

} // namespace treadle

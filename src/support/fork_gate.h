// Forks: work that a fork must not cut in two, and what is put right in the child.
#pragma once

#include "support/export.h"

namespace treadle {

/// While one lives, a fork waits: locks that its thread takes meanwhile are free in the child, and what it changes is
/// whole there. Its thread must not wait for the host's lock, which the forking thread may hold.
class TREADLE_API ForkGate {
public:
  ForkGate();
  ~ForkGate();
  ForkGate(const ForkGate &) = delete;
  ForkGate &operator=(const ForkGate &) = delete;
};

/// What a fork does to one object. The child has only the thread that forked.
struct ForkHandlers {
  void (*before)(void *object) = nullptr;   ///< before the fork: takes locks
  void (*inParent)(void *object) = nullptr; ///< after it: gives them back
  /// Gives them back in the child, and puts right what threads of the parent owned, which are not there. May allocate.
  void (*inChild)(void *object) = nullptr;
};

/// Has forks handle an object for as long as this lives. Objects are handled in the order in which they registered, so
/// an object whose lock is held while another one's is taken has to register first.
class TREADLE_API AtForks {
public:
  AtForks(void *object, const ForkHandlers &handlers);
  ~AtForks();
  AtForks(const AtForks &) = delete;
  AtForks &operator=(const AtForks &) = delete;
};

} // namespace treadle

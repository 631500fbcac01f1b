// Forks: work that a fork must not interrupt, and what is repaired in the child.
#pragma once

#include "support/export.h"

namespace treadle {

/// While one exists, forks wait: locks that its thread takes meanwhile are free in the child, and the data it changes
/// is consistent there. Its thread must not wait for the host's lock, which the forking thread may hold.
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
  /// Releases them in the child, and repairs what the parent's other threads owned. May allocate.
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
};

} // namespace treadle

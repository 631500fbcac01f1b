// Forks: which process this is, without a system call, and work that a fork must not cut in two.
#pragma once

#include "support/export.h"

#include <cstdint>

namespace treadle {

/// How many forks lie between this process and the one that first asked: it changes in the child, whose only thread is
/// the one that forked.
TREADLE_API uint32_t forkCount();

/// While one lives, a fork waits: locks that its thread takes meanwhile are free in the child, and what it changes is
/// whole. It must not wait for the host's lock, which who forks may hold.
class TREADLE_API ForkGate {
public:
  ForkGate();
  ~ForkGate();
  ForkGate(const ForkGate &) = delete;
  ForkGate &operator=(const ForkGate &) = delete;
};

/// `lock` and `unlock` are called around each fork, in the parent and, `unlock`, in the child: for locks that are taken
/// on threads without a gate. In the order of registration.
TREADLE_API void lockDuringForks(void *object, void (*lock)(void *), void (*unlock)(void *));

} // namespace treadle

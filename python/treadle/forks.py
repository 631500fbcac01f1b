"""Locks that are free in the child of a fork, even if a thread of the parent held them."""

import os
from _thread import RLock

_locks: list["ForkLock"] = []


class ForkLock:
    """A reentrant lock that lives as long as the process. Forks do not wait for it: `abandoned` is called in a child if
    another thread of the parent held it, and undoes what that thread had begun."""

    def __init__(self, abandoned=None):
        self._lock = RLock()
        self._abandoned = abandoned
        _locks.append(self)

    def __enter__(self):
        self._lock.acquire()

    def __exit__(self, *_):
        self._lock.release()

    def _begin_child(self):
        if self._lock.acquire(blocking=False):  # free, or held by this thread
            self._lock.release()
            return
        self._lock = RLock()
        if self._abandoned is not None:
            self._abandoned()


def _begin_child():
    for lock in _locks:
        lock._begin_child()


os.register_at_fork(after_in_child=_begin_child)

// A list without locks: whoever drops a reference puts it in front, whoever has the GIL takes the whole list.
#include "python/held_reference.h"

#include <atomic>
#include <utility>

namespace treadle::python {

namespace {

struct Waiting {
  PyObject *object;
  Waiting *next;
};

/// Of the process, as Python is. Never destroyed.
std::atomic<Waiting *> &waitingList() {
  static auto *const list = new std::atomic<Waiting *>(nullptr);
  return *list;
}

void letGo(const void *object) {
  auto *waiting = new Waiting{static_cast<PyObject *>(const_cast<void *>(object)), waitingList().load()};
  while (!waitingList().compare_exchange_weak(waiting->next, waiting))
    ;
}

} // namespace

std::shared_ptr<const void> heldReference(PyObject *object) {
  return {static_cast<const void *>(Py_NewRef(object)), letGo};
}

void releaseHeldReferences() {
  if (waitingList().load(std::memory_order_relaxed) == nullptr) [[likely]]
    return;
  // Dropping a reference may run Python code, which may come here again: the list is this call's alone.
  for (Waiting *waiting = waitingList().exchange(nullptr); waiting;) {
    Py_DECREF(waiting->object);
    delete std::exchange(waiting, waiting->next);
  }
}

} // namespace treadle::python

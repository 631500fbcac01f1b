// A list without locks: dropping a reference adds it at the front, and a thread with the GIL takes the whole list.
#include "python/host/held_reference.h"

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

/// Those that are held; guarded by the GIL. Never destroyed.
std::vector<HeldWhileQueued *> &heldOnes() {
  static auto *const held = new std::vector<HeldWhileQueued *>;
  return *held;
}

/// Launches between two looks at what has run.
constexpr uint32_t callsBetweenLooks = 64;

void letGo(const void *object) {
  auto *waiting = new Waiting{static_cast<PyObject *>(const_cast<void *>(object)), waitingList().load()};
  while (!waitingList().compare_exchange_weak(waiting->next, waiting))
    ;
}

} // namespace

std::shared_ptr<const void> heldReference(PyObject *object) {
  return {static_cast<const void *>(Py_NewRef(object)), letGo};
}

void HeldWhileQueued::use(const StreamPoint &point) {
  noteUse(uses, point);
  if (isHeld)
    return;
  heldOnes().push_back(this);
  isHeld = true;
  Py_INCREF(object);
}

std::shared_ptr<const LaunchOrigin> HeldWhileQueued::hold() {
  failures.fetch_add(1);
  return {this, [](HeldWhileQueued *held) { held->failures.fetch_sub(1); }};
}

bool HeldWhileQueued::isFree() {
  std::erase_if(uses, [](const StreamPoint &point) { return point.isComplete(); });
  return uses.empty() && failures.load() == 0;
}

void releaseFinished() {
  std::vector<PyObject *> free;
  std::erase_if(heldOnes(), [&](HeldWhileQueued *held) {
    if (!held->isFree())
      return false;
    held->isHeld = false;
    free.push_back(held->object);
    return true;
  });
  for (PyObject *object : free)
    Py_DECREF(object);
  // Dropping a reference may run Python code, which may come here again: the list is this call's alone.
  for (Waiting *waiting = waitingList().exchange(nullptr); waiting;) {
    Py_DECREF(waiting->object);
    delete std::exchange(waiting, waiting->next);
  }
}

void releaseHeldReferences() {
  static uint32_t calls = 0; // guarded by the GIL
  const bool looks = ++calls % callsBetweenLooks == 0 && !heldOnes().empty();
  if (looks || waitingList().load(std::memory_order_relaxed)) [[unlikely]]
    releaseFinished();
}

} // namespace treadle::python

// A lock-free list: dropping a reference pushes it to the front, and a thread with the GIL takes the whole list.
#include "python/host/held_reference.h"

#include "runtime/runtime.h"

#include <algorithm>
#include <utility>

namespace treadle::python {

namespace {

void letGo(const void *object) {
  std::atomic<HeldReferences::Waiting *> &list = HeldReferences::instance().waiting;
  auto *waiting = new HeldReferences::Waiting{static_cast<PyObject *>(const_cast<void *>(object)), list.load()};
  while (!list.compare_exchange_weak(waiting->next, waiting))
    ;
}

/// Owners of memory, including foreign ones, whose deleters may call Python, are dropped under no lock.
void letGoOfMemory(const void *object) {
  if (holdsGil())
    Py_DECREF(static_cast<PyObject *>(const_cast<void *>(object)));
  else
    letGo(object);
}

} // namespace

/// PyGILState_Check returns 1 on every thread once there was a second interpreter.
bool holdsGil() {
#if PY_VERSION_HEX >= 0x030D0000
  PyThreadState *const current = PyThreadState_GetUnchecked();
#else
  PyThreadState *const current = _PyThreadState_UncheckedGet();
#endif
  return current && current == PyGILState_GetThisThreadState();
}

std::shared_ptr<const void> heldReference(PyObject *object) {
  return {static_cast<const void *>(Py_NewRef(object)), letGo};
}

KeptMemory heldMemory(PyObject *object) { return {Py_NewRef(object), {letGoOfMemory}}; }

PyObject *heldObject(const KeptMemory &memory) {
  const bool isPythons = memory && memory.get_deleter().drop == letGoOfMemory;
  return isPythons ? static_cast<PyObject *>(const_cast<void *>(memory.get())) : nullptr;
}

void HeldWhileQueued::use(const std::shared_ptr<StreamTimeline> &timeline, uint64_t position) {
  noteUse(uses, timeline, position);
  isUsed();
}

void HeldWhileQueued::keep() {
  HeldReferences::instance().whileQueued.push_back(this);
  isHeld = true;
  Py_INCREF(object);
}

std::shared_ptr<const LaunchOrigin> HeldWhileQueued::hold() {
  failures.fetch_add(1);
  return {this, [](HeldWhileQueued *held) { held->failures.fetch_sub(1); }};
}

bool HeldWhileQueued::isFree() {
  std::erase_if(uses, [](const StreamPoint &point) { return point.isComplete(); });
  shared.dropFinished();
  return uses.empty() && failures.load() == 0 &&
         std::ranges::all_of(shared.all(), [](const auto &use) { return use->point().isComplete(); });
}

void releaseFinished() {
  std::vector<PyObject *> free;
  std::erase_if(HeldReferences::instance().whileQueued, [&](HeldWhileQueued *held) {
    if (!held->isFree())
      return false;
    held->isHeld = false;
    free.push_back(held->object);
    return true;
  });
  for (PyObject *object : free)
    Py_DECREF(object);
  Runtime::instance().returnLent();
  // Dropping a reference may run Python code that reenters this function: the list belongs to this call only.
  for (auto *waiting = HeldReferences::instance().waiting.exchange(nullptr); waiting;) {
    Py_DECREF(waiting->object);
    delete std::exchange(waiting, waiting->next);
  }
}

} // namespace treadle::python

// References to Python objects that other threads may drop without the GIL.
#pragma once

#include <Python.h>

#include "launch/arguments.h"
#include "memory/memory_block.h"

#include <atomic>
#include <memory>
#include <vector>

namespace treadle::python {

/// Keeps the object alive. When the last copy is dropped, on any thread, the reference waits until a thread with the
/// GIL calls `releaseHeldReferences`. Making one needs the GIL.
std::shared_ptr<const void> heldReference(PyObject *object);
/// Whether the calling thread holds the GIL.
bool holdsGil();
/// The same for the owner of memory; a thread that holds the GIL drops it at once.
KeptMemory heldMemory(PyObject *object);
/// The object of `heldMemory`; null for other kinds of owners.
PyObject *heldObject(const KeptMemory &memory);

/// A part of a Python object that makes launches: keeps the object alive while one of them is queued.
///
/// The threads of streams do not count references for that, as updating a count in two threads makes their caches
/// contend. Instead, this records up to which point of which stream the object is used; `releaseFinished`, which holds
/// the GIL, checks which points are complete.
class HeldWhileQueued : public LaunchMaker {
public:
  explicit HeldWhileQueued(PyObject *object) : LaunchMaker(false), object(object) {}
  HeldWhileQueued(const HeldWhileQueued &) = delete;
  HeldWhileQueued &operator=(const HeldWhileQueued &) = delete;
  virtual ~HeldWhileQueued() = default;

  // Precondition: the GIL is held.
  void use(const std::shared_ptr<StreamTimeline> &timeline, uint64_t position) override;
  void share(std::shared_ptr<const SharedUse> use) override { shared.add(std::move(use), uses); }
  std::shared_ptr<const LaunchOrigin> hold() override;

private:
  friend void releaseFinished();
  bool isFree();
  void keep() override;

  PyObject *const object;
  std::vector<StreamPoint> uses; ///< guarded by the GIL, as `isHeld`, a reference to `object`, and the next
  SharedUses shared;
  std::atomic<uint32_t> failures{0}; ///< QueuedFailures that refer to the object and are not reported yet
};

/// Drops the waiting references, and checks which launches have run. Needs the GIL.
void releaseFinished();

/// Process-wide, as Python is; guarded by the GIL except for the list.
struct HeldReferences {
  struct Waiting {
    PyObject *object;
    Waiting *next;
  };
  std::atomic<Waiting *> waiting{nullptr};
  std::vector<HeldWhileQueued *> whileQueued;
  uint32_t calls = 0;

  /// Never destroyed.
  static HeldReferences &instance() {
    static auto *const references = new HeldReferences;
    return *references;
  }
};

/// The same, but checks only every few calls. Costs one load if no reference waits.
inline void releaseHeldReferences() {
  constexpr uint32_t callsBetweenLooks = 64;
  HeldReferences &references = HeldReferences::instance();
  const bool looks = ++references.calls % callsBetweenLooks == 0 && !references.whileQueued.empty();
  if (looks || references.waiting.load(std::memory_order_relaxed)) [[unlikely]]
    releaseFinished();
}

} // namespace treadle::python

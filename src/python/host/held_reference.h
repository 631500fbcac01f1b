// References to Python objects that other threads may drop, without the GIL.
#pragma once

#include <Python.h>

#include "launch/arguments.h"
#include "memory/memory_block.h"

#include <atomic>
#include <memory>
#include <vector>

namespace treadle::python {

/// Keeps the object alive. Wherever the last copy is dropped, the reference waits until a thread with the GIL calls
/// `releaseHeldReferences`. Making one needs the GIL.
std::shared_ptr<const void> heldReference(PyObject *object);
/// Whether the calling thread holds the GIL.
bool holdsGil();
/// The same for the owner of memory, which is dropped at once by a thread that has the GIL.
KeptMemory heldMemory(PyObject *object);
/// The object of `heldMemory`; null for what others keep.
PyObject *heldObject(const KeptMemory &memory);

/// A part of a Python object that makes launches: keeps the object alive while one of them is queued.
///
/// The threads of streams do not count references for that, as counting in two threads makes each wait for the other's
/// cache. Instead, this records up to which point of which stream the object is used; `releaseFinished`, which holds
/// the GIL, checks which points are complete.
class HeldWhileQueued : public LaunchMaker {
public:
  explicit HeldWhileQueued(PyObject *object) : object(object) {}
  HeldWhileQueued(const HeldWhileQueued &) = delete;
  HeldWhileQueued &operator=(const HeldWhileQueued &) = delete;
  virtual ~HeldWhileQueued() = default;

  // With the GIL.
  void use(const std::shared_ptr<StreamTimeline> &timeline, uint64_t position) override;
  void share(std::shared_ptr<const SharedUse> use) override { shared.push_back(std::move(use)); }
  void isUsed() override {
    if (!isHeld) [[unlikely]]
      keep();
  }
  std::shared_ptr<const LaunchOrigin> hold() override;

private:
  friend void releaseFinished();
  bool isFree();
  void keep();

  PyObject *const object;
  std::vector<StreamPoint> uses; ///< guarded by the GIL, as the next two
  std::vector<std::shared_ptr<const SharedUse>> shared;
  bool isHeld = false;               ///< `object` has one more reference
  std::atomic<uint32_t> failures{0}; ///< QueuedFailures that are to be told with the object
};

/// Drops the references that wait, and checks which launches have run. Needs the GIL.
void releaseFinished();

/// Of the process, as Python is; guarded by the GIL but for the list.
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

/// The same, but checks only every so many calls. Costs one load if no reference waits.
inline void releaseHeldReferences() {
  constexpr uint32_t callsBetweenLooks = 64;
  HeldReferences &references = HeldReferences::instance();
  const bool looks = ++references.calls % callsBetweenLooks == 0 && !references.whileQueued.empty();
  if (looks || references.waiting.load(std::memory_order_relaxed)) [[unlikely]]
    releaseFinished();
}

} // namespace treadle::python

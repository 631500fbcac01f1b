// References to Python objects that other threads may drop, without the GIL.
#pragma once

#include <Python.h>

#include "launch/arguments.h"

#include <atomic>
#include <memory>
#include <vector>

namespace treadle::python {

/// Keeps the object alive. Wherever the last copy is dropped, the reference waits until a thread with the GIL calls
/// `releaseHeldReferences`. Making one needs the GIL.
std::shared_ptr<const void> heldReference(PyObject *object);

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

  /// With the GIL.
  void use(const StreamPoint &point) override;
  std::shared_ptr<const LaunchOrigin> hold() override;

private:
  friend void releaseFinished();
  bool isFree();

  PyObject *const object;
  std::vector<StreamPoint> uses;     ///< guarded by the GIL, as isHeld
  bool isHeld = false;               ///< `object` has one more reference
  std::atomic<uint32_t> failures{0}; ///< QueuedFailures that are to be told with the object
};

/// Drops the references that wait. Needs the GIL. Costs one load if there are none; checks which launches have run only
/// every so many calls.
void releaseHeldReferences();
/// Checks on every call, as after a synchronisation.
void releaseFinished();

} // namespace treadle::python

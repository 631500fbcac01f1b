// References to Python objects that other threads let go of, without the GIL.
#pragma once

#include <Python.h>

#include "device/stream.h"

#include <atomic>
#include <memory>
#include <vector>

namespace treadle::python {

/// Keeps the object alive. Wherever the last copy goes, the reference waits until a thread with the GIL comes by
/// `releaseHeldReferences`. Needs the GIL to be made.
std::shared_ptr<const void> heldReference(PyObject *object);

/// A part of a Python object that makes launches: keeps the object alive while one of them is queued.
///
/// The threads of streams do not count references for that, as counting in two threads makes each wait for the other's
/// cache. Here it is noted up to which point of which stream the object is used; whoever has the GIL and comes by
/// looks which points are complete.
class HeldWhileQueued : public LaunchOrigin {
public:
  explicit HeldWhileQueued(PyObject *object) : object(object) {}
  HeldWhileQueued(const HeldWhileQueued &) = delete;
  HeldWhileQueued &operator=(const HeldWhileQueued &) = delete;
  virtual ~HeldWhileQueued() = default;

  /// With the GIL.
  void use(const StreamPoint &point);
  std::shared_ptr<const LaunchOrigin> hold() override;

private:
  friend void releaseFinished();
  bool isFree();

  PyObject *const object;
  std::vector<StreamPoint> uses;     ///< guarded by the GIL, as isHeld
  bool isHeld = false;               ///< `object` has one more reference
  std::atomic<uint32_t> failures{0}; ///< QueuedFailures that are to be told with the object
};

/// Gives back the references that wait. Needs the GIL. Costs a load where there are none, and looks for launches that
/// have run only now and then.
void releaseHeldReferences();
/// Looks in any case, as behind a synchronisation.
void releaseFinished();

} // namespace treadle::python

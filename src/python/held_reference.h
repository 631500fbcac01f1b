// References to Python objects that other threads let go of, without the GIL.
#pragma once

#include <Python.h>

#include <memory>

namespace treadle::python {

/// Keeps the object alive. Wherever the last copy goes, the reference waits until a thread with the GIL comes by
/// `releaseHeldReferences`. Needs the GIL to be made.
std::shared_ptr<const void> heldReference(PyObject *object);

/// Gives back the references that wait. Needs the GIL. Costs a load where there are none.
void releaseHeldReferences();

} // namespace treadle::python

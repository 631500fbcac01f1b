// treadle._core.BoundLaunch: a launcher with its arguments, which launches them when it is called.
#pragma once

#include "python/launch/launcher_object.h"

#include <Python.h>

namespace treadle::python {

/// `launcher.bind(*arguments)`. Null with a Python error.
PyObject *bindArguments(PyObject *launcher, PyObject *const *arguments, Py_ssize_t count);
bool addBoundType(PyObject *module);

} // namespace treadle::python

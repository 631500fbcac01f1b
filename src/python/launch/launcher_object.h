// treadle._core.Launcher: a kernel with its configuration, which launches it when it is called.
#pragma once

#include "python/host/held_reference.h"
#include "python/launch/dispatcher_object.h"
#include "python/launch/prepared_launches.h"

#include <Python.h>

namespace treadle::python {

/// Immutable but for what `held` and `prepared` note.
struct LauncherObject {
  PyObject_HEAD vectorcallfunc call;
  DispatcherObject *kernel; ///< owned
  ConfiguredLaunch launch;
  HeldWhileQueued *held;      ///< owned
  PreparedLaunches *prepared; ///< owned
};

/// `kernel[key]`: the kernel's last launcher where the configuration is the same, else a new one. Null with a Python
/// error.
PyObject *configure(PyObject *dispatcher, PyObject *key);
bool addLauncherType(PyObject *module);

} // namespace treadle::python

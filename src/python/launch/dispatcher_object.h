// treadle._core.Dispatcher: a raw C type, so that a launch costs only tens of ns besides the kernel.
#pragma once

#include "launch/dispatcher.h"
#include "launch/launch_counts.h"

#include <Python.h>

namespace treadle::python {

class PythonProgram;
struct LauncherObject;

/// Base of treadle.kernels.dispatcher.Dispatcher. `kernel[grid, block]` returns a Launcher, the last of which is
/// cached.
struct DispatcherObject {
  PyObject_HEAD Dispatcher *dispatcher; ///< owned
  PythonProgram *program;               ///< the dispatcher's
  PyObject *function;                   ///< the plain Python function
  LauncherObject *last;                 ///< owned; a reference cycle, which the garbage collector can traverse
  unsigned parameters;                  ///< positional ones
  bool takesMore;                       ///< has *args
  PyObject *weakReferences;
  LaunchCounts *counts; ///< owned
};

/// Created by `addDispatcherTypes`; never freed.
PyTypeObject *dispatcherType();

/// Adds the classes Dispatcher and Launcher to the module. False: a Python error is set.
bool addDispatcherTypes(PyObject *module);

/// The dispatcher of a Python object; throws nanobind::type_error if it is not one.
Dispatcher &dispatcherOf(PyObject *object);
/// The counts of its launches; throws likewise.
const LaunchCounts &launchCountsOf(PyObject *object);

} // namespace treadle::python

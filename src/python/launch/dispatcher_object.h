// treadle._core.Dispatcher: a raw C type, so that a launch costs tens of ns above the kernel.
#pragma once

#include "launch/dispatcher.h"
#include "launch/launch_counts.h"

#include <Python.h>

namespace treadle::python {

class PythonProgram;
struct LauncherObject;

/// Base of treadle.jit.Dispatcher. `kernel[grid, block]` returns a Launcher, the last of which is kept.
struct DispatcherObject {
  PyObject_HEAD Dispatcher *dispatcher; ///< owned
  PythonProgram *program;               ///< the dispatcher's
  PyObject *function;                   ///< the plain Python function
  LauncherObject *last;                 ///< owned; it refers back: the garbage collector knows both types
  unsigned parameters;                  ///< positional ones
  bool takesMore;                       ///< has *args
  PyObject *weakReferences;
  LaunchCounts *counts; ///< owned
};

/// Created by `addDispatcherTypes`; never freed.
PyTypeObject *dispatcherType();

/// Adds the classes Dispatcher and Launcher to the module. False: a Python error is set.
bool addDispatcherTypes(PyObject *module);

/// The dispatcher behind a Python object; throws nanobind::type_error where it is none.
Dispatcher &dispatcherOf(PyObject *object);
/// Its launches so far; throws likewise.
const LaunchCounts &launchCountsOf(PyObject *object);

} // namespace treadle::python

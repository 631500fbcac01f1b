// treadle._core.Dispatcher and Launcher: raw C types, so that a launch costs tens of ns above the kernel.
#pragma once

#include "launch/dispatcher.h"
#include "python/held_reference.h"

#include <Python.h>

#include <string>
#include <vector>

namespace treadle::python {

class PythonProgram;
struct LauncherObject;
class PythonProgram;

/// Base of treadle.jit.Dispatcher. `kernel[grid, block]` gives a Launcher, the last of which is kept.
struct DispatcherObject {
  PyObject_HEAD Dispatcher *dispatcher; ///< owned
  PythonProgram *program;               ///< the dispatcher's
  PyObject *function;                   ///< the plain Python function
  LauncherObject *last;                 ///< owned; it refers back: the garbage collector knows both types
  unsigned parameters;                  ///< positional ones
  bool takesMore;                       ///< has *args
  bool isKernel;                        ///< false: a device function, which cannot be launched
  PyObject *weakReferences;
};

/// A kernel with its configuration. Immutable but for what `held` notes.
struct LauncherObject {
  PyObject_HEAD vectorcallfunc call;
  DispatcherObject *kernel; ///< owned
  ConfiguredLaunch launch;
  HeldWhileQueued *held; ///< owned
};

/// Created by `addDispatcherTypes`; never freed.
PyTypeObject *dispatcherType();

/// Adds the classes Dispatcher and Launcher to the module. False: a Python error is set.
bool addDispatcherTypes(PyObject *module);

/// The dispatcher behind a Python object; throws nanobind::type_error where it is none.
Dispatcher &dispatcherOf(PyObject *object);

/// launcher_object.cpp
PyObject *launchKernel(PyObject *launcher, PyObject *const *arguments, size_t count, PyObject *names);
PyObject *configure(PyObject *dispatcher, PyObject *key);
bool addLauncherType(PyObject *module);

} // namespace treadle::python

// treadle._core.Launcher: a kernel with its configuration, which launches it when it is called.
#pragma once

#include "python/host/held_reference.h"
#include "python/launch/dispatcher_object.h"
#include "python/launch/prepared_launches.h"

#include <Python.h>

#include <optional>
#include <span>
#include <vector>

namespace treadle::python {

class ArgumentReader;

/// Immutable but for what `held`, `prepared` and `count` note.
struct LauncherObject {
  PyObject_HEAD vectorcallfunc call;
  DispatcherObject *kernel; ///< owned
  ConfiguredLaunch launch;
  HeldWhileQueued *held;      ///< owned
  PreparedLaunches *prepared; ///< owned
  uint64_t *count;            ///< of launches with this configuration; the kernel's
};

/// `kernel[key]`: the kernel's last launcher where the configuration is the same, else a new one. Null with a Python
/// error.
PyObject *configure(PyObject *dispatcher, PyObject *key);
bool addLauncherType(PyObject *module);

// Also for launches that keep their arguments.

/// False: a Python error is set.
bool readArguments(ArgumentReader &reader, const DispatcherObject &kernel, std::span<PyObject *const> arguments);
bool readArgument(ArgumentReader &reader, const DispatcherObject &kernel, unsigned index, PyObject *value);
/// Makes a launch again, within a use of what was found.
LaunchOutcome launchAgain(LauncherObject &launcher, const PreparedLaunches::Found &found);
/// Reads the arguments and launches, within a use of the launcher's prepared launches, of which this may become one.
/// Nothing if a Python error is set.
std::optional<LaunchOutcome> readAndLaunch(LauncherObject &launcher, std::span<PyObject *const> arguments);
/// In a handler of what a launch has thrown: sets the Python error.
void raiseFailure(const LauncherObject &launcher) noexcept;

} // namespace treadle::python

// treadle._core.Launcher: a kernel with its launch configuration; calling it launches.
#pragma once

#include "launch/repeated_launch.h"
#include "python/host/held_reference.h"
#include "python/launch/dispatcher_object.h"

#include <Python.h>

#include <optional>
#include <span>

namespace treadle::python {

class ArgumentReader;

/// Immutable, except for the bookkeeping in `held`, `repeated` and `count`.
struct LauncherObject {
  PyObject_HEAD vectorcallfunc call;
  DispatcherObject *kernel; ///< owned
  ConfiguredLaunch launch;
  HeldWhileQueued *held;      ///< owned
  RepeatedLaunches *repeated; ///< owned; guarded by the GIL
  uint64_t *count;            ///< launch counter of this configuration, in the kernel's LaunchCounts
};

/// `kernel[key]`: the kernel's last launcher if the configuration is the same, else a new one. Null with a Python
/// error.
PyObject *configure(PyObject *dispatcher, PyObject *key);
bool addLauncherType(PyObject *module);

// Also used by bound launches.

/// False: a Python error is set.
bool readArguments(ArgumentReader &reader, const DispatcherObject &kernel, std::span<PyObject *const> arguments);
bool readArgument(ArgumentReader &reader, const DispatcherObject &kernel, unsigned index, PyObject *value);
/// A launch that can be made again, within the Use of `repeated` in which it was found.
struct FoundLaunch {
  const RepeatedLaunch *launch = nullptr; ///< null: none
  const char *parameters = nullptr;       ///< with the numbers of this launch
};
/// `room`: for the parameters, of RepeatedLaunch::maxBytes.
FoundLaunch findLaunch(LauncherObject &launcher, std::span<PyObject *const> arguments, char *room);
LaunchOutcome launchAgain(LauncherObject &launcher, const FoundLaunch &found);
/// Reads the arguments and launches, within a Use of `repeated`, which this launch may join. Nothing
/// if a Python error is set.
std::optional<LaunchOutcome> readAndLaunch(LauncherObject &launcher, std::span<PyObject *const> arguments);
/// In an exception handler around a launch: sets the Python error.
void raiseFailure(const LauncherObject &launcher) noexcept;

} // namespace treadle::python

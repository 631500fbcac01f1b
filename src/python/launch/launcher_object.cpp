// Launches: from a vectorcall to Dispatcher::launch.
#include "python/launch/launcher_object.h"

#include "launch/launch_facts.h"
#include "python/host/errors.h"
#include "python/host/gil_lock.h"
#include "python/host/object_access.h"
#include "python/host/stream_object.h"
#include "python/launch/argument_key.h"
#include "python/launch/argument_reader.h"
#include "python/launch/bound_object.h"
#include "python/launch/config_reader.h"
#include "python/launch/python_program.h"
#include "runtime/runtime.h"
#include "support/settings.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fmt/core.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <optional>
#include <structmember.h>

namespace nb = nanobind;

namespace treadle::python {

namespace {

PyTypeObject *&launcherType() {
  static PyTypeObject *type = nullptr;
  return type;
}

PyCodeObject *codeOf(const DispatcherObject &kernel) {
  return reinterpret_cast<PyCodeObject *>(PyFunction_GET_CODE(kernel.function));
}

const char *nameOf(const DispatcherObject &kernel) { return kernel.dispatcher->options().name.c_str(); }

/// A function of treadle/source/raising.py.
nb::object inRaising(const char *function) { return memberOf("treadle.source.raising", function); }

/// TypeError: which argument is invalid, and why. An error raised while reading stays set.
void refuseArgument(const DispatcherObject &kernel, unsigned index, PyObject *value, const std::string &problem) {
  if (PyErr_Occurred())
    return;
  const nb::object parameter = inRaising("parameter")(nb::handle(kernel.function), index);
  PyErr_Format(PyExc_TypeError, "%s: argument %u ('%U') is of type %.200s: %s", nameOf(kernel), index + 1,
               parameter.ptr(), Py_TYPE(value)->tp_name, problem.c_str());
}

void refuseCount(const DispatcherObject &kernel, size_t given) {
  const nb::object takes = inRaising("takes")(nb::handle(kernel.function));
  PyErr_Format(PyExc_TypeError, "%s takes %U, %zu given", nameOf(kernel), takes.ptr(), given);
}

} // namespace

bool readArgument(ArgumentReader &reader, const DispatcherObject &kernel, unsigned index, PyObject *value) {
  if (reader.read(value)) [[likely]]
    return true;
  refuseArgument(kernel, index, value, reader.problem());
  return false;
}

namespace {

/// The defaults of the parameters after the given ones.
bool readDefaults(ArgumentReader &reader, const DispatcherObject &kernel, size_t given) {
  PyObject *defaults = PyFunction_GET_DEFAULTS(kernel.function);
  const size_t missing = kernel.parameters - given;
  const size_t available = defaults ? size_t(PyTuple_GET_SIZE(defaults)) : 0;
  if (missing > available) {
    refuseCount(kernel, given);
    return false;
  }
  // The function's defaults may be replaced while these are read, or while the launch uses their memory.
  reader.hold(defaults);
  for (size_t i = given; i < kernel.parameters; ++i)
    if (!readArgument(reader, kernel, unsigned(i), PyTuple_GET_ITEM(defaults, available - (kernel.parameters - i))))
      return false;
  return true;
}

} // namespace

bool readArguments(ArgumentReader &reader, const DispatcherObject &kernel, std::span<PyObject *const> arguments) {
  const size_t count = arguments.size();
  if (count > kernel.parameters && !kernel.takesMore) [[unlikely]] {
    refuseCount(kernel, count);
    return false;
  }
  // Those after the last parameter are the items of *args.
  for (size_t i = 0; i < count; ++i)
    if (!readArgument(reader, kernel, unsigned(i), arguments[i])) [[unlikely]]
      return false;
  return count >= kernel.parameters || readDefaults(reader, kernel, count);
}

namespace {

std::string threadOf(const KernelFault &fault) {
  auto list = [](const uint32_t *numbers) { return fmt::format("[{}, {}, {}]", numbers[0], numbers[1], numbers[2]); };
  return fault.hasThread ? "tid=" + list(fault.thread) + " ctaid=" + list(fault.block) : "";
}

/// Raises the kernel's own exception.
void raiseNamed(const DispatcherObject &kernel, const KernelFault &fault) {
  const RaisedError &raised = fault.raised;
  const nb::handle found = kernel.program->objectBehind(raised.exceptionHandle);
  const nb::object error = inRaising("exception")(found.is_valid() ? found : nb::handle(Py_None),
                                                  nb::make_tuple(raised.qualifiedClass, raised.exceptionClass),
                                                  raised.arguments, threadOf(fault));
  PyErr_SetObject(error.type().ptr(), error.ptr());
}

/// IndexError, ZeroDivisionError or the like with the kernel's name, file and line, or the kernel's own exception.
void setFault(const DispatcherObject &kernel, const KernelFault &fault) {
  if (!fault.raised.exceptionClass.empty())
    return raiseNamed(kernel, fault);
  PyObject *error = fault.fault == Fault::IndexOutOfBounds ? PyExc_IndexError
                    : fault.fault == Fault::DivisionByZero ? PyExc_ZeroDivisionError
                    : fault.fault == Fault::TooDeep        ? PyExc_RecursionError
                    : fault.fault == Fault::HeapIsFull     ? PyExc_MemoryError
                                                           : PyExc_RuntimeError;
  const std::string thread = fault.hasThread ? ", in thread " + threadOf(fault) : "";
  PyErr_Format(error, "%s (%U): %s%s", nameOf(kernel), codeOf(kernel)->co_filename, fault.what(), thread.c_str());
}

/// For exception handlers of functions that Python calls: a failure in here replaces the error.
void raiseFault(const DispatcherObject &kernel, const KernelFault &fault) noexcept {
  try {
    setFault(kernel, fault);
  } catch (...) {
    raisePython(std::current_exception());
  }
}

/// A launcher as the origin of launches.
class LauncherOrigin final : public HeldWhileQueued {
public:
  explicit LauncherOrigin(LauncherObject &launcher)
      : HeldWhileQueued(reinterpret_cast<PyObject *>(&launcher)), launcher(launcher) {}

  void raise(const std::exception_ptr &failure) const override {
    try {
      std::rethrow_exception(failure);
    } catch (...) {
      raiseFailure(launcher);
    }
  }

private:
  const LauncherObject &launcher;
};

int traverseLauncher(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(reinterpret_cast<LauncherObject *>(self)->kernel);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

int clearLauncher(PyObject *self) {
  Py_CLEAR(reinterpret_cast<LauncherObject *>(self)->kernel);
  return 0;
}

void destroyLauncher(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clearLauncher(self);
  reinterpret_cast<LauncherObject *>(self)->launch.~ConfiguredLaunch();
  delete reinterpret_cast<LauncherObject *>(self)->held;
  delete reinterpret_cast<LauncherObject *>(self)->repeated;
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject *describeLauncher(PyObject *self) {
  const auto &launcher = *reinterpret_cast<LauncherObject *>(self);
  const LaunchConfig &config = launcher.launch.config;
  char cluster[64] = "";
  if (config.hasCluster)
    std::snprintf(cluster, sizeof cluster, ", (%u, %u, %u)", config.cluster[0], config.cluster[1], config.cluster[2]);
  return PyUnicode_FromFormat("<%s[(%u, %u, %u), (%u, %u, %u), 0, %u%s]>", nameOf(*launcher.kernel), config.grid[0],
                              config.grid[1], config.grid[2], config.block[0], config.block[1], config.block[2],
                              config.sharedBytes, cluster);
}

PyObject *asTuple(const uint32_t (&extents)[3]) { return Py_BuildValue("(III)", extents[0], extents[1], extents[2]); }

const LaunchConfig &configOf(PyObject *self) { return reinterpret_cast<LauncherObject *>(self)->launch.config; }

PyObject *clusterOf(PyObject *self, void *) {
  const LaunchConfig &config = configOf(self);
  return config.hasCluster ? asTuple(config.cluster) : Py_NewRef(Py_None);
}

/// For pickle: the kernel, indexed by the configuration.
PyObject *reduceLauncher(PyObject *self, PyObject *) {
  const auto &launcher = *reinterpret_cast<LauncherObject *>(self);
  if (launcher.launch.stream)
    return PyErr_Format(PyExc_TypeError, "cannot pickle a launch of %s on a stream: streams belong to a process",
                        nameOf(*launcher.kernel));
  const LaunchConfig &config = launcher.launch.config;
  PyObject *configure = PyObject_GetAttrString(reinterpret_cast<PyObject *>(launcher.kernel), "configure");
  return configure ? Py_BuildValue("N((III)(III)iIN)", configure, config.grid[0], config.grid[1], config.grid[2],
                                   config.block[0], config.block[1], config.block[2], 0, config.sharedBytes,
                                   clusterOf(self, nullptr))
                   : nullptr;
}

PyObject *gridOf(PyObject *self, void *) { return asTuple(configOf(self).grid); }
PyObject *blockOf(PyObject *self, void *) { return asTuple(configOf(self).block); }
PyObject *sharedBytesOf(PyObject *self, void *) { return PyLong_FromUnsignedLong(configOf(self).sharedBytes); }

/// For `inspect.signature`: the kernel's.
PyObject *signatureOf(PyObject *self, void *) {
  const nb::object inspect = nb::steal(PyImport_ImportModule("inspect"));
  if (!inspect)
    return nullptr;
  PyObject *const kernel = reinterpret_cast<PyObject *>(reinterpret_cast<LauncherObject *>(self)->kernel);
  return PyObject_CallMethod(inspect.ptr(), "signature", "O", kernel);
}

PyGetSetDef attributes[] = {
    {"__signature__", signatureOf, nullptr, nullptr, nullptr},
    {"griddim", gridOf, nullptr, "Blocks along x, y and z.", nullptr},
    {"blockdim", blockOf, nullptr, "Threads of a block along x, y and z.", nullptr},
    {"sharedmem", sharedBytesOf, nullptr, "Bytes of dynamic shared memory of a block.", nullptr},
    {"cluster", clusterOf, nullptr, "Blocks of a cluster along x, y and z; None: none was asked for.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"__reduce__", reduceLauncher, METH_NOARGS, nullptr},
    {"bind", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(bindArguments)), METH_FASTCALL,
     "bind($self, /, *args)\n--\n\nThe launch with these arguments: see `kernel.bind`."},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(LauncherObject, call), READONLY, nullptr},
    {"dispatcher", T_OBJECT_EX, offsetof(LauncherObject, kernel), READONLY, "The kernel that is launched."},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char *>("A kernel with its launch configuration; calling it launches.")},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyLauncher)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverseLauncher)},
    {Py_tp_clear, reinterpret_cast<void *>(clearLauncher)},
    {Py_tp_repr, reinterpret_cast<void *>(describeLauncher)},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, nullptr},
};

PyType_Spec spec = {
    "treadle._core.Launcher", sizeof(LauncherObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

/// `setting`: the kind of warnings.
bool wantsPerformanceWarnings(Setting setting) {
  return settingInteger(setting) != 0 && settingInteger(Setting::NoPerformanceWarnings) == 0;
}

/// GPUs are slow with few blocks; the CPU device is not. Emitted once per launcher, not per launch.
void warnOfFewBlocks(const Device &device, const LaunchConfig &config) {
  constexpr uint64_t enough = 128;
  if (config.blocks() < enough && device.parts.occupancy && wantsPerformanceWarnings(Setting::LowOccupancyWarnings))
    warn(
        "NumbaPerformanceWarning",
        fmt::format("Grid size {} will likely result in GPU under-utilization due to low occupancy.", config.blocks()));
}

void warnOfCopies(const Device &device) {
  if (device.hostArrays() == HostArrays::Staged && wantsPerformanceWarnings(Setting::ImplicitCopyWarnings))
    warn("NumbaPerformanceWarning", "Host array used in CUDA kernel will incur copy overhead to/from device.");
}

bool matches(const ConfiguredLaunch &launch, const RequestedConfig &requested, const NamedStream &stream) {
  return launch.stream == stream.stream && launch.isOfThread == stream.isOfThread &&
         isMadeFrom(launch.config, requested);
}

} // namespace

FoundLaunch findLaunch(LauncherObject &launcher, std::span<PyObject *const> arguments, char *room) {
  if (launcher.repeated->isEmpty() || arguments.size() > ArgumentKey::most)
    return {};
  const ArgumentKey key(arguments);
  const RepeatedLaunch *const launch = launcher.repeated->find(key.key(), [&launcher](const RepeatedLaunch &known) {
    return launcher.kernel->dispatcher->isCurrent(known, launcher.launch);
  });
  return launch ? FoundLaunch{launch, launch->parameters(key.numbers(), room)} : FoundLaunch();
}

LaunchOutcome launchAgain(LauncherObject &launcher, const FoundLaunch &found) {
  GilLock gil;
  const LaunchOutcome outcome = launcher.kernel->dispatcher->launch(*found.launch, found.parameters, gil);
  gil.acquire();
  return outcome;
}

namespace {

/// After a launch whose arguments were read: the next with the same arrays may find it.
void keepForRepetition(LauncherObject &launcher, std::span<PyObject *const> arguments, const ArgumentList &list) {
  if (list.usesHostMemory || arguments.size() > ArgumentKey::most || !std::ranges::all_of(arguments, isIdentifiable))
    return;
  launcher.repeated->consider(ArgumentKey(arguments).key(), [&] {
    std::unique_ptr<RepeatedLaunch> made =
        launcher.kernel->dispatcher->repeatable(launcher.launch, list, *launcher.held);
    for (size_t i = 0; made && i < arguments.size(); ++i)
      if (const std::optional<NumberCode> code = numberCodeOf(arguments[i]))
        made->addNumber(unsigned(i), *code);
    return made;
  });
}

} // namespace

[[gnu::noinline]] std::optional<LaunchOutcome> readAndLaunch(LauncherObject &launcher,
                                                             std::span<PyObject *const> arguments) {
  ArgumentList list;
  ArgumentReader reader(list);
  if (!launcher.launch.stream && !launcher.launch.isOfThread)
    reader.launchesOnDefaultStream();
  GilLock gil; // after the reader: what the reader owns may be dropped only with the GIL held
  if (!readArguments(reader, *launcher.kernel, arguments)) [[unlikely]]
    return std::nullopt;
  const Device &device = *launcher.launch.device;
  if (list.usesHostMemory && device.hostArrays() == HostArrays::Staged) [[unlikely]]
    warnOfCopies(device);
  Dispatcher &dispatcher = *launcher.kernel->dispatcher;
  const ArgumentOwners owners(list, *launcher.held);
  const LaunchOutcome outcome = dispatcher.launch(launcher.launch, list, list.usesHostMemory ? nullptr : &owners, gil);
  gil.acquire();
  // A captured one is kept already, or will be by a launch that is not captured.
  if (outcome != LaunchOutcome::Captured && arguments.size() == launcher.kernel->parameters)
    keepForRepetition(launcher, arguments, list);
  return outcome;
}

void raiseFailure(const LauncherObject &launcher) noexcept {
  try {
    throw;
  } catch (const KernelFault &fault) {
    raiseFault(*launcher.kernel, fault);
  } catch (...) {
    raisePython(std::current_exception());
  }
}

namespace {

PyObject *launchKernel(PyObject *self, PyObject *const *arguments, size_t flaggedCount, PyObject *names) {
  auto &launcher = *reinterpret_cast<LauncherObject *>(self);
  if (names && PyTuple_GET_SIZE(names) != 0) [[unlikely]]
    return PyErr_Format(PyExc_TypeError, "%s: kernels take positional arguments only, '%U' was given by name",
                        nameOf(*launcher.kernel), PyTuple_GET_ITEM(names, 0));
  try {
    releaseHeldReferences();
    alignas(16) char room[RepeatedLaunch::maxBytes];
    const RepeatedLaunches::Use use(*launcher.repeated);
    const std::span all(arguments, size_t(PyVectorcall_NARGS(flaggedCount)));
    const FoundLaunch found = findLaunch(launcher, all, room);
    std::optional<LaunchOutcome> outcome = found.launch ? launchAgain(launcher, found) : readAndLaunch(launcher, all);
    if (outcome == LaunchOutcome::MustBeKept) [[unlikely]]
      outcome = readAndLaunch(launcher, all);
    if (!outcome) [[unlikely]]
      return nullptr;
    ++*launcher.count;
    if (*outcome == LaunchOutcome::Interrupted) [[unlikely]]
      return raiseInterrupted();
  } catch (...) {
    raiseFailure(launcher);
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyObject *makeLauncher(DispatcherObject &kernel, ConfiguredLaunch launch) {
  auto *launcher = PyObject_GC_New(LauncherObject, launcherType());
  if (!launcher)
    return nullptr;
  launcher->call = launchKernel;
  launcher->kernel = reinterpret_cast<DispatcherObject *>(Py_NewRef(reinterpret_cast<PyObject *>(&kernel)));
  new (&launcher->launch) ConfiguredLaunch(std::move(launch));
  launcher->held = new LauncherOrigin(*launcher);
  launcher->repeated = new RepeatedLaunches;
  launcher->count = &kernel.counts->of(launcher->launch.config);
  PyObject_GC_Track(reinterpret_cast<PyObject *>(launcher));
  Py_XSETREF(kernel.last, reinterpret_cast<LauncherObject *>(Py_NewRef(reinterpret_cast<PyObject *>(launcher))));
  return reinterpret_cast<PyObject *>(launcher);
}

} // namespace

PyObject *configure(PyObject *self, PyObject *key) {
  auto &kernel = *reinterpret_cast<DispatcherObject *>(self);
  if (!kernel.dispatcher->options().isKernel)
    return PyErr_Format(PyExc_TypeError, "%s is a device function: kernels call it, it cannot be launched",
                        nameOf(kernel));
  RequestedConfig requested;
  NamedStream stream;
  try {
    if (!readConfig(key, requested, stream)) [[unlikely]]
      return nullptr;
    if (kernel.last && matches(kernel.last->launch, requested, stream)) [[likely]]
      return Py_NewRef(reinterpret_cast<PyObject *>(kernel.last));
    const Device &device = stream.stream ? stream.stream->device() : Runtime::instance().device();
    const LaunchConfig checked = checkLaunchConfig(requested, device.limits(), kernel.dispatcher->bounds());
    warnOfFewBlocks(device, checked);
    return makeLauncher(kernel, {checked, factsOf(checked), std::move(stream.stream), stream.isOfThread, &device});
  } catch (...) {
    raisePython(std::current_exception());
    return nullptr;
  }
}

bool addLauncherType(PyObject *module) {
  launcherType() = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return launcherType() && PyModule_AddObjectRef(module, "Launcher", reinterpret_cast<PyObject *>(launcherType())) == 0;
}

} // namespace treadle::python

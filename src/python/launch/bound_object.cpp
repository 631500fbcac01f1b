// Launches with stored arguments, which can be replaced one by one.
#include "python/launch/bound_object.h"

#include "launch/repeated_launch.h"
#include "python/arrays/device_array_object.h"
#include "python/host/errors.h"
#include "python/host/gil_lock.h"
#include "python/launch/argument_reader.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <structmember.h>
#include <utility>
#include <vector>

namespace treadle::python {

namespace {

/// The arguments of a bound launch, and its last launch.
struct Bound {
  std::vector<PyObject *> values; ///< owned, as the next; raw, as launches take an array of pointers
  std::vector<PyObject *> former; ///< replaced while a call was using them
  std::shared_ptr<const RepeatedLaunch> launch;
  std::vector<char> block;  ///< the parameters of `launch`
  bool isExchanged = false; ///< since `launch` was made
  /// Calls in progress, which may have released the GIL: `launch`, `block` and values stay meanwhile.
  unsigned inUse = 0;

  class Use {
  public:
    explicit Use(Bound &bound) : bound(bound) { ++bound.inUse; }
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;
    ~Use() { --bound.inUse; }

  private:
    Bound &bound;
  };
};

struct BoundObject {
  PyObject_HEAD vectorcallfunc call;
  LauncherObject *launcher; ///< owned
  Bound *bound;             ///< owned
};

PyTypeObject *&boundType() {
  static PyTypeObject *type = nullptr;
  return type;
}

BoundObject &fields(PyObject *self) { return *reinterpret_cast<BoundObject *>(self); }

Bound &boundOf(PyObject *self) { return *fields(self).bound; }

int traverseBound(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(fields(self).launcher);
  for (PyObject *value : boundOf(self).values)
    Py_VISIT(value);
  for (PyObject *value : boundOf(self).former)
    Py_VISIT(value);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

void dropAll(std::vector<PyObject *> &objects) {
  std::vector<PyObject *> all; // dropping one may run code that reenters this function
  all.swap(objects);
  for (PyObject *object : all)
    Py_DECREF(object);
}

int clearBound(PyObject *self) {
  boundOf(self).launch = nullptr; // it uses the arguments
  dropAll(boundOf(self).values);
  dropAll(boundOf(self).former);
  return 0;
}

/// Keeps objects alive for its lifetime.
class Held {
public:
  explicit Held(const std::vector<PyObject *> &objects) : objects(objects) {
    for (PyObject *object : objects)
      Py_INCREF(object);
  }
  Held(const Held &) = delete;
  Held &operator=(const Held &) = delete;
  ~Held() { dropAll(objects); }
  std::span<PyObject *const> view() const { return objects; }
  /// Transfers the references.
  std::vector<PyObject *> take() { return std::exchange(objects, {}); }

private:
  std::vector<PyObject *> objects;
};

void destroyBound(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clearBound(self);
  BoundObject &object = fields(self);
  delete object.bound;
  Py_DECREF(reinterpret_cast<PyObject *>(object.launcher));
  type->tp_free(self);
  Py_DECREF(type);
}

/// If the arguments are unchanged, the next calls need not look up the launch again.
void keep(Bound &bound, const RepeatedLaunches &repeated, const FoundLaunch &found) {
  if (bound.inUse > 1)
    return;
  if (std::exchange(bound.isExchanged, false)) {
    bound.launch = nullptr;
    return;
  }
  bound.launch = repeated.latestFound();
  bound.block.assign(found.parameters, found.parameters + found.launch->block.size());
}

/// As a call of the launcher with these arguments, which another thread may replace meanwhile.
[[gnu::noinline]] std::optional<LaunchOutcome> launchExchanged(LauncherObject &launcher, Bound &bound) {
  alignas(16) char room[RepeatedLaunch::maxBytes];
  const RepeatedLaunches::Use use(*launcher.repeated);
  if (const FoundLaunch found = findLaunch(launcher, bound.values, room); found.launch) [[likely]] {
    keep(bound, *launcher.repeated, found);
    return launchAgain(launcher, found);
  }
  const Held arguments(bound.values);
  return readAndLaunch(launcher, arguments.view());
}

[[gnu::noinline]] std::optional<LaunchOutcome> launchRead(LauncherObject &launcher, const Bound &bound) {
  const RepeatedLaunches::Use use(*launcher.repeated);
  const Held arguments(bound.values);
  return readAndLaunch(launcher, arguments.view());
}

std::optional<LaunchOutcome> launchReady(LauncherObject &launcher, Bound &bound) {
  const Bound::Use use(bound);
  const bool isReady =
      !bound.isExchanged && bound.launch && launcher.kernel->dispatcher->isCurrent(*bound.launch, launcher.launch);
  std::optional<LaunchOutcome> outcome =
      isReady ? launchAgain(launcher, {bound.launch.get(), bound.block.data()}) : launchExchanged(launcher, bound);
  return outcome == LaunchOutcome::MustBeKept ? launchRead(launcher, bound) : outcome;
}

PyObject *launchBound(PyObject *self, PyObject *const *, size_t flaggedCount, PyObject *names) {
  BoundObject &object = fields(self);
  if (PyVectorcall_NARGS(flaggedCount) != 0 || (names && PyTuple_GET_SIZE(names) != 0)) [[unlikely]] {
    PyErr_SetString(PyExc_TypeError,
                    "a bound launch has its arguments: bound[i] = value exchanges one, bound() launches");
    return nullptr;
  }
  try {
    releaseHeldReferences();
    const std::optional<LaunchOutcome> outcome = launchReady(*object.launcher, *object.bound);
    if (!outcome) [[unlikely]]
      return nullptr;
    ++*object.launcher->count;
    if (*outcome == LaunchOutcome::Interrupted) [[unlikely]]
      return raiseInterrupted();
  } catch (...) {
    raiseFailure(*object.launcher);
    return nullptr;
  }
  Py_RETURN_NONE;
}

Py_ssize_t lengthOf(PyObject *self) { return Py_ssize_t(boundOf(self).values.size()); }

bool checkIndex(PyObject *self, Py_ssize_t index) {
  if (index >= 0 && index < lengthOf(self))
    return true;
  PyErr_Format(PyExc_IndexError, "there is no argument %zd: the launch has %zd, counted from 0", index, lengthOf(self));
  return false;
}

PyObject *argumentOf(PyObject *self, Py_ssize_t index) {
  return checkIndex(self, index) ? Py_NewRef(boundOf(self).values[size_t(index)]) : nullptr;
}

/// Invalid arguments are rejected here, not by a later call.
bool checkArgument(const DispatcherObject &kernel, unsigned index, PyObject *value) {
  if (Py_TYPE(value) == deviceArrayType()) [[likely]]
    return true;
  try {
    ArgumentList list;
    ArgumentReader reader(list);
    return readArgument(reader, kernel, index, value);
  } catch (...) {
    raisePython(std::current_exception());
    return false;
  }
}

void exchange(Bound &bound, size_t index, PyObject *value) {
  PyObject *const old = std::exchange(bound.values[index], Py_NewRef(value));
  bound.isExchanged = true;
  if (bound.inUse != 0) {
    bound.former.push_back(old);
    return;
  }
  if (!bound.former.empty()) [[unlikely]]
    dropAll(bound.former);
  Py_DECREF(old);
}

int setArgument(PyObject *self, Py_ssize_t index, PyObject *value) {
  if (!checkIndex(self, index))
    return -1;
  if (!value) {
    PyErr_SetString(PyExc_TypeError, "arguments of a bound launch can be exchanged, not removed");
    return -1;
  }
  if (!checkArgument(*fields(self).launcher->kernel, unsigned(index), value))
    return -1;
  exchange(boundOf(self), size_t(index), value);
  return 0;
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(BoundObject, call), READONLY, nullptr},
    {"launcher", T_OBJECT_EX, offsetof(BoundObject, launcher), READONLY, "The kernel with its configuration."},
    {nullptr, 0, 0, 0, nullptr},
};

constexpr const char *documentation =
    "A launch with its arguments: `kernel.bind(grid, block, stream, *arguments)`.\n\n"
    "Calling it launches. `bound[i] = value` exchanges an argument, `bound[i]` is one, `len(bound)` their number.";

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char *>(documentation)},          {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyBound)}, {Py_tp_traverse, reinterpret_cast<void *>(traverseBound)},
    {Py_tp_clear, reinterpret_cast<void *>(clearBound)},     {Py_tp_members, members},
    {Py_sq_length, reinterpret_cast<void *>(lengthOf)},      {Py_sq_item, reinterpret_cast<void *>(argumentOf)},
    {Py_sq_ass_item, reinterpret_cast<void *>(setArgument)}, {0, nullptr},
};

PyType_Spec spec = {
    "treadle._core.BoundLaunch", sizeof(BoundObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

/// Appends defaults for the parameters without an argument, if there are enough.
std::vector<PyObject *> withDefaults(const DispatcherObject &kernel, std::span<PyObject *const> arguments) {
  std::vector<PyObject *> all(arguments.begin(), arguments.end());
  PyObject *const defaults = PyFunction_GET_DEFAULTS(kernel.function);
  const Py_ssize_t available = defaults ? PyTuple_GET_SIZE(defaults) : 0;
  for (Py_ssize_t missing = Py_ssize_t(kernel.parameters) - Py_ssize_t(all.size()); missing > 0 && missing <= available;
       --missing)
    all.push_back(PyTuple_GET_ITEM(defaults, available - missing));
  return all;
}

} // namespace

PyObject *bindArguments(PyObject *self, PyObject *const *given, Py_ssize_t count) {
  auto &launcher = *reinterpret_cast<LauncherObject *>(self);
  // Reading may run user code that changes the function's defaults.
  Held arguments(withDefaults(*launcher.kernel, {given, size_t(count)}));
  try {
    ArgumentList list;
    ArgumentReader reader(list);
    if (!readArguments(reader, *launcher.kernel, arguments.view()))
      return nullptr;
  } catch (...) {
    raisePython(std::current_exception());
    return nullptr;
  }
  auto *made = PyObject_GC_New(BoundObject, boundType());
  if (!made)
    return nullptr;
  made->call = launchBound;
  made->launcher = reinterpret_cast<LauncherObject *>(Py_NewRef(self));
  made->bound = new Bound{.values = arguments.take()};
  PyObject_GC_Track(reinterpret_cast<PyObject *>(made));
  return reinterpret_cast<PyObject *>(made);
}

bool addBoundType(PyObject *module) {
  boundType() = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return boundType() && PyModule_AddObjectRef(module, "BoundLaunch", reinterpret_cast<PyObject *>(boundType())) == 0;
}

} // namespace treadle::python

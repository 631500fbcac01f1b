// Launches whose arguments are kept, and exchanged one by one.
#include "python/launch/bound_object.h"

#include "launch/bound_launch.h"
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

struct BoundObject {
  PyObject_HEAD vectorcallfunc call;
  LauncherObject *launcher;        ///< owned
  std::vector<PyObject *> *values; ///< the arguments, owned as all that follow
  std::vector<PyObject *> *former; ///< exchanged while a call has used them
  std::vector<unsigned> *places;   ///< of each argument's first leaf
  BoundLaunch *bound;
};

PyTypeObject *&boundType() {
  static PyTypeObject *type = nullptr;
  return type;
}

BoundObject &fields(PyObject *self) { return *reinterpret_cast<BoundObject *>(self); }

int traverseBound(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(fields(self).launcher);
  for (PyObject *value : *fields(self).values)
    Py_VISIT(value);
  for (PyObject *value : *fields(self).former)
    Py_VISIT(value);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

void dropAll(std::vector<PyObject *> &objects) {
  std::vector<PyObject *> all; // dropping one may run code that comes here again
  all.swap(objects);
  for (PyObject *object : all)
    Py_DECREF(object);
}

int clearBound(PyObject *self) {
  BoundObject &object = fields(self);
  object.bound->forget(); // it points into the arguments
  dropAll(*object.values);
  dropAll(*object.former);
  return 0;
}

/// Objects that live as long as this does.
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

private:
  std::vector<PyObject *> objects;
};

void destroyBound(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clearBound(self);
  BoundObject &object = fields(self);
  delete object.bound;
  delete object.values;
  delete object.former;
  delete object.places;
  Py_DECREF(reinterpret_cast<PyObject *>(object.launcher));
  type->tp_free(self);
  Py_DECREF(type);
}

[[gnu::noinline]] std::optional<LaunchOutcome> launchRead(BoundObject &object) {
  const Held arguments(*object.values); // another thread may exchange some meanwhile
  const bool areComparable = std::ranges::all_of(arguments.view(), isComparable);
  const auto outcome = readAndLaunch(*object.launcher, arguments.view(), areComparable ? object.bound : nullptr);
  if (!std::ranges::equal(arguments.view(), *object.values))
    object.bound->forget();
  return outcome;
}

std::optional<LaunchOutcome> launchReady(BoundLaunch &bound) {
  if (!bound.isReady()) [[unlikely]]
    return LaunchOutcome::MustBeKept;
  GilLock gil;
  const LaunchOutcome outcome = bound.call(gil);
  gil.acquire();
  return outcome;
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
    std::optional<LaunchOutcome> outcome = launchReady(*object.bound);
    if (outcome == LaunchOutcome::MustBeKept) [[unlikely]]
      outcome = launchRead(object);
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

Py_ssize_t lengthOf(PyObject *self) { return Py_ssize_t(fields(self).values->size()); }

bool checkIndex(PyObject *self, Py_ssize_t index) {
  if (index >= 0 && index < lengthOf(self))
    return true;
  PyErr_Format(PyExc_IndexError, "there is no argument %zd: the launch has %zd, counted from 0", index, lengthOf(self));
  return false;
}

PyObject *argumentOf(PyObject *self, Py_ssize_t index) {
  return checkIndex(self, index) ? Py_NewRef((*fields(self).values)[size_t(index)]) : nullptr;
}

/// Tells the launch of a value that fits it; any other is read with the rest by the next call.
bool exchange(BoundObject &object, size_t index, PyObject *value) {
  ArgumentList list;
  ArgumentReader reader(list);
  if (!readArgument(reader, *object.launcher->kernel, unsigned(index), value))
    return false;
  if (isComparable(value))
    object.bound->exchange((*object.places)[index], list);
  else
    object.bound->forget();
  return true;
}

int setArgument(PyObject *self, Py_ssize_t index, PyObject *value) {
  BoundObject &object = fields(self);
  if (!checkIndex(self, index))
    return -1;
  if (!value) {
    PyErr_SetString(PyExc_TypeError, "arguments of a bound launch can be exchanged, not removed");
    return -1;
  }
  try {
    if (!exchange(object, size_t(index), value))
      return -1;
  } catch (...) {
    raisePython(std::current_exception());
    return -1;
  }
  PyObject *const old = std::exchange((*object.values)[size_t(index)], Py_NewRef(value));
  if (object.bound->isInUse()) {
    object.former->push_back(old);
    return 0;
  }
  if (!object.former->empty())
    dropAll(*object.former);
  Py_DECREF(old);
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

} // namespace

PyObject *bindArguments(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
  auto &launcher = *reinterpret_cast<LauncherObject *>(self);
  std::vector<unsigned> places;
  try {
    ArgumentList list;
    ArgumentReader reader(list);
    if (!readArguments(reader, *launcher.kernel, {arguments, size_t(count)}, &places))
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
  made->values = new std::vector<PyObject *>(arguments, arguments + count);
  for (PyObject *value : *made->values)
    Py_INCREF(value);
  made->former = new std::vector<PyObject *>;
  made->places = new std::vector<unsigned>(std::move(places));
  made->bound = new BoundLaunch(*launcher.kernel->dispatcher, launcher.launch, *launcher.held);
  PyObject_GC_Track(reinterpret_cast<PyObject *>(made));
  return reinterpret_cast<PyObject *>(made);
}

bool addBoundType(PyObject *module) {
  boundType() = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return boundType() && PyModule_AddObjectRef(module, "BoundLaunch", reinterpret_cast<PyObject *>(boundType())) == 0;
}

} // namespace treadle::python

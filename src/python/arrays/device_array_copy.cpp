// Both sides of a copy, and its place on a stream.
#include "python/arrays/device_array_copy.h"

#include "memory/array_shapes.h"
#include "memory/copy.h"
#include "python/arrays/device_array_object.h"
#include "python/host/errors.h"
#include "python/host/gil_lock.h"
#include "python/host/held_reference.h"
#include "python/host/stream_object.h"
#include "python/types/host_array.h"

#include <algorithm>

namespace treadle::python {

namespace {

/// The side of a copy that is no `self`: another device array, or memory of the host.
struct OtherSide {
  const DeviceArrayObject *device = nullptr; ///< null: memory of the host
  HostArray host;

  /// False: a Python error is set.
  bool read(PyObject *object, int flags) {
    if (!PyObject_TypeCheck(object, deviceArrayType()))
      return host.take(object, flags);
    device = reinterpret_cast<DeviceArrayObject *>(object);
    if (!device->view.owner->isLost())
      return true;
    raiseLost();
    return false;
  }

  StridedExtents extents() const { return device ? device->view.strided() : host.extents(); }
  const Type *element() const { return device ? elementType(*device) : host.element(); }
  std::string typeText() const { return device ? elementType(*device)->name() : host.typeText(); }
};

bool fits(const DeviceArrayObject &array, const OtherSide &other) {
  if (elementType(array) != other.element()) {
    const std::string wanted = elementType(array)->name();
    PyErr_Format(PyExc_TypeError,
                 "the two arrays have different element types: the device's %s, the other one %s; convert it with "
                 "astype()",
                 wanted.c_str(), other.typeText().c_str());
    return false;
  }
  const bool isSame = std::ranges::equal(array.view.extents(), other.extents().shape);
  if (!isSame)
    PyErr_Format(PyExc_ValueError, "the two arrays have different shapes: the device's %s, the other one %s",
                 shapeText(array.view.extents()).c_str(), shapeText(other.extents().shape).c_str());
  return isSame;
}

/// Calls `work` with its turn on a stream. Null with a Python error.
template <typename Work> PyObject *inTurn(const DeviceArrayObject &array, PyObject *streamName, Work work) {
  releaseHeldReferences();
  StreamObject stream;
  if (!readStream(streamName, stream))
    return nullptr;
  try {
    const std::shared_ptr<Stream> queue = stream.on(array.view.owner->device());
    GilLock gil;
    work(CopyTurn{*queue, stream.stream != nullptr, gil});
  } catch (...) {
    raisePython(std::current_exception());
    return nullptr;
  }
  Py_RETURN_NONE;
}

bool isUsable(const DeviceArrayObject &array) {
  if (!array.view.owner->isLost()) [[likely]]
    return true;
  raiseLost();
  return false;
}

const DeviceArrayObject &fields(PyObject *self) { return *reinterpret_cast<DeviceArrayObject *>(self); }

bool isOfOtherDevice(const DeviceArrayObject &array, const DeviceArrayObject &other) {
  return &array.view.owner->device() != &other.view.owner->device();
}

} // namespace

PyObject *fillArray(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
  if (count != 2)
    return PyErr_Format(PyExc_TypeError, "expected a byte and a stream");
  const long value = PyLong_AsLong(arguments[0]);
  if ((value == -1 && PyErr_Occurred()) || !isUsable(fields(self)))
    return nullptr;
  return inTurn(fields(self), arguments[1],
                [&](const CopyTurn &turn) { fillBytes(fields(self).view, uint8_t(value), turn); });
}

PyObject *copyHere(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
  if (count != 2)
    return PyErr_Format(PyExc_TypeError, "expected a source and a stream");
  const DeviceArrayObject &array = fields(self);
  OtherSide source;
  if (!isUsable(array) || !source.read(arguments[0], 0) || !fits(array, source))
    return nullptr;
  if (source.device && isOfOtherDevice(array, *source.device) && !waitForUses(*source.device))
    return nullptr;
  return inTurn(array, arguments[1], [&](const CopyTurn &turn) {
    if (source.device)
      copyOnDevice(array.view, source.device->view, turn);
    else
      copyToDevice(array.view, {source.host.data(), source.host.extents()}, turn);
  });
}

PyObject *assignArray(PyObject *self, PyObject *value) {
  const DeviceArrayObject &array = fields(self);
  OtherSide source;
  if (!source.read(value, 0) || !fits(array, source) || !waitForUses(array) ||
      (source.device && !waitForUses(*source.device)))
    return nullptr;
  try {
    GilLock gil;
    if (source.device)
      assign(array.view, source.device->view, gil);
    else
      assign(array.view, {source.host.data(), source.host.extents()}, gil);
  } catch (...) {
    raisePython(std::current_exception());
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyObject *copyThere(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
  if (count != 2)
    return PyErr_Format(PyExc_TypeError, "expected a target and a stream");
  const DeviceArrayObject &array = fields(self);
  OtherSide target;
  if (!isUsable(array) || !target.read(arguments[0], PyBUF_WRITABLE) || !fits(array, target))
    return nullptr;
  if (target.device && isOfOtherDevice(array, *target.device) && !waitForUses(array))
    return nullptr;
  const DeviceArrayObject &written = target.device ? *target.device : array;
  return inTurn(written, arguments[1], [&](const CopyTurn &turn) {
    if (target.device)
      copyOnDevice(target.device->view, array.view, {turn.stream, false, turn.watcher});
    else
      copyToHost({target.host.data(), target.host.extents()}, array.view, turn);
  });
}

} // namespace treadle::python

// Both sides of a copy, and its place on a stream.
#include "python/arrays/device_array_copy.h"

#include "device/strided_copy.h"
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
  char *data = nullptr;
  StridedExtents extents;
  NumberCode number = NumberCode::None;
  const Type *record = nullptr;
  std::string typeText;
  const std::shared_ptr<Buffer> *device = nullptr; ///< null: memory of the host
  HostArray host;

  void read(const DeviceArrayObject &array) {
    data = array.view.data;
    extents = array.view.strided();
    number = array.number;
    record = array.record;
    typeText = elementType(array)->name();
    device = &array.view.owner;
  }
  /// False: a Python error is set.
  bool read(PyObject *object, int flags) {
    if (!host.take(object, flags))
      return false;
    data = host.data();
    extents = host.extents();
    number = host.number();
    record = host.record();
    typeText = host.typeText();
    return true;
  }
};

std::string shapeText(std::span<const int64_t> shape) {
  std::string text = "(";
  for (const int64_t extent : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + (shape.size() == 1 ? ",)" : ")");
}

bool fits(const DeviceArrayObject &array, const OtherSide &other) {
  if (array.record != other.record || array.number != other.number) {
    const std::string wanted = elementType(array)->name();
    PyErr_Format(PyExc_TypeError,
                 "the two arrays have different element types: the device's %s, the other one %s; convert it with "
                 "astype()",
                 wanted.c_str(), other.typeText.c_str());
    return false;
  }
  const bool isSame = std::ranges::equal(array.view.extents(), other.extents.shape);
  if (!isSame)
    PyErr_Format(PyExc_ValueError, "the two arrays have different shapes: the device's %s, the other one %s",
                 shapeText(array.view.extents()).c_str(), shapeText(other.extents.shape).c_str());
  return isSame;
}

/// Both sides, and what the calling thread lets go of while it waits.
struct Transfer {
  StridedCopy copy;
  std::shared_ptr<Buffer> device;
  std::shared_ptr<Buffer> from; ///< the other device array's; null: memory of the host
};

/// A copy of the host's side, for a stream that gets to it later: the caller may change its memory at once.
HeldOwners stage(Transfer &transfer, std::vector<int64_t> &strides) {
  strides.resize(transfer.copy.shape.size());
  const int64_t bytes = packStrides(transfer.copy.shape, transfer.copy.itemBytes, false, strides);
  auto staged = std::make_shared<std::vector<char>>(size_t(bytes));
  StridedCopy toStage = transfer.copy;
  toStage.to = staged->data();
  toStage.toStrides = strides;
  copyStrided(toStage);
  transfer.copy.from = staged->data();
  transfer.copy.fromStrides = strides;
  return {std::move(staged)};
}

void copyOn(const StreamObject &stream, Transfer transfer, bool toDevice) {
  std::shared_ptr<Stream> keep;
  Stream &queue = stream.on(transfer.device->device(), keep);
  if (transfer.device->isUsedBefore()) [[unlikely]]
    transfer.device->orderBehindEarlierUse(queue);
  GilLock gil;
  if (toDevice && stream.stream && !queue.last().isComplete()) {
    std::vector<int64_t> strides;
    const HeldOwners held = transfer.from ? HeldOwners{transfer.device, transfer.from} : stage(transfer, strides);
    queue.copy(transfer.copy, &held, gil);
    transfer.device->use(queue.last());
    if (transfer.from)
      transfer.from->use(queue.last());
  } else {
    queue.copy(transfer.copy, nullptr, gil);
  }
}

bool readOther(const DeviceArrayObject &array, PyObject *value, int flags, OtherSide &other) {
  if (!PyObject_TypeCheck(value, deviceArrayType()))
    return other.read(value, flags);
  const auto &device = *reinterpret_cast<DeviceArrayObject *>(value);
  const Buffer &buffer = *device.view.owner;
  if (buffer.isLost())
    return raiseLost(), false;
  other.read(device);
  if (&buffer.device() == &array.view.owner->device())
    return true;
  // Its memory is the host's to this device.
  other.device = nullptr;
  if (buffer.isHostVisible())
    return waitForUses(device);
  PyErr_SetString(PyExc_ValueError,
                  "the two arrays lie in the memory of different devices, where the host cannot look");
  return false;
}

PyObject *copy(PyObject *const *arguments, bool toDevice, PyObject *self) {
  releaseHeldReferences();
  const auto &array = *reinterpret_cast<DeviceArrayObject *>(self);
  if (array.view.owner->isLost())
    return raiseLost(), nullptr;
  OtherSide other;
  StreamObject stream;
  if (!readOther(array, arguments[0], toDevice ? 0 : PyBUF_WRITABLE, other) || !fits(array, other) ||
      !readStream(arguments[1], stream))
    return nullptr;
  const StridedExtents own = array.view.strided();
  StridedCopy request{other.data, array.view.data, own.shape, other.extents.strides, own.strides, own.itemBytes};
  if (toDevice)
    request = {array.view.data, other.data, own.shape, own.strides, other.extents.strides, own.itemBytes};
  try {
    copyOn(stream, {request, array.view.owner, other.device ? *other.device : nullptr}, toDevice);
  } catch (...) {
    raisePython(std::current_exception());
    return nullptr;
  }
  Py_RETURN_NONE;
}

} // namespace

/// _fill(value, stream): sets all bytes of an array without gaps.
PyObject *fillBytes(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
  const auto &array = *reinterpret_cast<DeviceArrayObject *>(self);
  StreamObject stream;
  if (count != 2)
    return PyErr_Format(PyExc_TypeError, "expected a byte and a stream");
  Buffer &buffer = *array.view.owner;
  if (buffer.isLost())
    return raiseLost(), nullptr;
  const long value = PyLong_AsLong(arguments[0]);
  if ((value == -1 && PyErr_Occurred()) || !readStream(arguments[1], stream))
    return nullptr;
  try {
    std::shared_ptr<Stream> keep;
    Stream &queue = stream.on(buffer.device(), keep);
    buffer.orderBehindEarlierUse(queue);
    GilLock gil;
    const bool isQueued = stream.stream != nullptr;
    queue.fill({array.view.data, size_t(array.view.count()) * array.view.itemBytes}, uint8_t(value), isQueued, gil);
    if (isQueued)
      buffer.use(queue.last());
  } catch (...) {
    raisePython(std::current_exception());
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyObject *copyToDevice(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
  return count == 2 ? copy(arguments, true, self) : PyErr_Format(PyExc_TypeError, "expected a source and a stream");
}

PyObject *copyToHost(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
  return count == 2 ? copy(arguments, false, self) : PyErr_Format(PyExc_TypeError, "expected a target and a stream");
}

} // namespace treadle::python

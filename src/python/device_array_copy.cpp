// Copies between device arrays and anything with the buffer protocol.
#include "device/strided_copy.h"
#include "python/buffer_format.h"
#include "python/device_array_object.h"
#include "python/errors.h"
#include "python/gil_lock.h"
#include "python/held_reference.h"
#include "python/record_types.h"
#include "python/stream_object.h"
#include "python/value_kinds.h"

namespace treadle::python {

namespace {

/// A buffer that is released at the end of the scope.
class BorrowedBuffer {
public:
  BorrowedBuffer(PyObject *owner, int flags) : isThere(PyObject_GetBuffer(owner, &view, flags) == 0) {}
  BorrowedBuffer(const BorrowedBuffer &) = delete;
  BorrowedBuffer &operator=(const BorrowedBuffer &) = delete;
  ~BorrowedBuffer() {
    if (isThere)
      PyBuffer_Release(&view);
  }
  Py_buffer view{};
  const bool isThere;
};

/// Records by their dtype: their formats of the buffer protocol differ where their dtypes do not.
const Type *recordsOf(PyObject *host) {
  if (PyObject_TypeCheck(host, deviceArrayType()))
    return reinterpret_cast<DeviceArrayObject *>(host)->record;
  const ValueTag tag = valueKindOf(host).tag;
  if (tag == ValueTag::NumpyArray)
    return recordTypeOf(*reinterpret_cast<NumpyArray *>(host)->description);
  return nullptr;
}

std::string shapeText(std::span<const int64_t> shape) {
  std::string text = "(";
  for (const int64_t extent : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + (shape.size() == 1 ? ",)" : ")");
}

bool fits(const DeviceArrayObject &array, PyObject *host, const Py_buffer &view) {
  const Type *record = recordsOf(host);
  const bool isSameType = array.record ? array.record == record
                                       : !record && numberOfFormat(view.format, size_t(view.itemsize)) == array.number;
  if (!isSameType) {
    const std::string wanted = elementType(array)->name();
    const std::string found =
        record ? record->name() : std::string("format '") + (view.format ? view.format : "B") + "'";
    PyErr_Format(PyExc_TypeError,
                 "the two arrays have different element types: the device's %s, the other one %s; convert it with "
                 "astype()",
                 wanted.c_str(), found.c_str());
    return false;
  }
  bool isSame = view.ndim == array.ndim;
  for (unsigned axis = 0; isSame && axis < array.ndim; ++axis)
    isSame = view.shape[axis] == array.shape[axis];
  if (!isSame)
    PyErr_Format(PyExc_ValueError, "the two arrays have different shapes: the device's %s, the other one %s",
                 shapeText({array.shape, array.ndim}).c_str(), shapeText({view.shape, size_t(view.ndim)}).c_str());
  return isSame;
}

/// Both sides, and what the calling thread lets go of while it waits.
struct Transfer {
  StridedCopy copy;
  std::shared_ptr<Buffer> device;
  const Py_buffer &host;
};

/// A copy of the host's side, for a stream that gets to it later: the caller may change its memory at once.
HeldOwners stage(Transfer &transfer, std::vector<int64_t> &strides) {
  auto staged = std::make_shared<std::vector<char>>(size_t(transfer.host.len));
  int64_t stride = transfer.copy.itemBytes;
  strides.resize(transfer.copy.shape.size());
  for (size_t axis = strides.size(); axis-- > 0; stride *= transfer.copy.shape[axis])
    strides[axis] = stride;
  StridedCopy toStage = transfer.copy;
  toStage.to = staged->data();
  toStage.toStrides = strides;
  copyStrided(toStage);
  transfer.copy.from = staged->data();
  transfer.copy.fromStrides = strides;
  return {transfer.device, std::move(staged)};
}

void copyOn(const StreamObject &stream, Transfer transfer, bool toDevice) {
  std::shared_ptr<Stream> keep;
  Stream &queue = stream.on(transfer.device->device(), keep);
  GilLock gil;
  if (toDevice && stream.stream && !queue.last().isComplete()) {
    std::vector<int64_t> strides;
    const HeldOwners held = stage(transfer, strides);
    queue.copy(transfer.copy, &held, gil);
    transfer.device->use(queue.last());
  } else {
    queue.copy(transfer.copy, nullptr, gil);
  }
}

PyObject *copy(PyObject *const *arguments, bool toDevice, PyObject *self) {
  releaseHeldReferences();
  const auto &array = *reinterpret_cast<DeviceArrayObject *>(self);
  if (array.buffer->isLost())
    return raiseLost(), nullptr;
  // Not every dtype of records has a format.
  const int format = array.record ? 0 : PyBUF_FORMAT;
  const BorrowedBuffer buffer(arguments[0], (toDevice ? PyBUF_STRIDED_RO : PyBUF_STRIDED) | format);
  StreamObject stream;
  if (!buffer.isThere || !fits(array, arguments[0], buffer.view) || !readStream(arguments[1], stream))
    return nullptr;
  char *host = static_cast<char *>(buffer.view.buf);
  const std::span<const int64_t> shape(array.shape, array.ndim);
  const std::span<const int64_t> deviceStrides(array.strides, array.ndim);
  const std::span<const int64_t> hostStrides(reinterpret_cast<const int64_t *>(buffer.view.strides), array.ndim);
  StridedCopy request{host, array.data, shape, hostStrides, deviceStrides, array.itemBytes};
  if (toDevice)
    request = {array.data, host, shape, deviceStrides, hostStrides, array.itemBytes};
  try {
    copyOn(stream, {request, array.buffer, buffer.view}, toDevice);
  } catch (...) {
    raisePython(std::current_exception());
    return nullptr;
  }
  Py_RETURN_NONE;
}

} // namespace

PyObject *copyToDevice(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
  return count == 2 ? copy(arguments, true, self) : PyErr_Format(PyExc_TypeError, "expected a source and a stream");
}

PyObject *copyToHost(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
  return count == 2 ? copy(arguments, false, self) : PyErr_Format(PyExc_TypeError, "expected a target and a stream");
}

} // namespace treadle::python

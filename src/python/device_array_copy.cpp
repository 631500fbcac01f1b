// Copies between device arrays and anything with the buffer protocol.
#include "memory/strided_copy.h"
#include "python/buffer_format.h"
#include "python/device_array_object.h"
#include "python/errors.h"

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

bool fits(const DeviceArrayObject &array, const Py_buffer &view) {
  if (numberOfFormat(view.format, size_t(view.itemsize)) != array.number) {
    PyErr_Format(PyExc_TypeError, "the two arrays have different element types: formats '%s' and '%s'",
                 formatOfNumber(array.number), view.format ? view.format : "B");
    return false;
  }
  bool isSame = view.ndim == array.ndim;
  for (unsigned axis = 0; isSame && axis < array.ndim; ++axis)
    isSame = view.shape[axis] == array.shape[axis];
  if (!isSame)
    PyErr_SetString(PyExc_ValueError, "the two arrays have different shapes");
  return isSame;
}

PyObject *copy(PyObject *self, PyObject *other, bool toDevice) {
  const auto &array = *reinterpret_cast<DeviceArrayObject *>(self);
  const BorrowedBuffer buffer(other, toDevice ? PyBUF_RECORDS_RO : PyBUF_RECORDS);
  if (!buffer.isThere || !fits(array, buffer.view))
    return nullptr;
  char *host = static_cast<char *>(buffer.view.buf);
  const std::span<const int64_t> shape(array.shape, array.ndim);
  const std::span<const int64_t> deviceStrides(array.strides, array.ndim);
  const std::span<const int64_t> hostStrides(reinterpret_cast<const int64_t *>(buffer.view.strides), array.ndim);
  StridedCopy request{host, array.data, shape, hostStrides, deviceStrides, elementBytes(array.number)};
  if (toDevice)
    request = {array.data, host, shape, deviceStrides, hostStrides, elementBytes(array.number)};
  PyThreadState *saved = buffer.view.len > (64 << 10) ? PyEval_SaveThread() : nullptr;
  std::exception_ptr failure;
  try {
    copyStrided(request);
  } catch (...) {
    failure = std::current_exception();
  }
  if (saved)
    PyEval_RestoreThread(saved);
  if (!failure)
    Py_RETURN_NONE;
  raisePython(failure);
  return nullptr;
}

} // namespace

PyObject *copyToDevice(PyObject *self, PyObject *source) { return copy(self, source, true); }
PyObject *copyToHost(PyObject *self, PyObject *target) { return copy(self, target, false); }

} // namespace treadle::python

// Takes buffers, and fills in what exporters may leave out.
#include "python/types/host_buffer.h"

#include "support/error.h"

#include <algorithm>

namespace treadle::python {

bool HostBuffer::fail(const char *format, long long number) {
  PyErr_Format(PyExc_BufferError, format, number);
  return false;
}

bool HostBuffer::take(PyObject *object, int flags) {
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  if (PyObject_GetBuffer(object, &view, PyBUF_STRIDES | flags) != 0)
    return false;
  if (view.ndim < 0 || view.ndim > int(maxDimensions))
    return fail("buffers have at most 8 dimensions, this one %lld", view.ndim);
  const size_t ndim = size_t(view.ndim);
  if (view.suboffsets && std::any_of(view.suboffsets, view.suboffsets + ndim, [](Py_ssize_t at) { return at >= 0; }))
    return fail("its buffer cannot be had as one block of memory with strides", 0);
  // ctypes gives no strides although they were asked for.
  if (view.shape || ndim == 0)
    shape = {reinterpret_cast<const int64_t *>(view.shape), ndim};
  else if (ndim == 1)
    shape = {&(length = view.len / std::max<Py_ssize_t>(view.itemsize, 1)), 1};
  else
    return fail("a buffer of %lld dimensions has no shape", view.ndim);
  if (view.strides) {
    strides = {reinterpret_cast<const int64_t *>(view.strides), ndim};
    return true;
  }
  strides = {packed, ndim};
  try {
    packStrides(shape, view.itemsize, false, packed);
  } catch (const UsageError &error) {
    PyErr_SetString(PyExc_BufferError, error.what());
    return false;
  }
  return true;
}

} // namespace treadle::python

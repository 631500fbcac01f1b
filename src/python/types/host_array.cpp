// Host arrays: numbers by the buffer's format, other elements by NumPy's dtype.
#include "python/types/host_array.h"

#include "python/host/object_access.h"
#include "python/types/dtype_names.h"
#include "python/types/value_kinds.h"
#include "support/error.h"

#include <algorithm>

namespace treadle::python {

namespace {

/// By the dtype: buffer formats may differ for equal record dtypes, and not every dtype has a format.
const Type *otherTypeOf(PyObject *object) {
  switch (valueKindOf(object).tag) {
  case ValueTag::NumpyArray:
  case ValueTag::VisibleArray:
    return otherTypeOf(*reinterpret_cast<NumpyArray *>(object)->description);
  case ValueTag::NumpyRecord:
    return otherTypeOf(*reinterpret_cast<NumpyRecord *>(object)->description);
  default:
    return nullptr;
  }
}

} // namespace

bool HostArray::fail(const char *format, long long number) {
  PyErr_Format(PyExc_BufferError, format, number);
  return false;
}

/// Fills in what exporters may omit.
bool HostArray::readExtents() {
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  if (view.ndim < 0 || view.ndim > int(maxDimensions))
    return fail("buffers have at most 8 dimensions, this one %lld", view.ndim);
  const size_t ndim = size_t(view.ndim);
  if (view.suboffsets && std::any_of(view.suboffsets, view.suboffsets + ndim, [](Py_ssize_t at) { return at >= 0; }))
    return fail("its buffer cannot be had as one block of memory with strides", 0);
  // ctypes omits strides even if they are requested.
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

bool HostArray::take(PyObject *object, int flags) {
  otherType = otherTypeOf(object);
  if (PyErr_Occurred())
    return false;
  const int wanted = PyBUF_STRIDES | flags | (otherType ? 0 : PyBUF_FORMAT);
  if (PyObject_GetBuffer(object, &view, wanted) != 0 || !readExtents())
    return false;
  code = otherType ? NumberCode::Other : numberOfFormat(format(), size_t(view.itemsize));
  return true;
}

bool HostArray::forgetRefusal() {
  return forgetError({PyExc_BufferError, PyExc_ValueError, PyExc_TypeError, PyExc_NotImplementedError});
}

const Type *HostArray::element() const {
  if (otherType)
    return otherType;
  return code == NumberCode::None ? nullptr : typeOf(code);
}

std::string HostArray::typeText() const {
  return element() ? element()->name() : std::string("format '") + format() + "'";
}

} // namespace treadle::python

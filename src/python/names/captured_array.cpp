// Copies of host arrays, pointers to device arrays.
#include "python/names/captured_array.h"

#include "device/strided_copy.h"
#include "python/arrays/device_array_object.h"
#include "python/types/host_array.h"
#include "support/error.h"

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// The copy is in C order whatever the array's layout was, and nothing can store into it.
bool captureHost(nb::handle object, CapturedValue &value) {
  HostArray host;
  if (!host.take(object.ptr(), 0)) {
    PyErr_Clear();
    return false;
  }
  const Type *element = host.element();
  if (!element)
    return false;
  const StridedExtents extents = host.extents();
  value.shape.assign(extents.shape.begin(), extents.shape.end());
  value.strides.resize(value.shape.size());
  value.data.resize(size_t(packStrides(value.shape, element->bytes(), false, value.strides)));
  copyStrided({reinterpret_cast<char *>(value.data.data()), host.data(), extents.shape, value.strides, extents.strides,
               element->bytes()});
  value.type = types::array(element, {unsigned(value.shape.size()), Layout::C, true, Space::Global});
  return true;
}

/// Treadle's own, by its fields: later writes by others are seen.
bool captureOwn(nb::handle object, CapturedValue &value) {
  if (!PyObject_TypeCheck(object.ptr(), deviceArrayType()))
    return false;
  const auto &array = *reinterpret_cast<const DeviceArrayObject *>(object.ptr());
  const StridedExtents extents = array.view.strided();
  value.shape.assign(extents.shape.begin(), extents.shape.end());
  value.strides.assign(extents.strides.begin(), extents.strides.end());
  value.devicePointer = reinterpret_cast<uint64_t>(array.view.data);
  value.type = types::array(elementType(array), {array.view.ndim, array.layout, false, Space::Global});
  return true;
}

/// Device memory of others is refused: nothing says here that the pointer may be read, or for how long.
void refuseForeign(nb::handle object) {
  const nb::object interface = nb::steal(PyObject_GetAttrString(object.ptr(), "__cuda_array_interface__"));
  // A tensor that is not on the device says so by AttributeError.
  if (!interface.is_valid() && !PyErr_ExceptionMatches(PyExc_AttributeError))
    throw nb::python_error();
  PyErr_Clear();
  if (interface.is_valid() && PyDict_Check(interface.ptr()))
    throw UsageError(UsageError::Kind::NotImplemented,
                     std::string("a kernel cannot capture device memory of another library (an object of type ") +
                         Py_TYPE(object.ptr())->tp_name +
                         " with __cuda_array_interface__): copy it to the host and then with cuda.to_device");
}

} // namespace

bool captureArray(nb::handle object, CapturedValue &value) {
  if (captureOwn(object, value))
    return true;
  refuseForeign(object);
  return PyObject_CheckBuffer(object.ptr()) && captureHost(object, value);
}

} // namespace treadle::python

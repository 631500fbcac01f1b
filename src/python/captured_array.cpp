// Captured arrays: host memory by the buffer protocol, device memory by the CUDA Array Interface.
#include "python/buffer_format.h"
#include "python/captured_value.h"
#include "python/device_array_object.h"
#include "python/record_types.h"
#include "python/value_kinds.h"
#include "support/error.h"

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// One buffer of a Python object, given back when it goes.
class Buffer {
public:
  Buffer(nb::handle object, int format) {
    isHeld = PyObject_GetBuffer(object.ptr(), &view, PyBUF_STRIDES | format) == 0;
    if (!isHeld)
      PyErr_Clear();
  }
  ~Buffer() {
    if (isHeld)
      PyBuffer_Release(&view);
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  bool isHeld = false;
  Py_buffer view{};
};

std::vector<int64_t> contiguousStrides(const std::vector<int64_t> &shape, unsigned elementBytes) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = elementBytes;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

/// Axes of one element do not count: any stride is right for them.
bool isContiguous(const CapturedValue &value, unsigned elementBytes, bool isFortran) {
  int64_t expected = elementBytes;
  const size_t ndim = value.shape.size();
  for (size_t i = 0; i < ndim; ++i) {
    const size_t axis = isFortran ? i : ndim - 1 - i;
    if (value.shape[axis] == 0)
      return true;
    if (value.shape[axis] == 1)
      continue;
    if (value.strides[axis] != expected)
      return false;
    expected *= value.shape[axis];
  }
  return true;
}

/// Of an array or scalar of NumPy's whose elements are records; nullptr for anything else.
const Type *recordOf(nb::handle object) {
  const ValueTag tag = valueKindOf(object.ptr()).tag;
  const bool isNumpys = tag == ValueTag::NumpyArray || tag == ValueTag::NumpyRecord;
  return isNumpys ? recordTypeOf(nb::getattr(object, "dtype").ptr()) : nullptr;
}

/// nullptr: of no type that kernels know.
const Type *numberOf(const Py_buffer &view) {
  const NumberCode number = numberOfFormat(view.format, static_cast<size_t>(view.itemsize));
  return number == NumberCode::None ? nullptr : typeOf(number);
}

/// The copy is in C order whatever the array's layout was, and nothing can store into it.
bool captureHost(nb::handle object, CapturedValue &value) {
  // Not every dtype of records has a format.
  const Type *record = recordOf(object);
  Buffer buffer(object, record ? 0 : PyBUF_FORMAT);
  if (!buffer.isHeld || buffer.view.ndim > int(maxDimensions))
    return false;
  const Type *element = record ? record : numberOf(buffer.view);
  if (element == nullptr)
    return false;
  value.shape.assign(buffer.view.shape, buffer.view.shape + buffer.view.ndim);
  value.strides = contiguousStrides(value.shape, element->bytes());
  value.data.resize(static_cast<size_t>(buffer.view.len));
  if (PyBuffer_ToContiguous(value.data.data(), &buffer.view, buffer.view.len, 'C') != 0)
    throw nb::python_error();
  value.type = types::array(element, {static_cast<unsigned>(buffer.view.ndim), Layout::C, true, Space::Global});
  return true;
}

/// Treadle's own, by its fields.
bool captureOwn(nb::handle object, CapturedValue &value) {
  if (!PyObject_TypeCheck(object.ptr(), deviceArrayType()))
    return false;
  const auto &array = *reinterpret_cast<const DeviceArrayObject *>(object.ptr());
  value.shape.assign(array.shape, array.shape + array.ndim);
  value.strides.assign(array.strides, array.strides + array.ndim);
  value.devicePointer = reinterpret_cast<uint64_t>(array.data);
  value.type = types::array(elementType(array), {array.ndim, array.layout, false, Space::Global});
  return true;
}

std::vector<int64_t> integersOf(nb::handle tuple) {
  std::vector<int64_t> result;
  for (nb::handle item : tuple)
    result.push_back(nb::cast<int64_t>(item));
  return result;
}

/// Captured by its pointer: later writes by others are seen.
bool captureDevice(nb::handle object, CapturedValue &value) {
  const nb::object interface = nb::steal(PyObject_GetAttrString(object.ptr(), "__cuda_array_interface__"));
  // A tensor that is not on the device says so by AttributeError.
  if (!interface.is_valid() && !PyErr_ExceptionMatches(PyExc_AttributeError))
    throw nb::python_error();
  PyErr_Clear();
  if (!interface.is_valid() || !PyDict_Check(interface.ptr()))
    return false;
  const auto facts = nb::borrow<nb::dict>(interface);
  if (facts.contains("mask") && !facts["mask"].is_none())
    throw UsageError(UsageError::Kind::NotImplemented, "a masked device array cannot be captured by a kernel");
  const Type *element = typeOfDtypeName(utf8Of(facts["typestr"]));
  value.shape = integersOf(facts["shape"]);
  if (element == nullptr || value.shape.size() > maxDimensions)
    return false;
  const bool hasStrides = facts.contains("strides") && !facts["strides"].is_none();
  value.strides = hasStrides ? integersOf(facts["strides"]) : contiguousStrides(value.shape, element->bytes());
  const auto data = nb::borrow<nb::tuple>(facts["data"]);
  value.devicePointer = data[0].is_none() ? 0 : nb::cast<uint64_t>(data[0]);
  const Layout layout = isContiguous(value, element->bytes(), false)  ? Layout::C
                        : isContiguous(value, element->bytes(), true) ? Layout::F
                                                                      : Layout::Any;
  value.type = types::array(
      element, {static_cast<unsigned>(value.shape.size()), layout, nb::cast<bool>(data[1]), Space::Global});
  return true;
}

} // namespace

bool captureArray(nb::handle object, CapturedValue &value) {
  return captureOwn(object, value) || captureDevice(object, value) ||
         (PyObject_CheckBuffer(object.ptr()) && captureHost(object, value));
}

} // namespace treadle::python

// device_array with few arguments, fast; and arrays over memory of the host.
#include "python/arrays/device_array_maker.h"

#include "launch/runtime.h"
#include "python/arrays/host_memory.h"
#include "python/host/errors.h"
#include "python/host/gil_lock.h"
#include "python/host/held_reference.h"
#include "python/host/stream_object.h"
#include "python/types/dtype_names.h"
#include "python/types/host_array.h"
#include "python/types/numpy_layout.h"
#include "python/types/value_kinds.h"
#include "support/error.h"
#include "types/facts.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <iterator>
#include <new>

namespace nb = nanobind;

namespace treadle::python {

namespace {

int readShape(PyObject *shape, int64_t *to) {
  if (PyTuple_Check(shape))
    return readExtents(shape, to, "the shape");
  if (PyLong_CheckExact(shape)) [[likely]] {
    to[0] = PyLong_AsLongLong(shape);
    return to[0] == -1 && PyErr_Occurred() ? -1 : 1;
  }
  PyObject *tuple = PyTuple_Pack(1, shape);
  const int count = tuple ? readExtents(tuple, to, "the shape") : -1;
  Py_XDECREF(tuple);
  return count;
}

/// Before reporting that memory is out, waits for queued work that still uses memory without an owner.
template <typename How> std::shared_ptr<Buffer> allocate(MemoryManager &manager, size_t bytes, const How &how) {
  try {
    return std::make_shared<Buffer>(manager, bytes, how);
  } catch (const DeviceError &error) {
    const bool isShort = error.result() == CudaResult::OutOfMemory;
    const std::vector<StreamPoint> points = isShort ? manager.pointsThatMayHelp(bytes) : std::vector<StreamPoint>();
    if (points.empty())
      throw;
    GilLock gil;
    awaitPoints(points, gil);
  }
  return std::make_shared<Buffer>(manager, bytes, how);
}

/// Warns of failures that no call has reported. Throws where warnings are errors.
void reportFailures(MemoryManager &manager) {
  for (const std::string &failure : manager.takeFailures())
    warn("TreadleWarning", failure + "; its memory is lost");
}

/// The bytes that the elements take, where the first of them counts as 0. Throws UsageError.
ByteRange layOut(ArrayView &view, const ArrayRequest &request) {
  const int64_t packed = packStrides(view.extents(), view.itemBytes, request.isFortran, view.strides);
  if (!request.strides) [[likely]]
    return {0, packed};
  const int count = readExtents(request.strides, view.strides, "the strides");
  if (count < 0)
    throw nb::python_error();
  if (count != view.ndim)
    throw UsageError(UsageError::Kind::Value,
                     std::to_string(count) + " strides were given for " + std::to_string(view.ndim) + " dimensions");
  const std::optional<ByteRange> reach = reachOf(view.strided());
  int64_t bytes = 0;
  if (!reach || __builtin_sub_overflow(reach->last, reach->first, &bytes))
    throw UsageError(UsageError::Kind::Value, "the array would be larger than the address space");
  return *reach;
}

/// Of the stream that an array is made for; null where it is made for none.
bool readTimeline(PyObject *value, std::shared_ptr<StreamTimeline> &timeline) {
  StreamObject stream;
  if (!value)
    return true;
  if (!readStream(value, stream))
    return false;
  if (stream.stream)
    timeline = stream.stream->last().timeline;
  return true;
}

bool fill(DeviceArrayObject &array, const ArrayRequest &request) {
  setElementType(array, request.element);
  ArrayView &view = array.view;
  const int ndim = readShape(request.shape, view.shape);
  if (ndim < 0)
    return false;
  view.ndim = uint8_t(ndim);
  std::shared_ptr<StreamTimeline> timeline;
  if (!readTimeline(request.stream, timeline))
    return false;
  try {
    const ByteRange reach = layOut(view, request);
    MemoryManager &manager = Runtime::instance().context().memory;
    const size_t bytes = size_t(reach.last - reach.first);
    view.owner = request.kind == MemoryKind::Device
                     ? allocate(manager, bytes, static_cast<const StreamTimeline *>(timeline.get()))
                     : allocate(manager, bytes, request.kind);
    view.data = view.owner->data() - reach.first;
    if (manager.hasFailed()) [[unlikely]]
      reportFailures(manager);
  } catch (...) {
    raisePython(std::current_exception());
    return false;
  }
  array.layout = layoutOf(view.strided());
  return true;
}

} // namespace

PyObject *newArray(PyTypeObject *type, const ArrayRequest &request) {
  PyObject *self = type->tp_alloc(type, 0);
  if (!self)
    return nullptr;
  auto &array = *reinterpret_cast<DeviceArrayObject *>(self);
  new (&array.view) ArrayView;
  if (fill(array, request)) [[likely]]
    return self;
  Py_DECREF(self);
  return nullptr;
}

namespace {

/// What makes arrays with more arguments than shape and dtype.
PyObject *&generalMaker() {
  static PyObject *maker = nullptr;
  return maker;
}

PyObject *deviceArray(PyObject *, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {
  const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  const bool isSimple = (count == 1 || count == 2) &&
                        (named == 0 || (named == 1 && count == 1 &&
                                        PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, 0), "dtype") == 0));
  if (!isSimple || PyList_Check(arguments[0]))
    return PyObject_Vectorcall(generalMaker(), arguments, size_t(count), keywords);
  const Type *element = count + named == 2 ? elementTypeOf(arguments[1]) : types::float64();
  return element ? newArray(deviceArrayType(), {element, arguments[0]}) : nullptr;
}

/// device_array_over(array): a device array over the memory of a NumPy array, which it keeps alive.
PyObject *deviceArrayOver(PyObject *, PyObject *host) {
  if (valueKindOf(host).tag != ValueTag::NumpyArray)
    return PyErr_Occurred() ? nullptr : PyErr_Format(PyExc_TypeError, "expected a NumPy array, found %R", host);
  HostArray memory;
  if (!memory.take(host, PyBUF_WRITABLE))
    return nullptr;
  if (!memory.element()) {
    const std::string dtype = describeDtype(host);
    return PyErr_Occurred() ? nullptr
                            : PyErr_Format(PyExc_TypeError, "arrays of dtype %s are not supported", dtype.c_str());
  }
  PyObject *self = hostBackedArrayType()->tp_alloc(hostBackedArrayType(), 0);
  if (!self)
    return nullptr;
  auto &array = *reinterpret_cast<DeviceArrayObject *>(self);
  new (&array.view) ArrayView;
  setElementType(array, memory.element());
  try {
    const StridedExtents extents = memory.extents();
    const std::span<char> bytes(memory.data(), size_t(elementCount(extents.shape) * extents.itemBytes));
    array.view = ArrayView::checked(bytes, 0, extents);
    array.view.owner = std::make_shared<Buffer>(Runtime::instance().context().memory, bytes, heldReference(host));
    array.layout = layoutOf(extents);
    array.owner = hostMemory(array.view.owner, host);
  } catch (...) {
    raisePython(std::current_exception());
  }
  if (array.owner)
    return self;
  Py_DECREF(self);
  return nullptr;
}

PyObject *setArrayMaker(PyObject *, PyObject *general) {
  Py_XSETREF(generalMaker(), Py_NewRef(general));
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"device_array", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(deviceArray)),
     METH_FASTCALL | METH_KEYWORDS,
     "device_array(shape, dtype=float64, strides=None, order='C', stream=0)\n--\n\n"
     "An uninitialised array in the device's memory.\n\n"
     "`shape`: an int or a tuple. `dtype`: a type object, or anything that names a NumPy dtype of bool, integer,\n"
     "float32/64, complex, or records of them. `order`: \"C\" or \"F\"; `strides`: in bytes, taken as they are, gaps\n"
     "between elements included. Raises TypeError for other dtypes, and CudaAPIError with code 2 where memory is\n"
     "out.\n\n"
     ">>> from treadle import cuda, int16\n"
     ">>> cuda.device_array((3, 2), int16).nbytes\n"
     "12\n"},
    {"device_array_over", deviceArrayOver, METH_O, "A device array over the memory of a contiguous NumPy array."},
    {"set_array_maker", setArrayMaker, METH_O, "What makes arrays with more arguments than shape and dtype."},
    {nullptr, nullptr, 0, nullptr},
};

} // namespace

bool addArrayMakers(PyObject *module) { return PyModule_AddFunctions(module, functions) == 0; }

} // namespace treadle::python

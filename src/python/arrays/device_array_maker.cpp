// device_array: a fast path for few arguments; and arrays over host memory.
#include "python/arrays/device_array_maker.h"

#include "memory/new_array.h"
#include "python/arrays/device_array_object.h"
#include "python/arrays/host_memory.h"
#include "python/arrays/python_memory.h"
#include "python/host/errors.h"
#include "python/host/gil_lock.h"
#include "python/host/held_reference.h"
#include "python/host/stream_object.h"
#include "python/types/dtype_names.h"
#include "python/types/host_array.h"
#include "python/types/value_kinds.h"
#include "runtime/runtime.h"
#include "support/error.h"

#include <nanobind/stl/string_view.h>

#include <utility>

namespace nb = nanobind;

namespace treadle::python {

namespace {

void wait(std::span<const StreamPoint> points) {
  GilLock gil;
  awaitPoints(points, gil);
}

/// Warns of unreported failures. Throws if warnings are errors.
void reportFailures(MemoryManager &manager) {
  for (const std::string &failure : manager.takeFailures())
    warn("TreadleWarning", failure + "; its memory is lost");
}

unsigned readShape(PyObject *shape, int64_t *to) {
  if (PyTuple_Check(shape))
    return readExtents(shape, to, "the shape");
  if (!PyLong_CheckExact(shape)) [[unlikely]]
    return readExtents(nb::make_tuple(nb::handle(shape)).ptr(), to, "the shape");
  to[0] = PyLong_AsLongLong(shape);
  if (to[0] == -1 && PyErr_Occurred())
    throw nb::python_error();
  return 1;
}

/// The device and stream that an array is made for.
struct Destination {
  DeviceContext &context = Runtime::instance().context();
  NamedStream stream = NamedStream::ofDefault();
  MemoryKind kind = MemoryKind::Device;
};

DeviceArray newArray(const Type *element, PyObject *shape, const ElementOrder &order, const Destination &destination) {
  MemoryManager &memory = destination.context.memory;
  const Stream &first = destination.stream.on(memory.device());
  DeviceArray array = makeDeviceArray(deviceArrayType());
  setElementType(*array, element);
  array->view.ndim = uint8_t(readShape(shape, array->view.shape));
  allocateElements(array->view, order, {memory, first.timeline(), destination.kind, wait});
  if (memory.hasFailed()) [[unlikely]]
    reportFailures(memory);
  const bool isC = !order.isFortran && !order.strides;
  array->layout = isC ? Layout::C : layoutOf(array->view.strided());
  return array;
}

const Type *elementOf(PyObject *dtype) {
  const Type *element = elementTypeOf(dtype);
  if (!element)
    throw nb::python_error();
  return element;
}

/// The Python function that handles more arguments than shape and dtype.
nb::object &generalMaker() {
  static auto &maker = *new nb::object;
  return maker;
}

PyObject *deviceArray(PyObject *, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {
  const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  const bool isSimple = (count == 1 || count == 2) &&
                        (named == 0 || (named == 1 && count == 1 &&
                                        PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, 0), "dtype") == 0));
  if (!isSimple || PyList_Check(arguments[0]))
    return PyObject_Vectorcall(generalMaker().ptr(), arguments, size_t(count), keywords);
  return orRaised([&] {
    const Type *element = count + named == 2 ? elementOf(arguments[1]) : types::float64();
    return newArray(element, arguments[0], {}, {}).release().ptr();
  });
}

DeviceArray newArrayOf(nb::handle dtype, const nb::tuple &shape, bool isFortran, nb::handle strides, nb::handle stream,
                       std::string_view kind) {
  ElementOrder order{isFortran};
  std::optional<Integers> given;
  if (!strides.is_none())
    order.strides = given.emplace(strides, "the strides").span();
  const Destination destination{.stream = streamArgument(stream), .kind = memoryKindNamed(kind)};
  return newArray(elementOf(dtype.ptr()), shape.ptr(), order, destination);
}

DeviceArray deviceArrayOver(nb::handle host) {
  if (valueKindOf(host.ptr()).tag != ValueTag::NumpyArray) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "expected a NumPy array, found %R", host.ptr());
    throw nb::python_error();
  }
  HostArray memory;
  if (!memory.take(host.ptr(), PyBUF_WRITABLE))
    throw nb::python_error();
  if (!memory.element()) {
    const std::string dtype = describeDtype(host.ptr());
    if (PyErr_Occurred())
      throw nb::python_error();
    throw UsageError(UsageError::Kind::Type, "arrays of dtype " + dtype + " are not supported");
  }
  const StridedExtents extents = memory.extents();
  const std::span<char> bytes(memory.data(), size_t(elementCount(extents.shape) * extents.itemBytes));
  DeviceArray array = makeDeviceArray(hostBackedArrayType(), ArrayView::checked(bytes, 0, extents));
  setElementType(*array, memory.element());
  array->view.owner = std::make_shared<Buffer>(Runtime::instance().context().memory, bytes,
                                               MemoryOwner{heldMemory(host.ptr()), MemoryKind::Mapped});
  array->layout = layoutOf(extents);
  array->owner = hostMemory(array->view.owner, host).release().ptr();
  return array;
}

PyMethodDef fastFunctions[] = {
    {"device_array", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(deviceArray)),
     METH_FASTCALL | METH_KEYWORDS,
     "device_array(shape, dtype='float64', strides=None, order='C', stream=0)\n--\n\n"
     "An uninitialised array in the device's memory.\n\n"
     "`shape`: an int or a tuple. `dtype`: a type object, or anything that names a NumPy dtype of bool, integer,\n"
     "float32/64, complex, or records of them. `order`: \"C\" or \"F\"; `strides`: in bytes, taken as they are, gaps\n"
     "between elements included. Raises TypeError for other dtypes, and CudaAPIError with code 2 where memory is\n"
     "out.\n\n"
     ">>> from treadle import cuda, int16\n"
     ">>> cuda.device_array((3, 2), int16).nbytes\n"
     "12\n"},
    {nullptr, nullptr, 0, nullptr},
};

} // namespace

void addArrayMakers(nb::module_ &module) {
  if (PyModule_AddFunctions(module.ptr(), fastFunctions) != 0)
    throw nb::python_error();
  module.def("set_array_maker", [](nb::object general) { generalMaker() = std::move(general); });
  module.def("new_array", &newArrayOf, nb::arg("dtype").none(), nb::arg("shape"), nb::arg("is_fortran"),
             nb::arg("strides").none(), nb::arg("stream").none(), nb::arg("kind"));
  module.def("device_array_over", &deviceArrayOver);
}

} // namespace treadle::python

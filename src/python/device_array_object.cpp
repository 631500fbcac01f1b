// The C type DeviceArray: allocation, views, the buffer protocol.
#include "python/device_array_object.h"

#include "launch/runtime.h"
#include "python/buffer_format.h"
#include "python/errors.h"
#include "python/gil_lock.h"
#include "support/error.h"
#include "types/facts.h"

#include <algorithm>
#include <new>

namespace treadle::python {

namespace {

DeviceArrayObject &fields(PyObject *self) { return *reinterpret_cast<DeviceArrayObject *>(self); }

int64_t elementCount(const DeviceArrayObject &array) {
  int64_t count = 1;
  for (unsigned axis = 0; axis < array.ndim; ++axis)
    count *= array.shape[axis];
  return count;
}

/// Axes of length 1 do not matter, and an empty array is contiguous both ways, as NumPy has it.
bool isContiguous(const DeviceArrayObject &array, bool fortran) {
  if (elementCount(array) == 0)
    return true;
  int64_t expected = elementBytes(array.number);
  for (unsigned i = 0; i < array.ndim; ++i) {
    const unsigned axis = fortran ? i : array.ndim - 1 - i;
    if (array.shape[axis] != 1 && array.strides[axis] != expected)
      return false;
    expected *= array.shape[axis];
  }
  return true;
}

void setLayout(DeviceArrayObject &array) {
  array.layout = isContiguous(array, false) ? Layout::C : isContiguous(array, true) ? Layout::F : Layout::Any;
}

/// Reads a tuple of integers into `to`; returns their number, or -1 with a Python error.
int readExtents(PyObject *tuple, int64_t *to, const char *what) {
  const Py_ssize_t count = PyTuple_GET_SIZE(tuple);
  if (count > Py_ssize_t(maxDimensions)) {
    PyErr_Format(PyExc_ValueError, "%s has %zd dimensions; the limit is %u", what, count, maxDimensions);
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    to[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i));
    if (to[i] == -1 && PyErr_Occurred())
      return -1;
  }
  return int(count);
}

/// Fills in the strides of a fresh array; returns its bytes, or -1 with a Python error.
int64_t layOut(DeviceArrayObject &array, bool fortran) {
  int64_t bytes = elementBytes(array.number);
  bool isEmpty = false;
  for (unsigned i = 0; i < array.ndim; ++i) {
    const unsigned axis = fortran ? i : array.ndim - 1 - i;
    array.strides[axis] = bytes;
    if (array.shape[axis] < 0) {
      PyErr_Format(PyExc_ValueError, "negative dimensions are not allowed: shape[%u] is %lld", axis,
                   static_cast<long long>(array.shape[axis]));
      return -1;
    }
    if (array.shape[axis] > maxExtent) {
      PyErr_Format(PyExc_ValueError, "shape[%u] is %lld; arrays have at most 2^47 elements along an axis", axis,
                   static_cast<long long>(array.shape[axis]));
      return -1;
    }
    isEmpty |= array.shape[axis] == 0;
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(array.shape[axis], 1), &bytes)) {
      PyErr_SetString(PyExc_ValueError, "the array would be larger than the address space");
      return -1;
    }
  }
  return isEmpty ? 0 : bytes;
}

/// DeviceArray(number_code, shape, order="C")
PyObject *makeArray(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
  static const char *names[] = {"number", "shape", "order", nullptr};
  int number = 0, order = 'C';
  PyObject *shape = nullptr;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "iO!|C", const_cast<char **>(names), &number, &PyTuple_Type,
                                   &shape, &order))
    return nullptr;
  if (number < 0 || number >= int(NumberCode::None))
    return PyErr_Format(PyExc_ValueError, "no number type has the code %d", number);
  PyObject *self = type->tp_alloc(type, 0);
  if (!self)
    return nullptr;
  DeviceArrayObject &array = fields(self);
  new (&array.buffer) std::shared_ptr<Buffer>;
  array.number = NumberCode(number);
  const int ndim = readExtents(shape, array.shape, "the shape");
  array.ndim = uint8_t(std::max(ndim, 0));
  const int64_t bytes = ndim < 0 ? -1 : layOut(array, order == 'F');
  try {
    if (bytes >= 0)
      array.buffer = std::make_shared<Buffer>(Runtime::instance().device(), size_t(bytes));
  } catch (...) {
    raisePython(std::current_exception());
  }
  if (!array.buffer) {
    Py_DECREF(self);
    return nullptr;
  }
  array.data = array.buffer->data();
  setLayout(array);
  return self;
}

void destroyArray(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  // A Python subclass's own deallocation calls this one, and frees its reference to the class itself.
  fields(self).buffer.~shared_ptr();
  type->tp_free(self);
  Py_DECREF(type);
}

/// view(number_code, byte_offset, shape, strides): another view of the same buffer, which it must lie within.
PyObject *viewArray(PyObject *self, PyObject *arguments) {
  int number = 0;
  long long offset = 0;
  PyObject *shape = nullptr, *strides = nullptr;
  if (!PyArg_ParseTuple(arguments, "iLO!O!", &number, &offset, &PyTuple_Type, &shape, &PyTuple_Type, &strides))
    return nullptr;
  if (number < 0 || number >= int(NumberCode::None))
    return PyErr_Format(PyExc_ValueError, "no number type has the code %d", number);
  PyTypeObject *type = Py_TYPE(self);
  PyObject *made = type->tp_alloc(type, 0);
  if (!made)
    return nullptr;
  const DeviceArrayObject &base = fields(self);
  DeviceArrayObject &array = fields(made);
  new (&array.buffer) std::shared_ptr<Buffer>(base.buffer);
  array.number = NumberCode(number);
  const int ndim = readExtents(shape, array.shape, "the shape");
  const int strideCount = ndim < 0 ? -1 : readExtents(strides, array.strides, "the strides");
  array.ndim = uint8_t(std::max(ndim, 0));
  array.data = base.data + offset;
  const char *low = array.data, *high = array.data + elementBytes(array.number);
  for (int axis = 0; axis < strideCount; ++axis) {
    const int64_t span = array.strides[axis] * (array.shape[axis] - 1);
    low += std::min<int64_t>(span, 0);
    high += std::max<int64_t>(span, 0);
  }
  const bool isInside = low >= base.buffer->data() && high <= base.buffer->data() + base.buffer->bytes();
  if (ndim < 0 || ndim != strideCount || (elementCount(array) != 0 && !isInside)) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_ValueError, "the view would reach beyond its buffer");
    Py_DECREF(made);
    return nullptr;
  }
  setLayout(array);
  return made;
}

/// Before the host looks at the memory itself: all that was put on streams and uses it has run.
void awaitUses(const DeviceArrayObject &array) {
  const std::vector<StreamPoint> uses = array.buffer->unfinishedUses();
  if (uses.empty())
    return;
  GilLock gil;
  gil.becomesLong();
  for (const StreamPoint &point : uses)
    point.wait();
}

int exportBuffer(PyObject *self, Py_buffer *view, int flags) {
  DeviceArrayObject &array = fields(self);
  try {
    awaitUses(array);
  } catch (...) {
    raisePython(std::current_exception());
    return -1;
  }
  view->obj = nullptr;
  const bool wantsC = (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS || (flags & PyBUF_STRIDES) != PyBUF_STRIDES;
  const bool wantsF = (flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS;
  if ((wantsC && !isContiguous(array, false)) || (wantsF && !isContiguous(array, true))) {
    PyErr_SetString(PyExc_BufferError, "the device array is not contiguous in the order asked for");
    return -1;
  }
  view->buf = array.data;
  view->itemsize = elementBytes(array.number);
  view->len = Py_ssize_t(elementCount(array)) * view->itemsize;
  view->readonly = 0;
  view->ndim = array.ndim;
  view->format = (flags & PyBUF_FORMAT) != 0 ? const_cast<char *>(formatOfNumber(array.number)) : nullptr;
  view->shape = (flags & PyBUF_ND) != 0 ? reinterpret_cast<Py_ssize_t *>(array.shape) : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? reinterpret_cast<Py_ssize_t *>(array.strides) : nullptr;
  view->suboffsets = nullptr;
  view->internal = nullptr;
  Py_INCREF(self);
  view->obj = self;
  return 0;
}

PyObject *tupleOf(const int64_t *values, unsigned count) {
  PyObject *tuple = PyTuple_New(count);
  for (unsigned i = 0; tuple && i < count; ++i)
    PyTuple_SET_ITEM(tuple, i, PyLong_FromLongLong(values[i]));
  return tuple;
}

PyObject *getShape(PyObject *self, void *) { return tupleOf(fields(self).shape, fields(self).ndim); }
PyObject *getStrides(PyObject *self, void *) { return tupleOf(fields(self).strides, fields(self).ndim); }
PyObject *getDimensions(PyObject *self, void *) { return PyLong_FromLong(fields(self).ndim); }
PyObject *getSize(PyObject *self, void *) { return PyLong_FromLongLong(elementCount(fields(self))); }
PyObject *getItemBytes(PyObject *self, void *) { return PyLong_FromLong(elementBytes(fields(self).number)); }
PyObject *getBytes(PyObject *self, void *) {
  return PyLong_FromLongLong(elementCount(fields(self)) * elementBytes(fields(self).number));
}
PyObject *getNumber(PyObject *self, void *) { return PyLong_FromLong(long(fields(self).number)); }
PyObject *getAddress(PyObject *self, void *) { return PyLong_FromVoidPtr(fields(self).data); }
PyObject *isContiguousC(PyObject *self, PyObject *) { return PyBool_FromLong(isContiguous(fields(self), false)); }
PyObject *isContiguousF(PyObject *self, PyObject *) { return PyBool_FromLong(isContiguous(fields(self), true)); }

PyGetSetDef attributes[] = {
    {"shape", getShape, nullptr, "Extents, a tuple of int.", nullptr},
    {"strides", getStrides, nullptr, "Distances in bytes between neighbours along each axis, a tuple of int.", nullptr},
    {"ndim", getDimensions, nullptr, "Number of dimensions.", nullptr},
    {"size", getSize, nullptr, "Number of elements.", nullptr},
    {"itemsize", getItemBytes, nullptr, "Bytes of one element.", nullptr},
    {"nbytes", getBytes, nullptr, "Bytes of all elements.", nullptr},
    {"_number", getNumber, nullptr, "Code of the element type.", nullptr},
    {"_address", getAddress, nullptr, "Address of the first element.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"_view", viewArray, METH_VARARGS, "Another view of the same memory."},
    {"_copy_from", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(copyToDevice)), METH_FASTCALL,
     "Copies a host buffer of the same shape and element type here."},
    {"_copy_to", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(copyToHost)), METH_FASTCALL,
     "Copies the elements into a writable host buffer of the same shape and type."},
    {"is_c_contiguous", isContiguousC, METH_NOARGS, "True where the elements lie in C order without gaps."},
    {"is_f_contiguous", isContiguousF, METH_NOARGS, "True where the elements lie in Fortran order without gaps."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char *>("Memory of the device as an array of numbers.")},
    {Py_tp_new, reinterpret_cast<void *>(makeArray)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyArray)},
    {Py_tp_getset, attributes},
    {Py_tp_methods, methods},
    {Py_bf_getbuffer, reinterpret_cast<void *>(exportBuffer)},
    {0, nullptr},
};

PyType_Spec spec = {"treadle._core.DeviceArray", sizeof(DeviceArrayObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                    slots};

PyTypeObject *&typeSlot() {
  static PyTypeObject *type = nullptr;
  return type;
}

} // namespace

PyTypeObject *deviceArrayType() { return typeSlot(); }

bool addDeviceArrayType(PyObject *module) {
  typeSlot() = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return typeSlot() && PyModule_AddObjectRef(module, "DeviceArray", reinterpret_cast<PyObject *>(typeSlot())) == 0;
}

} // namespace treadle::python

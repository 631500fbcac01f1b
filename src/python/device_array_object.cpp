// The C type DeviceNDArray: its attributes and the buffer protocol.
#include "python/device_array_object.h"

#include "launch/runtime.h"
#include "python/buffer_format.h"
#include "python/errors.h"
#include "python/gil_lock.h"
#include "python/record_types.h"
#include "python/type_objects.h"
#include "support/error.h"

#include <structmember.h>

namespace nb = nanobind;

namespace treadle::python {

namespace {

DeviceArrayObject &fields(PyObject *self) { return *reinterpret_cast<DeviceArrayObject *>(self); }

/// DeviceNDArray(type, shape, order="C")
PyObject *makeArray(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
  static const char *names[] = {"type", "shape", "order", nullptr};
  int order = 'C';
  PyObject *dtype = nullptr, *shape = nullptr;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|C", const_cast<char **>(names), &dtype, &shape, &order))
    return nullptr;
  const Type *element = elementTypeOf(dtype);
  return element ? newArray(type, {element, shape, order == 'F'}) : nullptr;
}

void destroyArray(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  DeviceArrayObject &array = fields(self);
  if (array.weakReferences)
    PyObject_ClearWeakRefs(self);
  Py_XDECREF(array.stream);
  // A Python subclass's own deallocation calls this one, and frees its reference to the class itself.
  array.buffer.~shared_ptr();
  type->tp_free(self);
  Py_DECREF(type);
}

/// Before the host looks at the memory itself: all that was put on streams and uses it has run.
void awaitUses(const DeviceArrayObject &array) {
  if (array.buffer->isLost())
    throw DeviceError("use a device array", 709, "its device was reset after it was made: make the array again");
  const std::vector<StreamPoint> uses = array.buffer->unfinishedUses();
  if (uses.empty())
    return;
  GilLock gil;
  awaitPoints(uses, gil);
}

PyObject *waitForUses(PyObject *self, PyObject *) {
  try {
    awaitUses(fields(self));
  } catch (...) {
    raisePython(std::current_exception());
    return nullptr;
  }
  Py_RETURN_NONE;
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
  view->itemsize = array.itemBytes;
  view->len = Py_ssize_t(elementCount(array)) * view->itemsize;
  view->readonly = 0;
  view->ndim = array.ndim;
  const char *format = array.record ? formatOfRecord(array.record) : formatOfNumber(array.number);
  if (!format && (flags & PyBUF_FORMAT) != 0) {
    PyErr_SetString(PyExc_BufferError, "the buffer protocol has no format for these records: their fields overlap, lie "
                                       "in another order than they are named, or have dtypes that kernels do not have");
    return -1;
  }
  view->format = (flags & PyBUF_FORMAT) != 0 ? const_cast<char *>(format) : nullptr;
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
PyObject *getItemBytes(PyObject *self, void *) { return PyLong_FromLong(fields(self).itemBytes); }
PyObject *getBytes(PyObject *self, void *) {
  return PyLong_FromLongLong(elementCount(fields(self)) * fields(self).itemBytes);
}
PyObject *getType(PyObject *self, void *) { return typeObject(elementType(fields(self))).release().ptr(); }
PyObject *getAddress(PyObject *self, void *) { return PyLong_FromVoidPtr(fields(self).data); }
PyObject *isContiguousC(PyObject *self, PyObject *) { return PyBool_FromLong(isContiguous(fields(self), false)); }
PyObject *isContiguousF(PyObject *self, PyObject *) { return PyBool_FromLong(isContiguous(fields(self), true)); }

PyObject *getOrdinal(PyObject *self, void *) {
  Runtime &runtime = Runtime::instance();
  unsigned ordinal = 0;
  while (&runtime.contextAt(ordinal).memory.device() != &fields(self).buffer->device())
    ++ordinal;
  return PyLong_FromLong(ordinal);
}

PyObject *getStream(PyObject *self, void *) {
  PyObject *stream = fields(self).stream;
  return stream ? Py_NewRef(stream) : PyLong_FromLong(0);
}
int setStream(PyObject *self, PyObject *value, void *) {
  PyObject *old = fields(self).stream;
  fields(self).stream = Py_XNewRef(value);
  Py_XDECREF(old);
  return 0;
}

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(DeviceArrayObject, weakReferences), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyGetSetDef attributes[] = {
    {"stream", getStream, setStream, "What copies use that name no stream; 0: the default stream.", nullptr},
    {"shape", getShape, nullptr, "Extents, a tuple of int.", nullptr},
    {"strides", getStrides, nullptr, "Distances in bytes between neighbours along each axis, a tuple of int.", nullptr},
    {"ndim", getDimensions, nullptr, "Number of dimensions.", nullptr},
    {"size", getSize, nullptr, "Number of elements.", nullptr},
    {"itemsize", getItemBytes, nullptr, "Bytes of one element.", nullptr},
    {"nbytes", getBytes, nullptr, "Bytes of all elements.", nullptr},
    {"alloc_size", getBytes, nullptr, "As nbytes.", nullptr},
    {"_type", getType, nullptr, "Type of the elements.", nullptr},
    {"_ordinal", getOrdinal, nullptr, "Number of its device.", nullptr},
    {"_address", getAddress, nullptr, "Address of the first element.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"_view", viewArray, METH_VARARGS, "Another view of the same memory."},
    {"_as", viewAs, METH_O, "The same memory as an object of a subclass."},
    {"_copy_from", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(copyToDevice)), METH_FASTCALL,
     "Copies a host buffer of the same shape and element type here."},
    {"_copy_to", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(copyToHost)), METH_FASTCALL,
     "Copies the elements into a writable host buffer of the same shape and type."},
    {"_wait", waitForUses, METH_NOARGS, "Waits for all that was put on streams and uses the memory."},
    {"is_c_contiguous", isContiguousC, METH_NOARGS, "True where the elements lie in C order without gaps."},
    {"is_f_contiguous", isContiguousF, METH_NOARGS, "True where the elements lie in Fortran order without gaps."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char *>("Memory of the device as an array of numbers or records.")},
    {Py_tp_new, reinterpret_cast<void *>(makeArray)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyArray)},
    {Py_tp_getset, attributes},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {Py_mp_subscript, reinterpret_cast<void *>(indexArray)},
    {Py_bf_getbuffer, reinterpret_cast<void *>(exportBuffer)},
    {0, nullptr},
};

PyType_Spec spec = {"treadle.cuda.DeviceNDArray", sizeof(DeviceArrayObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

PyTypeObject *&typeSlot() {
  static PyTypeObject *type = nullptr;
  return type;
}

} // namespace

PyTypeObject *deviceArrayType() { return typeSlot(); }

bool addDeviceArrayType(PyObject *module) {
  typeSlot() = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return typeSlot() && PyModule_AddObjectRef(module, "DeviceNDArray", reinterpret_cast<PyObject *>(typeSlot())) == 0 &&
         addArrayMakers(module);
}

} // namespace treadle::python

// The C type DeviceNDArray: its attributes, and what the host waits for before it looks at the memory.
#include "python/arrays/device_array_object.h"

#include "launch/runtime.h"
#include "python/arrays/device_array_copy.h"
#include "python/arrays/device_array_maker.h"
#include "python/arrays/device_array_views.h"
#include "python/arrays/host_memory.h"
#include "python/host/errors.h"
#include "python/host/gil_lock.h"
#include "python/host/object_access.h"
#include "python/host/stream_object.h"
#include "python/types/dtype_names.h"
#include "python/types/numpy_layout.h"
#include "python/types/type_objects.h"
#include "python/types/value_kinds.h"
#include "support/error.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <structmember.h>
#include <utility>

namespace nb = nanobind;

namespace treadle::python {

namespace {

DeviceArrayObject &fields(PyObject *self) { return *reinterpret_cast<DeviceArrayObject *>(self); }

/// False with a Python error.
bool readKind(const std::string_view name, MemoryKind &kind) {
  constexpr std::pair<std::string_view, MemoryKind> kinds[] = {
      {"device", MemoryKind::Device},
      {"pinned", MemoryKind::Pinned},
      {"mapped", MemoryKind::Mapped},
      {"managed", MemoryKind::Managed},
  };
  const auto *const found = std::ranges::find(kinds, name, &std::pair<std::string_view, MemoryKind>::first);
  if (found == std::end(kinds)) {
    PyErr_SetString(PyExc_ValueError, "memory is of kind device, pinned, mapped or managed");
    return false;
  }
  kind = found->second;
  return true;
}

/// DeviceNDArray(type, shape, order="C", strides=None, stream=0, kind="device")
PyObject *makeArray(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
  static const char *names[] = {"type", "shape", "order", "strides", "stream", "kind", nullptr};
  int order = 'C';
  const char *kindName = "device";
  MemoryKind kind = MemoryKind::Device;
  PyObject *dtype = nullptr, *shape = nullptr, *strides = nullptr, *stream = nullptr;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|COOs", const_cast<char **>(names), &dtype, &shape, &order,
                                   &strides, &stream, &kindName))
    return nullptr;
  const Type *element = elementTypeOf(dtype);
  if (strides == Py_None)
    strides = nullptr;
  if (!element || !readKind(kindName, kind))
    return nullptr;
  return newArray(type, {element, shape, order == 'F', strides, stream, kind});
}

void destroyArray(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  DeviceArrayObject &array = fields(self);
  if (array.weakReferences)
    PyObject_ClearWeakRefs(self);
  if (PyType_IS_GC(type))
    PyObject_GC_UnTrack(self);
  Py_XDECREF(array.stream);
  Py_XDECREF(array.owner);
  // A Python subclass's own deallocation calls this one, and frees its reference to the class itself.
  array.view.~ArrayView();
  type->tp_free(self);
  Py_DECREF(type);
}

/// Before the host looks at the memory itself: all that was put on streams and uses it has run, and so has what
/// another thread runs itself on the legacy default stream, of which no Buffer knows.
void awaitUses(const DeviceArrayObject &array) {
  Buffer &buffer = *array.view.owner;
  if (buffer.isLost())
    throw DeviceError("use a device array", CudaResult::ContextIsDestroyed,
                      "its device was reset after it was made: make the array again");
  std::vector<StreamPoint> points = buffer.uses();
  if (StreamPoint running = buffer.device().runningOnCaller(); !running.isComplete())
    points.push_back(std::move(running));
  waitFor(points);
}

PyObject *waitMethod(PyObject *self, PyObject *) {
  if (!waitForUses(fields(self)))
    return nullptr;
  Py_RETURN_NONE;
}

PyObject *tupleOf(const int64_t *values, unsigned count) {
  PyObject *tuple = PyTuple_New(count);
  for (unsigned i = 0; tuple && i < count; ++i)
    PyTuple_SET_ITEM(tuple, i, PyLong_FromLongLong(values[i]));
  return tuple;
}

const ArrayView &view(PyObject *self) { return fields(self).view; }

PyObject *getShape(PyObject *self, void *) { return tupleOf(view(self).shape, view(self).ndim); }
PyObject *getStrides(PyObject *self, void *) { return tupleOf(view(self).strides, view(self).ndim); }
PyObject *getDimensions(PyObject *self, void *) { return PyLong_FromLong(view(self).ndim); }
PyObject *getSize(PyObject *self, void *) { return PyLong_FromLongLong(view(self).count()); }
PyObject *getItemBytes(PyObject *self, void *) { return PyLong_FromLong(view(self).itemBytes); }
PyObject *getBytes(PyObject *self, void *) {
  return PyLong_FromLongLong(view(self).count() * int64_t(view(self).itemBytes));
}
PyObject *getReach(PyObject *self, void *) {
  const std::optional<ByteRange> reach = reachOf(view(self).strided());
  return PyLong_FromLongLong(reach->last - reach->first);
}
PyObject *getType(PyObject *self, void *) { return typeObject(elementType(fields(self))).release().ptr(); }
PyObject *isHostVisible(PyObject *self, void *) { return PyBool_FromLong(view(self).owner->isHostVisible()); }
PyObject *getAddress(PyObject *self, void *) { return PyLong_FromVoidPtr(view(self).data); }
PyObject *isContiguousC(PyObject *self, PyObject *) {
  return PyBool_FromLong(isContiguous(view(self).strided(), false));
}
PyObject *isContiguousF(PyObject *self, PyObject *) {
  return PyBool_FromLong(isContiguous(view(self).strided(), true));
}

/// _holds(array): whether the memory of a NumPy array lies in the buffer.
PyObject *holds(PyObject *self, PyObject *array) {
  const bool answer = holdsArray(fields(self), array);
  return PyErr_Occurred() ? nullptr : PyBool_FromLong(answer);
}

PyObject *getOrdinal(PyObject *self, void *) {
  Runtime &runtime = Runtime::instance();
  unsigned ordinal = 0;
  while (&runtime.contextAt(ordinal).memory.device() != &view(self).owner->device())
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
    {"alloc_size", getReach, nullptr, "Bytes from the first to the last element, with the gaps between them.", nullptr},
    {"_type", getType, nullptr, "Type of the elements.", nullptr},
    {"_ordinal", getOrdinal, nullptr, "Number of its device.", nullptr},
    {"_is_host_visible", isHostVisible, nullptr, "Whether the host can look at the memory.", nullptr},
    {"_address", getAddress, nullptr, "Address of the first element.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"_at", viewAt, METH_O, "What an index means, as a view."},
    {"_reshaped", reshapeArray, METH_VARARGS, "The same elements with other extents."},
    {"_permuted", permuteArray, METH_O, "The axes in another order."},
    {"_squeezed", squeezeArray, METH_O, "Without axes of extent 1."},
    {"_viewed", retypeArray, METH_O, "The same memory as elements of another type."},
    {"_view", viewArray, METH_VARARGS, "Another view of the same memory."},
    {"_holds", holds, METH_O, "Whether the memory of a NumPy array lies in that of the array's buffer."},
    {"_as", viewAs, METH_O, "The same memory as an object of a subclass."},
    {"_copy_from", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(copyHere)), METH_FASTCALL,
     "Copies a host buffer of the same shape and element type here."},
    {"_copy_to", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(copyThere)), METH_FASTCALL,
     "Copies the elements into a writable host buffer of the same shape and type."},
    {"_assign", assignArray, METH_O, "Copies an array here when nothing uses the two any more."},
    {"_fill", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(fillArray)), METH_FASTCALL,
     "Sets each byte of an array without gaps."},
    {"_wait", waitMethod, METH_NOARGS, "Waits for all that was put on streams and uses the memory."},
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
    {0, nullptr},
};

PyType_Spec spec = {"treadle.cuda.DeviceNDArray", sizeof(DeviceArrayObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

int visitOwner(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(fields(self).stream);
  Py_VISIT(fields(self).owner);
  return 0;
}

PyType_Slot hostBackedSlots[] = {{Py_tp_traverse, reinterpret_cast<void *>(visitOwner)}, {0, nullptr}};

PyType_Spec hostBackedSpec = {"treadle.cuda.DeviceNDArray", sizeof(DeviceArrayObject), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, hostBackedSlots};

struct ArrayTypes {
  PyTypeObject *plain = nullptr;
  PyTypeObject *hostBacked = nullptr;
};

ArrayTypes &arrayTypes() {
  static ArrayTypes types;
  return types;
}

} // namespace

void setElementType(DeviceArrayObject &array, const Type *element) {
  array.record = element->isRecord() ? element : nullptr;
  array.number = array.record ? NumberCode::Record : numberCode(element);
  array.view.itemBytes = element->bytes();
}

bool holdsArray(const DeviceArrayObject &array, PyObject *numpyArray) {
  const ValueTag tag = valueKindOf(numpyArray).tag;
  if (tag != ValueTag::NumpyArray && tag != ValueTag::VisibleArray)
    return false;
  PyObject *bytes = PyObject_GetAttrString(numpyArray, "itemsize");
  const long long itemBytes = bytes ? PyLong_AsLongLong(bytes) : -1;
  Py_XDECREF(bytes);
  if (itemBytes < 0) {
    forgetError({PyExc_AttributeError, PyExc_TypeError, PyExc_OverflowError});
    return false;
  }
  const auto &host = *reinterpret_cast<NumpyArray *>(numpyArray);
  const StridedExtents extents{{host.dimensions, size_t(host.nd)}, {host.strides, size_t(host.nd)}, itemBytes};
  const Buffer &buffer = *array.view.owner;
  return liesIn({buffer.data(), buffer.bytes()}, host.data, extents);
}

int readExtents(PyObject *tuple, int64_t *to, const char *what) {
  const Py_ssize_t count = PyTuple_GET_SIZE(tuple);
  if (count > Py_ssize_t(maxDimensions)) {
    PyErr_Format(PyExc_ValueError, "%s has %zd dimensions; the limit is %u", what, count, maxDimensions);
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *item = PyTuple_GET_ITEM(tuple, i);
    if (PyLong_CheckExact(item)) [[likely]] {
      to[i] = PyLong_AsLongLong(item);
    } else {
      PyObject *number = PyNumber_Index(item);
      to[i] = number ? PyLong_AsLongLong(number) : -1;
      Py_XDECREF(number);
    }
    if (to[i] == -1 && PyErr_Occurred())
      return -1;
  }
  return int(count);
}

bool waitForUses(const DeviceArrayObject &array) {
  try {
    awaitUses(array);
    return true;
  } catch (...) {
    raisePython(std::current_exception());
    return false;
  }
}

PyTypeObject *deviceArrayType() { return arrayTypes().plain; }
PyTypeObject *hostBackedArrayType() { return arrayTypes().hostBacked; }

bool addDeviceArrayType(PyObject *module) {
  PyObject *plain = PyType_FromSpec(&spec);
  // Not every array: what the collector tracks takes longer to make than memory to allocate.
  PyObject *bases = plain ? PyTuple_Pack(1, plain) : nullptr;
  PyObject *hostBacked = bases ? PyType_FromSpecWithBases(&hostBackedSpec, bases) : nullptr;
  Py_XDECREF(bases);
  arrayTypes() = {reinterpret_cast<PyTypeObject *>(plain), reinterpret_cast<PyTypeObject *>(hostBacked)};
  if (plain)
    declareKind(reinterpret_cast<PyTypeObject *>(plain), ValueTag::DeviceArray);
  return hostBacked && PyModule_AddObjectRef(module, "DeviceNDArray", plain) == 0 && addHostMemoryType() &&
         addArrayMakers(module);
}

} // namespace treadle::python

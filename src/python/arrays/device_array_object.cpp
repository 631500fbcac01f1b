// The C type DeviceNDArray: its attributes, and waiting before the host accesses the memory.
#include "python/arrays/device_array_object.h"

#include "interop/exported_tensor.h"
#include "python/arrays/device_array_copy.h"
#include "python/arrays/device_array_maker.h"
#include "python/arrays/device_array_views.h"
#include "python/arrays/host_memory.h"
#include "python/arrays/operand_key.h"
#include "python/host/held_reference.h"
#include "python/host/object_access.h"
#include "python/host/stream_object.h"
#include "python/types/numpy_layout.h"
#include "python/types/type_objects.h"
#include "python/types/value_kinds.h"
#include "runtime/runtime.h"
#include "support/error.h"

#include <fmt/core.h>
#include <structmember.h>
#include <utility>

namespace nb = nanobind;

namespace treadle::python {

namespace {

DeviceArrayObject &fields(PyObject *self) { return *reinterpret_cast<DeviceArrayObject *>(self); }

void destroyArray(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  DeviceArrayObject &array = fields(self);
  if (array.weakReferences)
    PyObject_ClearWeakRefs(self);
  if (PyType_IS_GC(type))
    PyObject_GC_UnTrack(self);
  Py_XDECREF(array.stream);
  Py_XDECREF(array.owner);
  delete[] array.lentStrides;
  // A Python subclass's own deallocation calls this one, and frees its reference to the class itself.
  if (array.view.owner && array.view.owner->isForeign()) [[unlikely]] {
    const nb::error_scope pending; // dropping the memory may run Python code
    array.view.~ArrayView();
    releaseHeldReferences();
  } else {
    array.view.~ArrayView();
  }
  type->tp_free(self);
  Py_DECREF(type);
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
PyObject *isReadOnly(PyObject *self, void *) { return PyBool_FromLong(fields(self).isReadOnly); }
PyObject *getAddress(PyObject *self, void *) { return PyLong_FromVoidPtr(view(self).data); }
PyObject *isContiguousC(PyObject *self, PyObject *) {
  return PyBool_FromLong(isContiguous(view(self).strided(), false));
}
PyObject *isContiguousF(PyObject *self, PyObject *) {
  return PyBool_FromLong(isContiguous(view(self).strided(), true));
}

PyObject *getMemoryOwner(PyObject *self, void *) {
  const MemoryOwner *const owner = view(self).owner->memoryOwner();
  PyObject *const object = owner ? heldObject(owner->owner) : nullptr;
  return Py_NewRef(object ? object : Py_None);
}

PyObject *getOrdinal(PyObject *self, void *) {
  return PyLong_FromLong(Runtime::instance().contextOf(view(self).owner->device()).ordinal);
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
    {"_memory_owner", getMemoryOwner, nullptr, "The object that its memory belongs to, or None.", nullptr},
    {"_is_host_visible", isHostVisible, nullptr, "Whether the host can look at the memory.", nullptr},
    {"_is_read_only", isReadOnly, nullptr, "Whether the memory is read-only.", nullptr},
    {"_address", getAddress, nullptr, "Address of the first element.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"_at", viewAt, METH_O, "What an index means, as a view."},
    {"is_c_contiguous", isContiguousC, METH_NOARGS,
     "is_c_contiguous($self, /)\n--\n\nTrue where the elements lie in C order without gaps."},
    {"is_f_contiguous", isContiguousF, METH_NOARGS,
     "is_f_contiguous($self, /)\n--\n\nTrue where the elements lie in Fortran order without gaps."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_doc,
     const_cast<char *>("Memory of the device as an array of numbers, records, or what only other libraries know.")},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyArray)},
    {Py_tp_getset, attributes},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {Py_mp_subscript, reinterpret_cast<void *>(indexArray)},
    {0, nullptr},
};

PyType_Spec spec = {"treadle.cuda.DeviceNDArray", sizeof(DeviceArrayObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

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

uint64_t nextSerial() {
  static uint64_t last = 0; // guarded by the GIL
  return ++last;
}

void checkWritable(const DeviceArrayObject &array) {
  if (array.isReadOnly) [[unlikely]]
    throw UsageError(UsageError::Kind::Value, "the array is read-only: its memory belongs to another library, which "
                                              "said so; copy the array to write to it");
}

int64_t *lentStrides(const DeviceArrayObject &array) {
  if (array.lentStrides) [[likely]]
    return array.lentStrides;
  auto made = std::make_unique_for_overwrite<int64_t[]>(maxDimensions);
  strideInElements(array.view, made.get());
  // Extents and strides of an array are constant.
  return const_cast<DeviceArrayObject &>(array).lentStrides = made.release();
}

void setElementType(DeviceArrayObject &array, const Type *element) {
  array.element = element->isNumber() ? nullptr : element;
  array.number = array.element ? NumberCode::Other : numberCode(element);
  array.view.itemBytes = element->bytes();
}

bool holdsArray(const DeviceArrayObject &array, PyObject *numpyArray) {
  const ValueTag tag = valueKindOf(numpyArray).tag;
  if (tag != ValueTag::NumpyArray && tag != ValueTag::VisibleArray)
    return false;
  const nb::object bytes = nb::steal(PyObject_GetAttrString(numpyArray, "itemsize"));
  const long long itemBytes = bytes.is_valid() ? PyLong_AsLongLong(bytes.ptr()) : -1;
  if (itemBytes < 0) {
    forgetError({PyExc_AttributeError, PyExc_TypeError, PyExc_OverflowError});
    return false;
  }
  const auto &host = *reinterpret_cast<NumpyArray *>(numpyArray);
  const StridedExtents extents{{host.dimensions, size_t(host.nd)}, {host.strides, size_t(host.nd)}, itemBytes};
  const Buffer &buffer = *array.view.owner;
  return liesIn({buffer.data(), buffer.bytes()}, host.data, extents);
}

unsigned readExtents(PyObject *tuple, int64_t *to, const char *what) {
  const Py_ssize_t count = PyTuple_GET_SIZE(tuple);
  if (count > Py_ssize_t(maxDimensions))
    throw UsageError(UsageError::Kind::Value,
                     fmt::format("{} has {} dimensions; the limit is {}", what, count, maxDimensions));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *item = PyTuple_GET_ITEM(tuple, i);
    if (PyLong_CheckExact(item)) [[likely]] {
      to[i] = PyLong_AsLongLong(item);
    } else {
      const nb::object number = nb::steal(PyNumber_Index(item));
      to[i] = number.is_valid() ? PyLong_AsLongLong(number.ptr()) : -1;
    }
    if (to[i] == -1 && PyErr_Occurred())
      throw nb::python_error();
  }
  return unsigned(count);
}

/// Work that another thread itself runs on the legacy default stream is not in any Buffer's uses.
void awaitUses(const DeviceArrayObject &array) {
  const Buffer &buffer = *array.view.owner;
  buffer.checkAlive();
  StreamPoint running = buffer.device().runningOnCaller();
  if (buffer.isQuiet() && running.isComplete()) [[likely]]
    return;
  std::vector<StreamPoint> points = buffer.uses();
  if (buffer.earlierUse().timeline)
    points.push_back(buffer.earlierUse());
  if (Stream *const producer = buffer.producer())
    points.push_back(producer->record(false).point);
  if (!running.isComplete())
    points.push_back(std::move(running));
  waitFor(points);
}

PyTypeObject *deviceArrayType() { return arrayTypes().plain; }
PyTypeObject *hostBackedArrayType() { return arrayTypes().hostBacked; }

void addDeviceArrays(nb::module_ &module) {
  nb::object plain = nb::steal(PyType_FromSpec(&spec));
  // Not for every array: making a GC-tracked object takes longer than allocating memory.
  nb::object hostBacked =
      nb::steal(plain.is_valid() ? PyType_FromSpecWithBases(&hostBackedSpec, nb::make_tuple(plain).ptr()) : nullptr);
  if (!hostBacked.is_valid())
    throw nb::python_error();
  module.attr("DeviceNDArray") = plain;
  addArrayViews(plain);
  addArrayCopies(plain);
  addMethod(plain, "_holds", [](const DeviceArray &self, nb::handle array) {
    const bool answer = holdsArray(*self, array.ptr());
    if (PyErr_Occurred())
      throw nb::python_error();
    return answer;
  });
  addMethod(plain, "_wait", [](const DeviceArray &self) { awaitUses(*self); });
  arrayTypes() = {reinterpret_cast<PyTypeObject *>(plain.release().ptr()),
                  reinterpret_cast<PyTypeObject *>(hostBacked.release().ptr())};
  declareKind(deviceArrayType(), ValueTag::DeviceArray);
  addHostMemoryType();
  addArrayMakers(module);
  addOperandKey(module);
}

} // namespace treadle::python

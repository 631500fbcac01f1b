// Views of device arrays: by indices as NumPy has them, and by shape and strides.
#include "python/device_array_object.h"

#include <algorithm>
#include <new>

namespace treadle::python {

namespace {

DeviceArrayObject &fields(PyObject *self) { return *reinterpret_cast<DeviceArrayObject *>(self); }

/// A view of the same buffer and element type, which still has to be given its shape. New reference.
PyObject *copyView(PyObject *self, PyTypeObject *type = deviceArrayType()) {
  PyObject *made = type->tp_alloc(type, 0);
  if (!made)
    return nullptr;
  const DeviceArrayObject &base = fields(self);
  DeviceArrayObject &array = fields(made);
  new (&array.buffer) std::shared_ptr<Buffer>(base.buffer);
  array.data = base.data;
  array.number = base.number;
  array.itemBytes = base.itemBytes;
  array.record = base.record;
  array.stream = Py_XNewRef(base.stream);
  array.ndim = 0;
  return made;
}

/// The axes of an array that an index leaves, one axis of the array after the other.
class IndexedView {
public:
  IndexedView(const DeviceArrayObject &base, DeviceArrayObject &view) : base(base), view(view) {}

  bool take(PyObject *part) {
    if (PySlice_Check(part))
      return takeSlice(part);
    // NumPy's arrays say that they are an index, and raise TypeError where they are none.
    PyObject *number = PyIndex_Check(part) && !PyBool_Check(part) ? PyNumber_Index(part) : nullptr;
    if (!number) {
      if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_IndexError, "device arrays are indexed by ints, slices and '...', found %R", part);
      return false;
    }
    const bool done = takePosition(number);
    Py_DECREF(number);
    return done;
  }

  void takeWhole(unsigned count) {
    for (; count > 0; --count, ++axis)
      keep(base.shape[axis], base.strides[axis]);
  }

  unsigned axesLeft() const { return base.ndim - axis; }

private:
  void keep(int64_t extent, int64_t stride) {
    view.shape[view.ndim] = extent;
    view.strides[view.ndim] = stride;
    ++view.ndim;
  }

  bool takeSlice(PyObject *slice) {
    Py_ssize_t start = 0, stop = 0, step = 0;
    if (PySlice_Unpack(slice, &start, &stop, &step) != 0)
      return false;
    const int64_t length = PySlice_AdjustIndices(base.shape[axis], &start, &stop, step);
    view.data += length > 0 ? start * base.strides[axis] : 0;
    keep(length, base.strides[axis] * step);
    ++axis;
    return true;
  }

  bool takePosition(PyObject *number) {
    int overflow = 0;
    const int64_t extent = base.shape[axis];
    const long long given = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (overflow != 0 || given < -extent || given >= extent) {
      PyErr_Format(PyExc_IndexError, "index %S is out of bounds for axis %u with size %lld", number, axis,
                   static_cast<long long>(extent));
      return false;
    }
    view.data += (given < 0 ? given + extent : given) * base.strides[axis];
    ++axis;
    return true;
  }

  const DeviceArrayObject &base;
  DeviceArrayObject &view;
  unsigned axis = 0;
};

bool take(IndexedView &view, unsigned ndim, PyObject *const *parts, Py_ssize_t count) {
  const Py_ssize_t dots = std::count(parts, parts + count, Py_Ellipsis);
  if (dots > 1) {
    PyErr_SetString(PyExc_IndexError, "an index can only have a single ellipsis ('...')");
    return false;
  }
  const Py_ssize_t missing = Py_ssize_t(ndim) - (count - dots);
  if (missing < 0) {
    PyErr_Format(PyExc_IndexError, "too many indices: the array has %u dimensions, %zd were indexed", ndim,
                 count - dots);
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (parts[i] == Py_Ellipsis)
      view.takeWhole(unsigned(missing));
    else if (!view.take(parts[i]))
      return false;
  }
  view.takeWhole(view.axesLeft());
  return true;
}

/// The field of all records: further axes where it is an array.
bool takeField(const DeviceArrayObject &base, PyObject *name, DeviceArrayObject &view) {
  Py_ssize_t length = 0;
  const char *text = PyUnicode_AsUTF8AndSize(name, &length);
  const int place = text && base.record ? base.record->fieldIndex({text, size_t(length)}) : -1;
  if (place < 0) {
    if (!PyErr_Occurred())
      PyErr_Format(base.record ? PyExc_KeyError : PyExc_IndexError,
                   base.record ? "the records have no field %R" : "only arrays of records have fields; found index %R",
                   name);
    return false;
  }
  const RecordField &field = base.record->fields()[size_t(place)];
  if (field.type->isNone()) {
    PyErr_Format(PyExc_TypeError, "field %R has a dtype that kernels do not have: copy the records to the host", name);
    return false;
  }
  const unsigned ndim = base.ndim + unsigned(field.shape.size());
  if (ndim > maxDimensions) {
    PyErr_Format(PyExc_ValueError, "field %R would have %u dimensions; the limit is %u", name, ndim, maxDimensions);
    return false;
  }
  setElementType(view, field.type);
  view.data = base.data + field.offset;
  view.ndim = uint8_t(ndim);
  std::copy_n(base.shape, base.ndim, view.shape);
  std::copy_n(base.strides, base.ndim, view.strides);
  int64_t stride = view.itemBytes;
  for (size_t axis = field.shape.size(); axis-- > 0; stride *= field.shape[axis]) {
    view.shape[base.ndim + axis] = field.shape[axis];
    view.strides[base.ndim + axis] = stride;
  }
  return true;
}

} // namespace

PyObject *indexArray(PyObject *self, PyObject *item) {
  PyObject *made = copyView(self);
  if (!made)
    return nullptr;
  const DeviceArrayObject &base = fields(self);
  DeviceArrayObject &view = fields(made);
  bool done = false;
  if (PyUnicode_Check(item)) {
    done = takeField(base, item, view);
  } else {
    IndexedView axes(base, view);
    done = PyTuple_Check(item) ? take(axes, base.ndim, &PyTuple_GET_ITEM(item, 0), PyTuple_GET_SIZE(item))
                               : take(axes, base.ndim, &item, 1);
  }
  if (!done) {
    Py_DECREF(made);
    return nullptr;
  }
  setLayout(view);
  const bool isElement = view.ndim == 0 && item != Py_Ellipsis;
  if (!isElement)
    return made;
  PyObject *element = PyObject_CallMethod(made, "_element", nullptr);
  Py_DECREF(made);
  return element;
}

PyObject *viewAs(PyObject *self, PyObject *type) {
  if (!PyType_Check(type) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(type), deviceArrayType()))
    return PyErr_Format(PyExc_TypeError, "%R is no class of device arrays", type);
  PyObject *made = copyView(self, reinterpret_cast<PyTypeObject *>(type));
  if (!made)
    return nullptr;
  DeviceArrayObject &array = fields(made);
  array.ndim = fields(self).ndim;
  array.layout = fields(self).layout;
  std::copy_n(fields(self).shape, array.ndim, array.shape);
  std::copy_n(fields(self).strides, array.ndim, array.strides);
  return made;
}

PyObject *viewArray(PyObject *self, PyObject *arguments) {
  long long offset = 0;
  PyObject *type = nullptr, *shape = nullptr, *strides = nullptr;
  if (!PyArg_ParseTuple(arguments, "OLO!O!", &type, &offset, &PyTuple_Type, &shape, &PyTuple_Type, &strides))
    return nullptr;
  PyObject *made = copyView(self);
  if (!made)
    return nullptr;
  const DeviceArrayObject &base = fields(self);
  DeviceArrayObject &array = fields(made);
  const Type *element = elementTypeOf(type);
  if (element)
    setElementType(array, element);
  const int ndim = element ? readExtents(shape, array.shape, "the shape") : -1;
  const int strideCount = ndim < 0 ? -1 : readExtents(strides, array.strides, "the strides");
  array.ndim = uint8_t(std::max(ndim, 0));
  array.data = base.data + offset;
  const char *low = array.data, *high = array.data + array.itemBytes;
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

} // namespace treadle::python

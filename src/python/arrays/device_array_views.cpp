// Indices and shapes, read from Python and checked.
#include "python/arrays/device_array_views.h"

#include "python/host/errors.h"
#include "python/types/dtype_names.h"

#include <algorithm>
#include <new>

namespace treadle::python {

namespace {

DeviceArrayObject &fields(PyObject *self) { return *reinterpret_cast<DeviceArrayObject *>(self); }

/// The same view as another object. New reference.
PyObject *copyView(PyObject *self, PyTypeObject *type) {
  PyObject *made = type->tp_alloc(type, 0);
  if (!made)
    return nullptr;
  const DeviceArrayObject &base = fields(self);
  DeviceArrayObject &array = fields(made);
  new (&array.view) ArrayView(base.view);
  array.number = base.number;
  array.layout = base.layout;
  array.record = base.record;
  array.stream = Py_XNewRef(base.stream);
  array.owner = Py_XNewRef(base.owner);
  return made;
}

PyObject *copyView(PyObject *self) {
  return copyView(self, fields(self).owner ? hostBackedArrayType() : deviceArrayType());
}

/// The axes of an array that an index leaves, one axis of the array after the other.
class IndexedView {
public:
  IndexedView(const ArrayView &base, ArrayView &view) : base(base), view(view) { view.ndim = 0; }

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
    // Steps beyond the axis leave one element, whose stride does not matter.
    int64_t stride = 0;
    if (__builtin_mul_overflow(base.strides[axis], int64_t(step), &stride))
      stride = base.strides[axis];
    keep(length, stride);
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

  const ArrayView &base;
  ArrayView &view;
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
bool takeField(const DeviceArrayObject &base, PyObject *name, DeviceArrayObject &array) {
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
  const ArrayView &whole = base.view;
  const unsigned ndim = whole.ndim + unsigned(field.shape.size());
  if (ndim > maxDimensions) {
    PyErr_Format(PyExc_ValueError, "field %R would have %u dimensions; the limit is %u", name, ndim, maxDimensions);
    return false;
  }
  setElementType(array, field.type);
  ArrayView &view = array.view;
  view.data += field.offset;
  view.ndim = uint8_t(ndim);
  std::ranges::copy(field.shape, view.shape + whole.ndim);
  try {
    packStrides(field.shape, view.itemBytes, false, {view.strides + whole.ndim, field.shape.size()});
  } catch (...) {
    raisePython(std::current_exception());
    return false;
  }
  return true;
}

} // namespace

PyObject *indexArray(PyObject *self, PyObject *item) {
  PyObject *made = copyView(self);
  if (!made)
    return nullptr;
  const DeviceArrayObject &base = fields(self);
  DeviceArrayObject &array = fields(made);
  bool done = false;
  if (PyUnicode_Check(item)) {
    done = takeField(base, item, array);
  } else {
    IndexedView axes(base.view, array.view);
    const unsigned ndim = base.view.ndim;
    done = PyTuple_Check(item) ? take(axes, ndim, &PyTuple_GET_ITEM(item, 0), PyTuple_GET_SIZE(item))
                               : take(axes, ndim, &item, 1);
  }
  if (!done) {
    Py_DECREF(made);
    return nullptr;
  }
  array.layout = layoutOf(array.view.strided());
  const bool isElement = array.view.ndim == 0 && item != Py_Ellipsis;
  if (!isElement)
    return made;
  PyObject *element = PyObject_CallMethod(made, "_element", nullptr);
  Py_DECREF(made);
  return element;
}

PyObject *viewAs(PyObject *self, PyObject *type) {
  if (!PyType_Check(type) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(type), deviceArrayType()))
    return PyErr_Format(PyExc_TypeError, "%R is no class of device arrays", type);
  return copyView(self, reinterpret_cast<PyTypeObject *>(type));
}

namespace {

/// The checked view of the memory that `base` is a view of. Throws UsageError.
ArrayView viewOf(const ArrayView &base, int64_t offset, const StridedExtents &extents) {
  const std::span<char> memory(base.owner->data(), base.owner->bytes());
  // What wraps here is negative, and lies outside of any memory.
  ArrayView view = ArrayView::checked(memory, int64_t(uint64_t(base.data - memory.data()) + uint64_t(offset)), extents);
  view.owner = base.owner;
  return view;
}

} // namespace

PyObject *viewArray(PyObject *self, PyObject *arguments) {
  long long offset = 0;
  PyObject *type = nullptr, *shape = nullptr, *strides = nullptr;
  if (!PyArg_ParseTuple(arguments, "OLO!O", &type, &offset, &PyTuple_Type, &shape, &strides))
    return nullptr;
  const Type *element = elementTypeOf(type);
  if (!element)
    return nullptr;
  int64_t extents[maxDimensions], steps[maxDimensions];
  const int ndim = readExtents(shape, extents, "the shape");
  const bool isPacked = strides == Py_None;
  const int strideCount = isPacked || ndim < 0 ? ndim : readExtents(strides, steps, "the strides");
  PyObject *made = strideCount < 0 ? nullptr : copyView(self);
  if (!made)
    return nullptr;
  DeviceArrayObject &array = fields(made);
  setElementType(array, element);
  try {
    const StridedExtents wanted{{extents, size_t(ndim)}, {steps, size_t(strideCount)}, element->bytes()};
    if (isPacked)
      packStrides(wanted.shape, wanted.itemBytes, false, {steps, size_t(ndim)});
    array.view = viewOf(fields(self).view, offset, wanted);
  } catch (...) {
    raisePython(std::current_exception());
    Py_DECREF(made);
    return nullptr;
  }
  array.layout = layoutOf(array.view.strided());
  return made;
}

} // namespace treadle::python

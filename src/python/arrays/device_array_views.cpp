// Indices and shapes, read from Python and checked.
#include "python/arrays/device_array_views.h"

#include "memory/array_shapes.h"
#include "python/host/errors.h"
#include "python/types/dtype_names.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <new>

namespace nb = nanobind;

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

bool takeSlice(SelectedAxes &axes, PyObject *slice) {
  Py_ssize_t start = 0, stop = 0, step = 0;
  if (PySlice_Unpack(slice, &start, &stop, &step) != 0)
    return false;
  const int64_t length = PySlice_AdjustIndices(axes.extent(), &start, &stop, step);
  axes.slice(start, length, step);
  return true;
}

/// Numbers beyond 64 bits are out of bounds of any axis.
bool takePosition(SelectedAxes &axes, PyObject *number) {
  int overflow = 0;
  const long long index = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow != 0) {
    PyErr_Format(PyExc_IndexError, "index %S is out of bounds for an axis with size %lld", number,
                 static_cast<long long>(axes.extent()));
    return false;
  }
  axes.position(index);
  return true;
}

bool takePart(SelectedAxes &axes, PyObject *part) {
  if (PySlice_Check(part))
    return takeSlice(axes, part);
  if (PyLong_CheckExact(part)) [[likely]]
    return takePosition(axes, part);
  // NumPy's arrays say that they are an index, and raise TypeError where they are none.
  const nb::object number = nb::steal(PyIndex_Check(part) && !PyBool_Check(part) ? PyNumber_Index(part) : nullptr);
  if (number.is_valid())
    return takePosition(axes, number.ptr());
  if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError))
    PyErr_Format(PyExc_IndexError, "device arrays are indexed by ints, slices and '...', found %R", part);
  return false;
}

bool take(SelectedAxes &view, unsigned ndim, PyObject *const *parts, Py_ssize_t count) {
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
      view.whole(unsigned(missing));
    else if (!takePart(view, parts[i]))
      return false;
  }
  view.whole(view.axesLeft());
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
  setElementType(array, field.type);
  array.view = fieldOf(base.view, field);
  return true;
}

} // namespace

namespace {

/// The view that an index means; null with a Python error.
PyObject *selectView(PyObject *self, PyObject *item) {
  nb::object made = nb::steal(copyView(self));
  if (!made.is_valid())
    return nullptr;
  const DeviceArrayObject &base = fields(self);
  DeviceArrayObject &array = fields(made.ptr());
  bool done = false;
  try {
    if (PyUnicode_Check(item)) {
      done = takeField(base, item, array);
    } else {
      SelectedAxes axes(base.view, array.view);
      const unsigned ndim = base.view.ndim;
      done = PyTuple_Check(item) ? take(axes, ndim, &PyTuple_GET_ITEM(item, 0), PyTuple_GET_SIZE(item))
                                 : take(axes, ndim, &item, 1);
    }
  } catch (...) {
    raisePython(std::current_exception());
  }
  if (!done)
    return nullptr;
  array.layout = layoutOf(array.view.strided());
  return made.release().ptr();
}

/// Another view of the memory of `self`, with elements of that type; null with a Python error.
template <typename Make> PyObject *makeView(PyObject *self, const Type *element, Make make) {
  PyObject *made = copyView(self);
  if (!made)
    return nullptr;
  DeviceArrayObject &array = fields(made);
  try {
    array.view = make(fields(self).view);
  } catch (...) {
    raisePython(std::current_exception());
    Py_DECREF(made);
    return nullptr;
  }
  if (element)
    setElementType(array, element);
  array.layout = layoutOf(array.view.strided());
  return made;
}

/// A tuple of integers as an argument.
struct Integers {
  int64_t values[maxDimensions];
  int count = -1; ///< -1: a Python error is set

  Integers(PyObject *tuple, const char *what) : count(readExtents(tuple, values, what)) {}
  std::span<const int64_t> span() const { return {values, size_t(count)}; }
};

} // namespace

PyObject *indexArray(PyObject *self, PyObject *item) {
  PyObject *made = selectView(self, item);
  const bool isElement = made && fields(made).view.ndim == 0 && item != Py_Ellipsis;
  if (!isElement)
    return made;
  PyObject *element = PyObject_CallMethod(made, "_element", nullptr);
  Py_DECREF(made);
  return element;
}

PyObject *viewAt(PyObject *self, PyObject *item) { return selectView(self, item); }

PyObject *reshapeArray(PyObject *self, PyObject *arguments) {
  PyObject *shape = nullptr;
  int isFortran = 0;
  if (!PyArg_ParseTuple(arguments, "O!p", &PyTuple_Type, &shape, &isFortran))
    return nullptr;
  const Integers wanted(shape, "the shape");
  if (wanted.count < 0)
    return nullptr;
  return makeView(self, nullptr, [&](const ArrayView &view) { return reshaped(view, wanted.span(), isFortran != 0); });
}

PyObject *permuteArray(PyObject *self, PyObject *axes) {
  if (axes == Py_None)
    return makeView(self, nullptr, transposed);
  const nb::object tuple = nb::steal(PySequence_Tuple(axes));
  if (!tuple.is_valid())
    return nullptr;
  const Integers wanted(tuple.ptr(), "the list of axes");
  if (wanted.count < 0)
    return nullptr;
  return makeView(self, nullptr, [&](const ArrayView &view) { return permuted(view, wanted.span()); });
}

PyObject *squeezeArray(PyObject *self, PyObject *axis) {
  if (axis == Py_None)
    return makeView(self, nullptr, [](const ArrayView &view) { return squeezed(view); });
  const nb::object tuple = nb::steal(PyTuple_Check(axis) ? Py_NewRef(axis) : PyTuple_Pack(1, axis));
  if (!tuple.is_valid())
    return nullptr;
  const Integers wanted(tuple.ptr(), "the list of axes");
  if (wanted.count < 0)
    return nullptr;
  return makeView(self, nullptr, [&](const ArrayView &view) { return squeezed(view, wanted.span()); });
}

PyObject *retypeArray(PyObject *self, PyObject *dtype) {
  const Type *element = elementTypeOf(dtype);
  return element ? makeView(self, element, [&](const ArrayView &view) { return viewedAs(view, element); }) : nullptr;
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
  const Integers extents(shape, "the shape");
  if (extents.count < 0)
    return nullptr;
  if (strides != Py_None && !PyTuple_Check(strides))
    return PyErr_Format(PyExc_TypeError, "strides are a tuple, found %R", strides);
  const Integers steps(strides == Py_None ? shape : strides, "the strides");
  if (steps.count < 0)
    return nullptr;
  return makeView(self, element, [&](const ArrayView &view) {
    int64_t packed[maxDimensions];
    StridedExtents wanted{extents.span(), steps.span(), element->bytes()};
    if (strides == Py_None) {
      packStrides(wanted.shape, wanted.itemBytes, false, packed);
      wanted.strides = {packed, wanted.shape.size()};
    }
    return viewOf(view, offset, wanted);
  });
}

} // namespace treadle::python

// Indices and shapes, read from Python and checked.
#include "python/arrays/device_array_views.h"

#include "interop/interface_types.h"
#include "memory/array_shapes.h"
#include "python/arrays/device_array_object.h"
#include "python/host/errors.h"
#include "python/types/dtype_names.h"
#include "support/error.h"

#include <algorithm>
#include <utility>

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// Another view of the same memory, with the same elements and defaults. `view`: the arguments that construct it.
template <typename... View> DeviceArray shareAs(PyTypeObject *type, const DeviceArrayObject &base, View &&...view) {
  DeviceArray made = makeDeviceArray(type, std::forward<View>(view)...);
  made->number = base.number;
  made->layout = base.layout;
  made->isReadOnly = base.isReadOnly;
  made->element = base.element;
  made->stream = Py_XNewRef(base.stream);
  made->owner = Py_XNewRef(base.owner);
  return made;
}

template <typename... View> DeviceArray share(const DeviceArrayObject &base, View &&...view) {
  return shareAs(base.owner ? hostBackedArrayType() : deviceArrayType(), base, std::forward<View>(view)...);
}

void takeSlice(SelectedAxes &axes, PyObject *slice) {
  Py_ssize_t start = 0, stop = 0, step = 0;
  if (PySlice_Unpack(slice, &start, &stop, &step) != 0)
    throw nb::python_error();
  const int64_t length = PySlice_AdjustIndices(axes.extent(), &start, &stop, step);
  axes.slice(start, length, step);
}

/// Numbers beyond 64 bits are out of bounds for any axis.
void takePosition(SelectedAxes &axes, PyObject *number) {
  int overflow = 0;
  const long long index = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow == 0) [[likely]]
    return axes.position(index);
  PyErr_Format(PyExc_IndexError, "index %S is out of bounds for an axis with size %lld", number,
               static_cast<long long>(axes.extent()));
  throw nb::python_error();
}

void takePart(SelectedAxes &axes, PyObject *part) {
  if (PySlice_Check(part))
    return takeSlice(axes, part);
  if (PyLong_CheckExact(part)) [[likely]]
    return takePosition(axes, part);
  // NumPy's arrays claim to be indices, and raise TypeError if they are not.
  const nb::object number = nb::steal(PyIndex_Check(part) && !PyBool_Check(part) ? PyNumber_Index(part) : nullptr);
  if (number.is_valid())
    return takePosition(axes, number.ptr());
  if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError))
    PyErr_Format(PyExc_IndexError, "device arrays are indexed by ints, slices and '...', found %R", part);
  throw nb::python_error();
}

void take(SelectedAxes &axes, std::span<PyObject *const> parts) {
  const unsigned covered = axes.axesOfEllipsis(parts.size(), size_t(std::ranges::count(parts, Py_Ellipsis)));
  for (PyObject *part : parts) {
    if (part == Py_Ellipsis)
      axes.whole(covered);
    else
      takePart(axes, part);
  }
  axes.whole(axes.axesLeft());
}

/// The field of all records: an array field adds axes.
void takeField(const DeviceArrayObject &base, PyObject *name, DeviceArrayObject &array) {
  Py_ssize_t length = 0;
  const char *text = PyUnicode_AsUTF8AndSize(name, &length);
  const Type *const record = base.element && base.element->isRecord() ? base.element : nullptr;
  const int place = text && record ? record->fieldIndex({text, size_t(length)}) : -1;
  if (place < 0) {
    if (!PyErr_Occurred())
      PyErr_Format(record ? PyExc_KeyError : PyExc_IndexError,
                   record ? "the records have no field %R" : "only arrays of records have fields; found index %R",
                   name);
    throw nb::python_error();
  }
  const RecordField &field = record->fields()[size_t(place)];
  if (field.type->isOpaque() && isTypestr(field.type->text())) {
    PyErr_Format(PyExc_TypeError, "field %R has a dtype that arrays do not have: copy the records to the host", name);
    throw nb::python_error();
  }
  setElementType(array, field.type);
  array.view = fieldOf(base.view, field);
}

/// The view that an index selects.
DeviceArray selectView(PyObject *self, PyObject *item) {
  const auto &base = *reinterpret_cast<const DeviceArrayObject *>(self);
  DeviceArray made = share(base, base.view.data, base.view.owner, base.view.itemBytes);
  if (PyUnicode_Check(item)) {
    takeField(base, item, *made);
  } else {
    SelectedAxes axes(base.view, made->view);
    // Fast path for the most frequent index: nothing has to be counted.
    if (PySlice_Check(item) && base.view.ndim == 1)
      takeSlice(axes, item);
    else if (PyTuple_Check(item))
      take(axes, {&PyTuple_GET_ITEM(item, 0), size_t(PyTuple_GET_SIZE(item))});
    else
      take(axes, {&item, 1});
  }
  made->layout = layoutOf(made->view.strided());
  return made;
}

const Type *elementOf(nb::handle dtype) {
  const Type *element = elementTypeOf(dtype.ptr());
  if (!element)
    throw nb::python_error();
  return element;
}

/// `view` of the memory of `base`, with elements of the same type.
DeviceArray withView(const DeviceArray &base, const ArrayView &view) {
  DeviceArray made = share(*base, view);
  made->layout = layoutOf(view.strided());
  return made;
}

DeviceArray reshape(const DeviceArray &self, const nb::tuple &shape, bool isFortran) {
  return withView(self, reshaped(self->view, Integers(shape, "the shape").span(), isFortran));
}

DeviceArray permute(const DeviceArray &self, nb::handle axes) {
  if (axes.is_none())
    return withView(self, transposed(self->view));
  return withView(self, permuted(self->view, Integers(nb::tuple(axes), "the list of axes").span()));
}

DeviceArray squeeze(const DeviceArray &self, nb::handle axis) {
  if (axis.is_none())
    return withView(self, squeezed(self->view));
  const nb::object axes = PyTuple_Check(axis.ptr()) ? nb::borrow(axis) : nb::make_tuple(axis);
  return withView(self, squeezed(self->view, Integers(axes, "the list of axes").span()));
}

DeviceArray retype(const DeviceArray &self, nb::handle dtype) {
  const Type *element = elementOf(dtype);
  DeviceArray made = withView(self, viewedAs(self->view, element));
  setElementType(*made, element);
  return made;
}

DeviceArray viewAs(const DeviceArray &self, nb::handle type) {
  auto *const wanted = reinterpret_cast<PyTypeObject *>(type.ptr());
  if (PyType_Check(type.ptr()) && PyType_IsSubtype(wanted, deviceArrayType()))
    return shareAs(wanted, *self, self->view);
  PyErr_Format(PyExc_TypeError, "%R is no class of device arrays", type.ptr());
  throw nb::python_error();
}

DeviceArray viewBuffer(const DeviceArray &self, nb::handle dtype, int64_t offset, const nb::tuple &shape,
                       const nb::tuple &strides) {
  const Type *element = elementOf(dtype);
  const Integers extents(shape, "the shape"), steps(strides, "the strides");
  DeviceArray made = withView(self, viewOfBuffer(self->view, offset, {extents.span(), steps.span(), element->bytes()}));
  setElementType(*made, element);
  return made;
}

} // namespace

PyObject *indexArray(PyObject *self, PyObject *item) {
  return orRaised([&] {
    DeviceArray made = selectView(self, item);
    const bool isElement = made->view.ndim == 0 && item != Py_Ellipsis;
    return isElement ? PyObject_CallMethod(made.ptr(), "_element", nullptr) : made.release().ptr();
  });
}

PyObject *viewAt(PyObject *self, PyObject *item) {
  return orRaised([&] { return selectView(self, item).release().ptr(); });
}

void addArrayViews(nb::handle type) {
  addMethod(type, "_reshaped", &reshape);
  addMethod(type, "_permuted", &permute, nb::arg("axes").none());
  addMethod(type, "_squeezed", &squeeze, nb::arg("axes").none());
  addMethod(type, "_viewed", &retype);
  addMethod(type, "_view", &viewBuffer);
  addMethod(type, "_as", &viewAs);
}

} // namespace treadle::python

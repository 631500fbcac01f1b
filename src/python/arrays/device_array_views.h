// Views of device arrays: by indices as NumPy has them, and by shape and strides.
#pragma once

#include "python/arrays/device_array_object.h"

namespace treadle::python {

/// `array[item]` for integers, slices with any step, `...`, and the name of a field. Where every axis has an integer
/// the answer is what the method `_element` makes of the 0-d view.
PyObject *indexArray(PyObject *self, PyObject *item);
/// _at(item): the same without that: the view, 0-d where every axis has an integer.
PyObject *viewAt(PyObject *self, PyObject *item);
/// _reshaped(shape, isFortran), _permuted(axes or None), _squeezed(axis, axes or None), _viewed(dtype).
PyObject *reshapeArray(PyObject *self, PyObject *arguments);
PyObject *permuteArray(PyObject *self, PyObject *axes);
PyObject *squeezeArray(PyObject *self, PyObject *axis);
PyObject *retypeArray(PyObject *self, PyObject *dtype);
/// _view(type, byte_offset, shape, strides): another view of the same buffer, which it must lie within. Strides None:
/// those of C order.
PyObject *viewArray(PyObject *self, PyObject *arguments);
/// _as(type): the same view as an object of a subclass.
PyObject *viewAs(PyObject *self, PyObject *type);

} // namespace treadle::python

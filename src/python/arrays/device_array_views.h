// Views of device arrays: by NumPy's indexing, and by shape and strides.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// `array[item]` for integers, slices with any step, `...`, and the name of a field. If every axis has an integer, the
/// result is what the method `_element` returns for the 0-d view.
PyObject *indexArray(PyObject *self, PyObject *item);
/// _at(item): the same without `_element`: the view, 0-d if every axis has an integer.
PyObject *viewAt(PyObject *self, PyObject *item);

/// Adds to the class of device arrays:
/// - `_reshaped(shape, isFortran)`, `_permuted(axes or None)`, `_squeezed(axis, axes or None)`, `_viewed(dtype)`.
/// - `_view(type, byte_offset, shape, strides)`: another view of the same buffer, which it must lie within.
/// - `_as(type)`: the same view as an object of a subclass.
void addArrayViews(nanobind::handle type);

} // namespace treadle::python

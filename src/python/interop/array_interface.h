// The CUDA Array Interface for Python: dictionaries in both directions.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Adds `__cuda_array_interface__` to the class of device arrays, which exists, and to the module `is_cuda_array`,
/// `as_cuda_array` and `from_cuda_array_interface`.
void addArrayInterface(nanobind::module_ &module);

/// Interned once: the keys of every dictionary.
struct InterfaceNames {
  PyObject *attribute = PyUnicode_InternFromString("__cuda_array_interface__");
  PyObject *shape = PyUnicode_InternFromString("shape");
  PyObject *typestr = PyUnicode_InternFromString("typestr");
  PyObject *data = PyUnicode_InternFromString("data");
  PyObject *version = PyUnicode_InternFromString("version");
  PyObject *strides = PyUnicode_InternFromString("strides");
  PyObject *descr = PyUnicode_InternFromString("descr");
  PyObject *mask = PyUnicode_InternFromString("mask");
  PyObject *stream = PyUnicode_InternFromString("stream");

  static const InterfaceNames &instance() {
    static const auto *const names = new InterfaceNames;
    return *names;
  }
};

/// Part of addArrayInterface.
void addInterfaceImport(nanobind::module_ &module);

} // namespace treadle::python

// Grids and blocks as users write them: ints, tuples, lists, NumPy integers, whole floats as from numpy.ceil.
#include "python/launch/config_reader.h"

#include "python/host/object_access.h"
#include "python/host/small_integer.h"

#include <cmath>
#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// The positions between the brackets.
enum Place { Grid, Block, Stream, Shared, Cluster };

bool refuse(PyObject *error, const char *what, const char *wanted, PyObject *value) {
  PyErr_Format(error, "launch configuration: %s must be %s, found %R of type %.100s", what, wanted, value,
               Py_TYPE(value)->tp_name);
  return false;
}

/// The value is not a number, or not a sequence, after all. False: another error was raised, and stays set.
bool forgetTypeError() { return forgetError({PyExc_TypeError}); }

bool readAnyWhole(PyObject *value, const char *what, int64_t &number) {
  int overflow = 0;
  if (PyLong_Check(value)) {
    number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow == 0)
      return true;
    PyErr_Format(PyExc_ValueError, "launch configuration: %s is %R, far beyond every limit", what, value);
    return false;
  }
  if (value == Py_None)
    return refuse(PyExc_ValueError, what, "an integer", value);
  const PyNumberMethods *methods = Py_TYPE(value)->tp_as_number;
  if (methods && methods->nb_index && !PyFloat_Check(value)) {
    if (const nb::object index = nb::steal(PyNumber_Index(value)))
      return readAnyWhole(index.ptr(), what, number);
    if (!forgetTypeError())
      return false;
  }
  if (!methods || !methods->nb_float)
    return refuse(PyExc_TypeError, what, "an integer", value);
  const double real = PyFloat_AsDouble(value);
  if (real == -1 && PyErr_Occurred())
    return forgetTypeError() && refuse(PyExc_TypeError, what, "an integer", value);
  if (!(std::abs(real) < 9e15) || real != std::floor(real))
    return refuse(PyExc_TypeError, what, "an integer", value);
  number = int64_t(real);
  return true;
}

bool readWhole(PyObject *value, const char *what, int64_t &number) {
  return (PyLong_CheckExact(value) && readSmallInteger(value, number)) || readAnyWhole(value, what, number);
}

bool readItems(PyObject *const *items, Py_ssize_t count, const char *what, int64_t *axes) {
  if (count < 1 || count > 3) {
    PyErr_Format(PyExc_ValueError, "launch configuration: %s must have 1 to 3 dimensions, found %zd", what, count);
    return false;
  }
  // Reading an item may run code that changes the list.
  nb::object own[3];
  for (Py_ssize_t i = 0; i < count; ++i)
    own[i] = nb::borrow(items[i]);
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!readWhole(own[i].ptr(), what, axes[i]))
      return false;
  return true;
}

bool readDimensions(PyObject *value, const char *what, int64_t *axes) {
  if (PyLong_CheckExact(value))
    return readWhole(value, what, axes[0]);
  if (PyTuple_Check(value))
    return readItems(&PyTuple_GET_ITEM(value, 0), PyTuple_GET_SIZE(value), what, axes);
  if (PyUnicode_Check(value) || PyBytes_Check(value) || !PySequence_Check(value))
    return readWhole(value, what, axes[0]);
  // A 0-d array claims to be a sequence but is a number.
  const nb::object items = nb::steal(PySequence_Fast(value, ""));
  if (!items)
    return forgetTypeError() && readWhole(value, what, axes[0]);
  return readItems(PySequence_Fast_ITEMS(items.ptr()), PySequence_Fast_GET_SIZE(items.ptr()), what, axes);
}

/// None: no cluster, as if omitted.
bool readCluster(PyObject *value, RequestedConfig &config) {
  config.hasCluster = value != Py_None;
  return !config.hasCluster || readDimensions(value, "the cluster", config.cluster);
}

} // namespace

bool readConfig(PyObject *key, RequestedConfig &config, NamedStream &stream) {
  if (!PyTuple_Check(key) || PyTuple_GET_SIZE(key) < 2 || PyTuple_GET_SIZE(key) > 5) {
    PyErr_Format(PyExc_ValueError,
                 "launch configuration: expected kernel[grid, block], kernel[grid, block, stream], "
                 "kernel[grid, block, stream, shared_bytes] or kernel[grid, block, stream, shared_bytes, cluster], "
                 "found %R",
                 key);
    return false;
  }
  const Py_ssize_t count = PyTuple_GET_SIZE(key);
  return readDimensions(PyTuple_GET_ITEM(key, Grid), "gridDim", config.grid) &&
         readDimensions(PyTuple_GET_ITEM(key, Block), "blockDim", config.block) &&
         (count <= Stream ? (stream = NamedStream::ofDefault(), true)
                          : readStream(PyTuple_GET_ITEM(key, Stream), stream, "launch configuration: ")) &&
         (count <= Shared || readWhole(PyTuple_GET_ITEM(key, Shared), "shared memory", config.sharedBytes)) &&
         (count <= Cluster || readCluster(PyTuple_GET_ITEM(key, Cluster), config));
}

} // namespace treadle::python

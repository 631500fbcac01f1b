// Types of values, read as a launch reads them.
#include "python/launch/argument_types.h"

#include "python/launch/argument_reader.h"
#include "python/types/type_objects.h"
#include "support/error.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace treadle::python {

namespace {

[[noreturn]] void failType(const std::string &message) { throw UsageError(UsageError::Kind::Type, message); }

nb::tuple typesOfValues(const nb::args &values) {
  ArgumentList list;
  ArgumentReader reader(list);
  for (nb::handle value : values)
    if (!reader.read(value.ptr())) {
      if (PyErr_Occurred())
        throw nb::python_error();
      failType(std::string("a value of type ") + Py_TYPE(value.ptr())->tp_name +
               " cannot be passed to a kernel: " + reader.problem());
    }
  return typeTuple(typesOf(list.tokens.view()));
}

/// Of an array, or of whatever has the buffer protocol.
nb::object typeOfArray(nb::handle value) {
  ArgumentList list;
  ArgumentReader reader(list);
  const bool isRead = reader.read(value.ptr());
  if (isRead && list.tokens.size() == 1 && (tokens::isArray(list.tokens[0]) || tokens::isRecordArray(list.tokens[0])))
    return typeObject(typesOf(list.tokens.view())[0]);
  if (!isRead && PyErr_Occurred())
    throw nb::python_error();
  if (!isRead && nb::hasattr(value, "dtype"))
    failType("no device array can be made of an array of type " + std::string(Py_TYPE(value.ptr())->tp_name) + ": " +
             reader.problem());
  failType("expected an array, found " + nb::cast<std::string>(nb::repr(value)) + " of type " +
           Py_TYPE(value.ptr())->tp_name);
}

} // namespace

void addArgumentTypes(nb::module_ &module) {
  module.def("types_of", &typesOfValues, "The types that these values have as kernel arguments.");
  module.def("array_type_of", &typeOfArray, nb::arg("array").none(), "The type that an array has as an argument.");
}

} // namespace treadle::python

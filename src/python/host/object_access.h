// What Python objects are asked: text, attributes that their types declare, members of modules that are there.
#pragma once

#include <nanobind/nanobind.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace treadle::python {

/// What a function of the C API has made, a new reference. Throws nanobind::python_error where it is null.
inline nanobind::object checked(PyObject *made) {
  if (!made) [[unlikely]]
    throw nanobind::python_error();
  return nanobind::steal(made);
}

/// Of a str; what has no UTF-8 becomes '?'. Throws nanobind::python_error.
std::string utf8Of(nanobind::handle text);

/// UTF-8 as a str; what is none becomes U+FFFD. Throws nanobind::python_error.
nanobind::object decodedText(std::string_view text);

/// Drops the Python error that is set if it is of one of these classes. False: it is of another, which the user's own
/// code or a handler of a signal may have raised, and stays set.
bool forgetError(std::initializer_list<PyObject *> classes);

/// An attribute that the object's type declares (no `__getattr__` runs to find out); invalid where it does not.
nanobind::object declaredAttribute(nanobind::handle object, const char *name);

/// An attribute; invalid where the object raises AttributeError. Throws nanobind::python_error for all else that it
/// raises, which may come from a handler of a signal.
nanobind::object attributeIfAny(nanobind::handle object, const char *name);

/// `<module>.<name>`. A module that is there is not imported again: that takes as long as many functions do.
nanobind::object memberOf(const char *module, const char *name);

/// `numpy.<name>`; invalid until the program has imported numpy.
nanobind::object numpyMember(const char *name);

} // namespace treadle::python

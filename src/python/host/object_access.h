// Access to Python objects: text, attributes that their types declare, members of imported modules.
#pragma once

#include <nanobind/nanobind.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace treadle::python {

/// The result of a C API function, a new reference. Throws nanobind::python_error if it is null.
inline nanobind::object checked(PyObject *made) {
  if (!made) [[unlikely]]
    throw nanobind::python_error();
  return nanobind::steal(made);
}

/// Of a str; characters without UTF-8 become '?'. Throws nanobind::python_error.
std::string utf8Of(nanobind::handle text);

/// UTF-8 as a str; invalid bytes become U+FFFD. Throws nanobind::python_error.
nanobind::object decodedText(std::string_view text);

/// Clears the current Python error if it is of one of these classes. False: it is of another, which the user's own code
/// or a signal handler may have raised, and stays set.
bool forgetError(std::initializer_list<PyObject *> classes);

/// An attribute; invalid if the object raises AttributeError. Throws nanobind::python_error for any other error, which
/// may come from a signal handler.
nanobind::object attributeIfAny(nanobind::handle object, const char *name);

/// `<module>.<name>`. Avoids importing a loaded module again, which takes as long as many functions do.
nanobind::object memberOf(const char *module, const char *name);

} // namespace treadle::python

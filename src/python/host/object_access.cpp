// Attributes and text of Python objects.
#include "python/host/object_access.h"

namespace nb = nanobind;

namespace treadle::python {

std::string utf8Of(nb::handle text) {
  const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "replace"));
  if (!bytes.is_valid())
    throw nb::python_error();
  return {PyBytes_AS_STRING(bytes.ptr()), size_t(PyBytes_GET_SIZE(bytes.ptr()))};
}

nb::object decodedText(std::string_view text) {
  nb::object decoded = nb::steal(PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "replace"));
  if (!decoded.is_valid())
    throw nb::python_error();
  return decoded;
}

bool forgetError(std::initializer_list<PyObject *> classes) {
  for (PyObject *one : classes)
    if (PyErr_ExceptionMatches(one)) {
      PyErr_Clear();
      return true;
    }
  return false;
}

nb::object attributeIfAny(nb::handle object, const char *name) {
  nb::object value = nb::steal(PyObject_GetAttrString(object.ptr(), name));
  if (!value.is_valid() && !forgetError({PyExc_AttributeError}))
    throw nb::python_error();
  return value;
}

nb::object memberOf(const char *module, const char *name) {
  // Waits for a thread that is importing the module, as a look-up in sys.modules would not.
  const nb::object known = nb::steal(PyImport_GetModule(nb::str(module).ptr()));
  if (known.is_valid())
    return known.attr(name);
  if (PyErr_Occurred())
    throw nb::python_error();
  return nb::module_::import_(module).attr(name);
}

} // namespace treadle::python

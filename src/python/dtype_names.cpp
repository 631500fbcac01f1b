// What names a type: dtype strings, NumPy's dtypes and scalar types, Treadle's type objects.
#include "launch/type_names.h"
#include "python/captured_value.h"
#include "python/python_resolver.h"
#include "python/record_types.h"

#include <algorithm>
#include <iterator>

namespace nb = nanobind;

namespace treadle::python {

namespace {

struct DtypeName {
  std::string_view name;
  char kind;
  unsigned bits; ///< complex: of both parts
};

/// Names that NumPy has and Numba has not or means otherwise, then the characters of the struct module.
// clang-format off
constexpr DtypeName dtypeNames[] = {
    {"int", 'i', 64}, {"float", 'f', 64}, {"complex", 'c', 128}, {"float_", 'f', 64}, {"complex_", 'c', 128},
    {"byte", 'i', 8}, {"ubyte", 'u', 8}, {"long", 'i', 64}, {"half", 'f', 16}, {"single", 'f', 32},
    {"csingle", 'c', 64}, {"cdouble", 'c', 128},
    {"?", 'b', 1}, {"b", 'i', 8}, {"B", 'u', 8}, {"h", 'i', 16}, {"H", 'u', 16}, {"i", 'i', 32}, {"I", 'u', 32},
    {"l", 'i', 64}, {"L", 'u', 64}, {"q", 'i', 64}, {"Q", 'u', 64}, {"p", 'i', 64}, {"P", 'u', 64}, {"e", 'f', 16},
    {"f", 'f', 32}, {"d", 'f', 64}, {"F", 'c', 64}, {"D", 'c', 128},
};
// clang-format on

const Type *typeOf(char kind, unsigned bits) {
  switch (kind) {
  case 'b':
    return types::boolean();
  case 'i':
  case 'u':
    return bits <= 64 ? types::integer(bits, kind == 'i') : nullptr;
  case 'f':
    return bits <= 64 ? types::floating(bits) : nullptr;
  case 'c':
    return bits == 64 || bits == 128 ? types::complex(bits) : nullptr;
  default:
    return nullptr;
  }
}

bool isSubclass(nb::handle type, const nb::object &base) {
  if (!base.is_valid())
    return false;
  const int answer = PyObject_IsSubclass(type.ptr(), base.ptr());
  if (answer < 0)
    throw nb::python_error();
  return answer == 1;
}

/// NumPy's classes of types have no dtype; asking for one warns or fails.
bool isAbstract(nb::handle type) {
  const std::string_view name = reinterpret_cast<PyTypeObject *>(type.ptr())->tp_name;
  constexpr std::string_view abstract[] = {
      "numpy.generic", "numpy.number",          "numpy.integer",  "numpy.signedinteger", "numpy.unsignedinteger",
      "numpy.inexact", "numpy.complexfloating", "numpy.floating", "numpy.flexible",      "numpy.character",
  };
  return std::find(std::begin(abstract), std::end(abstract), name) != std::end(abstract);
}

} // namespace

const Type *typeOfDtypeName(std::string_view text) {
  // '>' is the byte order of other machines; '|' says that there is none.
  if (text.size() > 1 && (text[0] == '<' || text[0] == '=' || text[0] == '|' || text[0] == '@'))
    text.remove_prefix(1);
  for (const DtypeName &row : dtypeNames)
    if (row.name == text)
      return typeOf(row.kind, row.bits);
  const Type *named = typeNamed(text);
  return named != nullptr && named->isNumber() ? named : nullptr;
}

const Type *typeOfDtype(nb::handle dtype) {
  if (const Type *record = recordTypeOf(dtype.ptr()))
    return record;
  if (!nb::cast<bool>(nb::getattr(dtype, "isnative")))
    return nullptr;
  const std::string kind = utf8Of(nb::getattr(dtype, "kind"));
  return typeOf(kind[0], nb::cast<unsigned>(nb::getattr(dtype, "itemsize")) * 8);
}

nb::object numpyMember(const char *name) {
  PyObject *modules = PyImport_GetModuleDict();
  PyObject *numpy = PyDict_GetItemString(modules, "numpy");
  if (numpy == nullptr)
    return {};
  nb::object member = nb::steal(PyObject_GetAttrString(numpy, name));
  if (!member.is_valid())
    PyErr_Clear();
  return member;
}

const Type *typeNamedBy(PyObject *object) {
  if (const nb::object address = declaredAttribute(object, "__treadle_type__"); address.is_valid())
    return reinterpret_cast<const Type *>(nb::cast<uintptr_t>(address));
  if (object == reinterpret_cast<PyObject *>(&PyBool_Type))
    return types::boolean();
  if (object == reinterpret_cast<PyObject *>(&PyLong_Type))
    return types::int64();
  if (object == reinterpret_cast<PyObject *>(&PyFloat_Type))
    return types::float64();
  if (object == reinterpret_cast<PyObject *>(&PyComplex_Type))
    return types::complex128();
  const nb::object dtypeClass = numpyMember("dtype");
  if (!dtypeClass.is_valid())
    return nullptr;
  if (PyObject_IsInstance(object, dtypeClass.ptr()) == 1)
    return typeOfDtype(object);
  if (PyType_Check(object) && isSubclass(object, numpyMember("generic")) && !isAbstract(object)) {
    const nb::object dtype = nb::steal(PyObject_CallOneArg(dtypeClass.ptr(), object));
    if (dtype.is_valid() && nb::getattr(dtype, "type").ptr() == object)
      return typeOfDtype(dtype);
    PyErr_Clear();
  }
  return nullptr;
}

} // namespace treadle::python

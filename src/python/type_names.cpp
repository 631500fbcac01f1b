// Types by their names: dtype strings, NumPy's dtypes and scalar types, Treadle's type objects.
#include "python/captured_value.h"
#include "python/python_resolver.h"

namespace nb = nanobind;

namespace treadle::python {

namespace {

struct TypeName {
  std::string_view name;
  char kind;
  unsigned bits; ///< complex: of both parts
};

/// NumPy's names, then its codes, then its characters.
constexpr TypeName typeNames[] = {
    {"bool", 'b', 1},
    {"bool_", 'b', 1},
    {"boolean", 'b', 1},
    {"int8", 'i', 8},
    {"int16", 'i', 16},
    {"int32", 'i', 32},
    {"int64", 'i', 64},
    {"uint8", 'u', 8},
    {"uint16", 'u', 16},
    {"uint32", 'u', 32},
    {"uint64", 'u', 64},
    {"int", 'i', 64},
    {"int_", 'i', 64},
    {"uint", 'u', 64},
    {"intp", 'i', 64},
    {"uintp", 'u', 64},
    {"byte", 'i', 8},
    {"ubyte", 'u', 8},
    {"short", 'i', 16},
    {"ushort", 'u', 16},
    {"intc", 'i', 32},
    {"uintc", 'u', 32},
    {"long", 'i', 64},
    {"ulong", 'u', 64},
    {"longlong", 'i', 64},
    {"ulonglong", 'u', 64},
    {"float16", 'f', 16},
    {"half", 'f', 16},
    {"float32", 'f', 32},
    {"single", 'f', 32},
    {"float64", 'f', 64},
    {"double", 'f', 64},
    {"float", 'f', 64},
    {"float_", 'f', 64},
    {"complex64", 'c', 64},
    {"csingle", 'c', 64},
    {"complex128", 'c', 128},
    {"cdouble", 'c', 128},
    {"complex", 'c', 128},
    {"complex_", 'c', 128},
    {"b1", 'b', 1},
    {"i1", 'i', 8},
    {"i2", 'i', 16},
    {"i4", 'i', 32},
    {"i8", 'i', 64},
    {"u1", 'u', 8},
    {"u2", 'u', 16},
    {"u4", 'u', 32},
    {"u8", 'u', 64},
    {"f2", 'f', 16},
    {"f4", 'f', 32},
    {"f8", 'f', 64},
    {"c8", 'c', 64},
    {"c16", 'c', 128},
    {"?", 'b', 1},
    {"b", 'i', 8},
    {"B", 'u', 8},
    {"h", 'i', 16},
    {"H", 'u', 16},
    {"i", 'i', 32},
    {"I", 'u', 32},
    {"l", 'i', 64},
    {"L", 'u', 64},
    {"q", 'i', 64},
    {"Q", 'u', 64},
    {"p", 'i', 64},
    {"P", 'u', 64},
    {"e", 'f', 16},
    {"f", 'f', 32},
    {"d", 'f', 64},
    {"F", 'c', 64},
    {"D", 'c', 128},
};

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

} // namespace

const Type *typeOfDtypeName(std::string_view text) {
  // '>' is the byte order of other machines; '|' says that there is none.
  if (text.size() > 1 && (text[0] == '<' || text[0] == '=' || text[0] == '|' || text[0] == '@'))
    text.remove_prefix(1);
  for (const TypeName &row : typeNames)
    if (row.name == text)
      return typeOf(row.kind, row.bits);
  return nullptr;
}

const Type *typeOfDtype(nb::handle dtype) {
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
  // Abstract ones such as numpy.integer have no dtype of their own.
  if (PyType_Check(object) && isSubclass(object, numpyMember("generic"))) {
    const nb::object dtype = nb::steal(PyObject_CallOneArg(dtypeClass.ptr(), object));
    if (dtype.is_valid() && nb::getattr(dtype, "type").ptr() == object)
      return typeOfDtype(dtype);
    PyErr_Clear();
  }
  return nullptr;
}

} // namespace treadle::python

// The classification of arguments, in order, and its cache.
#include "python/types/value_kinds.h"

#include "python/host/object_access.h"
#include "python/types/exchange_lookup.h"
#include "python/types/numpy_layout.h"
#include "python/types/type_cache.h"

#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

namespace nb = nanobind;

namespace treadle::python {

namespace {

TypeCache<ValueKind, 128> &knownKinds() {
  static auto &kinds = *new TypeCache<ValueKind, 128>;
  return kinds;
}

/// Treadle's own classes. Some are made in Python, anew with each import of the package.
struct DeclaredKind {
  PyTypeObject *type;
  ValueTag tag;
};

std::vector<DeclaredKind> &declaredKinds() {
  static auto &kinds = *new std::vector<DeclaredKind>;
  return kinds;
}

bool isDeclared(PyTypeObject *type, ValueTag tag) {
  return std::ranges::any_of(declaredKinds(), [&](const DeclaredKind &declared) {
    return declared.tag == tag && PyType_IsSubtype(type, declared.type) != 0;
  });
}

/// Whether some base of the type has the C name `name`: this recognises NumPy's types without importing it.
bool hasBase(PyTypeObject *type, std::string_view name) {
  PyObject *bases = type->tp_mro;
  if (!bases)
    return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); ++i)
    if (name == reinterpret_cast<PyTypeObject *>(PyTuple_GET_ITEM(bases, i))->tp_name)
      return true;
  return false;
}

/// After a look-up of a missing attribute. An error of another kind, which a property or a signal handler raised, stays
/// set.
void forgetMissing() { forgetError({PyExc_AttributeError, PyExc_TypeError, PyExc_OverflowError}); }

/// An integer attribute; -1 if it is not one, perhaps with a Python error.
int64_t integerOf(nb::handle object, const char *name) {
  const nb::object found = nb::steal(PyObject_GetAttrString(object.ptr(), name));
  const int64_t number = found.is_valid() ? PyLong_AsLongLong(found.ptr()) : -1;
  if (number == -1 && PyErr_Occurred())
    forgetMissing();
  return number;
}

/// Invalid if there is none, perhaps with a Python error.
nb::object dtypeOf(nb::handle object) {
  nb::object dtype = nb::steal(PyObject_GetAttrString(object.ptr(), "dtype"));
  if (!dtype.is_valid())
    forgetMissing();
  return dtype;
}

/// Whether the struct that we read agrees with the array's attributes. Checked once per class, in case NumPy's changes.
bool layoutAgrees(PyObject *array) {
  const auto &fields = *reinterpret_cast<NumpyArray *>(array);
  const nb::object dtype = dtypeOf(array);
  return dtype.is_valid() && integerOf(array, "ndim") == fields.nd &&
         dtype.ptr() == reinterpret_cast<PyObject *>(fields.description) &&
         integerOf(dtype, "num") == fields.description->typeNumber;
}

bool isNumpyArray(PyTypeObject *type, PyObject *value, ValueKind &kind) {
  if (!hasBase(type, "numpy.ndarray"))
    return false;
  if (derivesFromClass(type, "numpy.ma", "MaskedArray")) {
    kind.reason = "masked arrays are not supported: pass .filled(value), or .data and .mask";
    return true;
  }
  const bool isVisible = isDeclared(type, ValueTag::VisibleArray);
  kind.tag = !layoutAgrees(value) ? ValueTag::Buffer : isVisible ? ValueTag::VisibleArray : ValueTag::NumpyArray;
  return true;
}

bool recordLayoutAgrees(PyObject *scalar, const nb::object &dtype) {
  return dtype.ptr() == reinterpret_cast<PyObject *>(reinterpret_cast<NumpyRecord *>(scalar)->description);
}

/// A scalar's number type, from its dtype, provided that its class stores the value where we read it.
NumberCode scalarNumber(PyTypeObject *type, const nb::object &dtype) {
  if (!dtype.is_valid() || !hasBase(Py_TYPE(dtype.ptr()), "numpy.dtype"))
    return NumberCode::None;
  const auto &description = *reinterpret_cast<NumpyDescription *>(dtype.ptr());
  return PyType_IsSubtype(type, description.scalarType) ? numberOfNumpyType(description.typeNumber) : NumberCode::None;
}

bool isNumpyScalar(PyTypeObject *type, PyObject *value, ValueKind &kind) {
  if (!hasBase(type, "numpy.generic"))
    return false;
  kind.reason = "NumPy scalars of this type are not supported";
  const nb::object dtype = dtypeOf(value);
  if (hasBase(type, "numpy.void") && recordLayoutAgrees(value, dtype))
    kind = {ValueTag::NumpyRecord, NumberCode::Other, nullptr, nullptr};
  else if (hasBase(type, "numpy.datetime64") || hasBase(type, "numpy.timedelta64"))
    kind = {ValueTag::NumpyTime, NumberCode::None, nullptr, nullptr};
  else if (hasBase(type, "numpy.str_") || hasBase(type, "numpy.bytes_"))
    kind = {ValueTag::Text, NumberCode::None, nullptr, nullptr};
  else if (const NumberCode number = scalarNumber(type, dtype); number != NumberCode::None)
    kind = {ValueTag::NumpyScalar, number, nullptr, nullptr};
  return true;
}

/// Why values of a commonly tried class cannot be passed; null for others.
const char *whyWrong(PyTypeObject *type) {
  if (PyType_IsSubtype(type, &PyList_Type))
    return "lists are not passed to kernels: pass an array (numpy.array(...)) or a tuple";
  return PyType_IsSubtype(type, &PyDict_Type) ? "dictionaries cannot be passed to kernels" : nullptr;
}

/// False, too, with a Python error set.
bool hasAttribute(PyTypeObject *type, const char *name) {
  const nb::object found = nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), name));
  if (!found.is_valid())
    forgetMissing();
  return found.is_valid();
}

/// As a property of the class, which may have nothing to return for this value, or as an attribute of the value.
bool shows(PyTypeObject *type, PyObject *value, const char *name) {
  if (PyErr_Occurred())
    return false;
  if (hasAttribute(type, name))
    return true;
  if (PyErr_Occurred() || type == &PyUnicode_Type || type == &PyList_Type || type == &PyDict_Type)
    return false;
  const nb::object shown = nb::steal(PyObject_GetAttrString(value, name));
  if (!shown.is_valid())
    forgetMissing();
  return shown.is_valid();
}

/// Enumerations whose members were arguments, or were asked for their type.
std::unordered_map<PyTypeObject *, NamedTupleClass> &memberClasses() {
  static auto &known = *new std::unordered_map<PyTypeObject *, NamedTupleClass>;
  return known;
}

/// The description by which tokens identify an enumeration's members, made once per class; null if kernels receive only
/// their values, perhaps with a Python error set.
const NamedTupleClass *memberClass(PyTypeObject *type) {
  auto &known = memberClasses();
  if (const auto found = known.find(type); found != known.end())
    return &found->second;
  try {
    const nb::handle kind(reinterpret_cast<PyObject *>(type));
    const nb::object values = memberOf("treadle.source.names", "member_type")(kind);
    if (values.is_none())
      return nullptr;
    const auto handle = reinterpret_cast<uint64_t>(type);
    const std::string name = utf8Of(kind.attr("__name__"));
    const Type *made = types::member(handle, name, nb::cast<const Type *>(values[0]), nb::cast<bool>(values[1]));
    Py_INCREF(type); // as for classes of namedtuples
    return &known.try_emplace(type, handle, name, std::vector{std::string(made->itemNames()[0])}).first->second;
  } catch (nb::python_error &error) {
    error.restore();
    return nullptr;
  }
}

/// The first matching test decides. NumPy's float64 and complex128 derive from Python's float and complex, IntEnum
/// members are ints, NumPy's arrays have the buffer protocol too: so the order matters.
ValueKind classify(PyTypeObject *type, PyObject *value) {
  const auto derivesFrom = [type](PyTypeObject &base) { return PyType_IsSubtype(type, &base) != 0; };
  if (type == Py_TYPE(Py_None))
    return {ValueTag::None};
  if (type == &PyBool_Type)
    return {ValueTag::Bool};
  if (isDeclared(type, ValueTag::DeviceArray))
    return {ValueTag::DeviceArray};
  if (ValueKind kind; isNumpyArray(type, value, kind) || isNumpyScalar(type, value, kind))
    return kind;
  if (derivesFrom(PyLong_Type))
    return {ValueTag::Int};
  if (derivesFrom(PyFloat_Type))
    return {ValueTag::Float};
  if (derivesFrom(PyComplex_Type))
    return {ValueTag::Complex};
  if (derivesFrom(PyTuple_Type)) {
    const NamedTupleClass *named = namedTupleClass(type);
    return {named ? ValueTag::NamedTuple : ValueTag::Tuple, NumberCode::None, named};
  }
  if (derivesFromClass(Py_TYPE(type), "enum", "EnumMeta"))
    return {ValueTag::EnumMember, NumberCode::None, memberClass(type)};
  if (derivesFrom(PyUnicode_Type))
    return {ValueTag::Text};
  if (derivesFrom(PyType_Type) || hasBase(type, "numpy.dtype"))
    return {
        ValueTag::Unsupported, NumberCode::None, nullptr,
        "kernels take numbers, arrays, tuples of them, and None, and no classes and dtypes: a kernel may name them"};
  for (const ValueTag tag : {ValueTag::InArgument, ValueTag::OutArgument})
    if (isDeclared(type, tag))
      return {tag};
  ValueTag tag = hasAttribute(type, "__dlpack__")                         ? ValueTag::Tensor
                 : type->tp_as_buffer && type->tp_as_buffer->bf_getbuffer ? ValueTag::Buffer
                                                                          : ValueTag::Unsupported;
  if (tag == ValueTag::Unsupported &&
      (shows(type, value, "__array_interface__") || shows(type, value, "__array_struct__")))
    tag = ValueTag::HostInterface;
  const bool isOfClass = tag != ValueTag::HostInterface || PyErr_Occurred() ||
                         hasAttribute(type, "__array_interface__") || hasAttribute(type, "__array_struct__");
  if (const dlpack::ExchangeTable *const table = PyErr_Occurred() ? nullptr : exchangeTableOf(type))
    return {.tag = ValueTag::Exchanged, .exchange = table, .isTorchs = derivesFromClass(type, "torch", "Tensor")};
  if (!PyErr_Occurred() && shows(type, value, "__cuda_array_interface__"))
    return {.tag = ValueTag::Interface, .otherwise = tag};
  const char *const reason = tag == ValueTag::Unsupported ? whyWrong(type) : nullptr;
  const bool isOpen = tag == ValueTag::Unsupported && !reason && PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) != 0;
  return {.tag = tag, .reason = reason, .isOfValue = isOpen || !isOfClass};
}

} // namespace

const NamedTupleClass &timeClassOf(const Type *time) {
  static auto &known = *new std::map<const Type *, NamedTupleClass>;
  const NamedTupleClass described{time->handle(), std::string(time->text()), {std::string(time->itemNames()[0])}};
  return known.try_emplace(time, described).first->second;
}

const NamedTupleClass &textClassOf(const Type *text) {
  static auto &known = *new std::map<const Type *, NamedTupleClass>;
  const NamedTupleClass described{text->handle(), std::string(text->text()),
                                  std::vector<std::string>(text->items().size())};
  return known.try_emplace(text, described).first->second;
}

namespace {

NamedTupleClass *describeNamedTuple(PyTypeObject *type, PyObject *fields) {
  auto described = new NamedTupleClass;
  described->handle = reinterpret_cast<uint64_t>(type);
  described->name = type->tp_name;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields); ++i) {
    PyObject *field = PyTuple_GET_ITEM(fields, i);
    described->fields.emplace_back(PyUnicode_Check(field) ? utf8Of(field) : "");
  }
  // Types are interned forever and contain this address.
  Py_INCREF(type);
  return described;
}

} // namespace

bool derivesFromClass(PyTypeObject *type, const char *module, const char *name) {
  const nb::object found = nb::borrow(PyDict_GetItemString(PyImport_GetModuleDict(), module));
  const nb::object base = nb::steal(found.is_valid() ? PyObject_GetAttrString(found.ptr(), name) : nullptr);
  if (found.is_valid() && !base.is_valid())
    forgetMissing();
  return base.is_valid() && PyType_Check(base.ptr()) &&
         PyType_IsSubtype(type, reinterpret_cast<PyTypeObject *>(base.ptr())) != 0;
}

const NamedTupleClass *namedTupleClass(PyTypeObject *type) {
  if (type == &PyTuple_Type)
    return nullptr;
  static auto &known = *new std::unordered_map<PyTypeObject *, const NamedTupleClass *>;
  if (const auto found = known.find(type); found != known.end())
    return found->second;
  const nb::object fields = nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "_fields"));
  if (!fields.is_valid())
    forgetMissing();
  if (!fields.is_valid() || !PyTuple_Check(fields.ptr()))
    return nullptr;
  return known[type] = describeNamedTuple(type, fields.ptr());
}

PyObject *enumerationWithHandle(uint64_t handle) {
  auto *const found = reinterpret_cast<PyTypeObject *>(handle); // NOLINT(performance-no-int-to-ptr)
  return memberClasses().contains(found) ? reinterpret_cast<PyObject *>(found) : nullptr;
}

void declareKind(PyTypeObject *type, ValueTag tag) {
  Py_INCREF(type); // never dropped: the list lives as long as the process
  declaredKinds().push_back({type, tag});
}

void addKindFunctions(nb::module_ &module) {
  module.def(
      "enumeration_of",
      [](const Type *type) -> nb::object {
        PyObject *const found = type->isMember() ? enumerationWithHandle(type->handle()) : nullptr;
        return found ? nb::borrow(found) : nb::none();
      },
      "The enumeration that a type of members is of, where a member was an argument.");
  module.def("declare_argument", [](const nb::type_object &type, std::string_view kind) {
    declareKind(reinterpret_cast<PyTypeObject *>(type.ptr()), kind == "In"    ? ValueTag::InArgument
                                                              : kind == "Out" ? ValueTag::OutArgument
                                                                              : ValueTag::VisibleArray);
  });
}

ValueKind valueKindOf(PyObject *value) {
  PyTypeObject *type = Py_TYPE(value);
  if (const ValueKind *const kind = knownKinds().find(type)) [[likely]]
    return *kind;
  const ValueKind kind = classify(type, value);
  if (PyErr_Occurred())
    return {};
  if (!kind.isOfValue)
    knownKinds().keep(type, kind);
  return kind;
}

std::string describeDtype(PyObject *array) {
  const nb::object dtype = dtypeOf(array);
  const nb::object text = nb::steal(dtype.is_valid() ? PyObject_Str(dtype.ptr()) : nullptr);
  return text.is_valid() ? utf8Of(text) : "?";
}

} // namespace treadle::python

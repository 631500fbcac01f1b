// as_cuda_array, from_cuda_array_interface: reads dictionaries of the CUDA Array Interface.
#include "interop/interface_reader.h"
#include "interop/interface_types.h"
#include "launch/array_exchange.h"
#include "python/arrays/host_memory.h"
#include "python/host/held_reference.h"
#include "python/host/object_access.h"
#include "python/interop/array_interface.h"
#include "python/interop/interface_settings.h"
#include "python/interop/taken_interface.h"
#include "python/interop/taken_tensor.h"
#include "python/interop/torch_tensor.h"
#include "python/types/dtype_names.h"
#include "python/types/type_objects.h"
#include "support/error.h"

#include <nanobind/stl/string.h>

#include <utility>

namespace nb = nanobind;

namespace treadle::python {

namespace {

[[noreturn]] void fail(UsageError::Kind kind, const std::string &message) { throw UsageError(kind, message); }

/// Also where all else that is wrong with an argument is a TypeError.
[[noreturn]] void failNotImplemented(const char *message) {
  PyErr_SetString(PyExc_NotImplementedError, message);
  throw nb::python_error();
}

[[noreturn]] void failType(const char *key, const char *expected, PyObject *found) {
  fail(UsageError::Kind::Type, std::string("__cuda_array_interface__: ") + key + " must be " + expected +
                                   ", found a value of type " + Py_TYPE(found)->tp_name);
}

/// The values of a dictionary, borrowed; null: it has no such key.
struct InterfaceValues {
  PyObject *shape, *typestr, *data, *version, *strides, *descr, *mask, *stream;
};

/// Made once and kept.
struct InterfaceKeys {
  struct Key {
    PyObject *name;
    PyObject *InterfaceValues::*member;
  };
  const InterfaceNames &names = InterfaceNames::instance();
  const Key keys[8] = {{names.shape, &InterfaceValues::shape},     {names.typestr, &InterfaceValues::typestr},
                       {names.data, &InterfaceValues::data},       {names.version, &InterfaceValues::version},
                       {names.strides, &InterfaceValues::strides}, {names.descr, &InterfaceValues::descr},
                       {names.mask, &InterfaceValues::mask},       {names.stream, &InterfaceValues::stream}};

  static const InterfaceKeys &instance() {
    static const auto *const made = new InterfaceKeys;
    return *made;
  }

  /// Null: none that counts. Python interns the keys in its code, so that addresses mostly decide.
  PyObject *InterfaceValues::*memberOf(PyObject *name) const {
    for (const Key &key : keys)
      if (key.name == name) [[likely]]
        return key.member;
    for (const Key &key : keys)
      if (PyUnicode_Check(name) && PyUnicode_Compare(key.name, name) == 0)
        return key.member;
    return nullptr;
  }
};

/// One walk through a dictionary of six keys takes half as long as eight look-ups.
InterfaceValues valuesOf(PyObject *dictionary) {
  InterfaceValues values{};
  const InterfaceKeys &keys = InterfaceKeys::instance();
  PyObject *name = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(dictionary, &at, &name, &value);)
    if (PyObject *InterfaceValues::*const member = keys.memberOf(name))
      values.*member = value;
  return values;
}

/// Null where it is absent or None.
PyObject *ifAny(PyObject *value) { return value == Py_None ? nullptr : value; }

PyObject *required(PyObject *value, const char *key) {
  if (!value)
    fail(UsageError::Kind::Value, std::string("__cuda_array_interface__ has no key '") + key + "'");
  return value;
}

bool isInteger(PyObject *value) { return PyLong_Check(value) && !PyBool_Check(value); }

int64_t integerIn(PyObject *value, const char *key, const char *expected = "an int") {
  if (!isInteger(value))
    failType(key, expected, value);
  const long long number = PyLong_AsLongLong(value);
  if (number == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    fail(UsageError::Kind::Value, std::string("__cuda_array_interface__: ") + key + " does not fit 64 bits");
  }
  return number;
}

/// The number of them.
size_t integersIn(PyObject *value, const char *key, int64_t *to) {
  constexpr const char *expected = "a tuple of ints";
  if (!PyTuple_Check(value))
    failType(key, expected, value);
  const auto count = size_t(PyTuple_GET_SIZE(value));
  if (count > maxDimensions)
    fail(UsageError::Kind::Buffer, std::string("__cuda_array_interface__: ") + key + " has " + std::to_string(count) +
                                       " items; arrays have at most " + std::to_string(maxDimensions) + " dimensions");
  for (size_t i = 0; i < count; ++i)
    to[i] = integerIn(PyTuple_GET_ITEM(value, i), key, expected);
  return count;
}

void readData(PyObject *pair, InterfaceFields &fields) {
  constexpr const char *expected = "a tuple of an int (the address) and a bool (whether the array is read-only)";
  if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2)
    failType("data", expected, pair);
  PyObject *const address = PyTuple_GET_ITEM(pair, 0), *const readOnly = PyTuple_GET_ITEM(pair, 1);
  // None: what some libraries wrote for arrays without elements before version 2.
  if (address != Py_None) {
    if (!isInteger(address))
      failType("data", expected, address);
    fields.data = uintptr_t(PyLong_AsUnsignedLongLong(address));
    if (PyErr_Occurred()) {
      PyErr_Clear();
      fail(UsageError::Kind::Value, "__cuda_array_interface__: data has an address that does not fit 64 bits");
    }
  }
  if (!PyBool_Check(readOnly))
    failType("data", expected, readOnly);
  fields.isReadOnly = readOnly == Py_True;
}

/// Types of typestrings that were seen before. A slot holds a reference to its text, so that no other gets its address.
class KnownTypestrs {
public:
  static KnownTypestrs &instance() {
    static auto *const made = new KnownTypestrs;
    return *made;
  }

  /// Null: none that arrays have.
  const Type *elementOf(PyObject *text, std::string_view typestr) {
    Slot &slot = slots[(reinterpret_cast<uintptr_t>(text) >> 4) % std::size(slots)];
    if (slot.text == text) [[likely]]
      return slot.element;
    const Type *const element = elementOfTypestr(typestr);
    // Objects of derived classes may keep anything alive.
    if (element && PyUnicode_CheckExact(text))
      Py_XDECREF(std::exchange(slot, {Py_NewRef(text), element}).text);
    return element;
  }

private:
  struct Slot {
    PyObject *text = nullptr;
    const Type *element = nullptr;
  };
  Slot slots[32];
};

/// The type that the fields of a `descr` have together; null: it has none, and says what typestr says.
const Type *recordIn(PyObject *descr) {
  if (!PyList_Check(descr))
    failType("descr", "a list of tuples", descr);
  const nb::object dtype = memberOf("treadle.interchange", "record_described")(nb::handle(descr));
  if (dtype.is_none())
    return nullptr;
  if (PyUnicode_Check(dtype.ptr()))
    fail(UsageError::Kind::Value, "__cuda_array_interface__: descr describes no records: " + utf8Of(dtype));
  const Type *const record = otherTypeOf(*reinterpret_cast<const NumpyDescription *>(dtype.ptr()));
  if (!record)
    fail(UsageError::Kind::Buffer,
         "the records have fields of types that arrays do not have: " + utf8Of(nb::str(nb::handle(dtype))));
  return record;
}

} // namespace

InterfaceSource InterfaceSource::ofArgument(nb::handle argument) {
  return {argument, false, InterfaceSettings::instance().ordersImports};
}

nb::object interfaceOf(nb::handle object) {
  nb::object dictionary = nb::steal(PyObject_GetAttr(object.ptr(), InterfaceNames::instance().attribute));
  if (!dictionary.is_valid()) {
    if (!forgetError({PyExc_AttributeError}))
      throw nb::python_error();
    return dictionary;
  }
  if (!PyDict_Check(dictionary.ptr()))
    fail(UsageError::Kind::Type, std::string("__cuda_array_interface__ must be a dict, found a value of type ") +
                                     Py_TYPE(dictionary.ptr())->tp_name);
  return dictionary;
}

TakenInterface::TakenInterface(nb::handle dictionary) {
  const InterfaceValues values = valuesOf(dictionary.ptr());
  if (ifAny(values.mask))
    failNotImplemented("__cuda_array_interface__ has a mask: masked arrays are not supported, pass the array and its "
                       "mask");
  int64_t shape[maxDimensions], strides[maxDimensions];
  InterfaceFields fields;
  fields.version = integerIn(required(values.version, "version"), "version");
  fields.shape = {shape, integersIn(required(values.shape, "shape"), "shape", shape)};
  PyObject *const typestr = required(values.typestr, "typestr");
  if (!PyUnicode_Check(typestr))
    failType("typestr", "a str", typestr);
  Py_ssize_t length = 0;
  const char *const text = PyUnicode_AsUTF8AndSize(typestr, &length);
  if (!text)
    throw nb::python_error();
  fields.typestr = {text, size_t(length)};
  fields.known = KnownTypestrs::instance().elementOf(typestr, fields.typestr);
  readData(required(values.data, "data"), fields);
  if (PyObject *const given = ifAny(values.strides))
    fields.strides = std::span<const int64_t>(strides, integersIn(given, "strides", strides));
  if (PyObject *const descr = ifAny(values.descr))
    fields.record = recordIn(descr);
  if (PyObject *const given = ifAny(values.stream))
    fields.stream = integerIn(given, "stream");
  const InterfaceReader reader(fields);
  view = viewOf(reader.description());
  element = reader.description().element;
  isReadOnly = reader.description().isReadOnly;
  stream = reader.stream();
}

namespace {

/// Of elements that the interface can only call bytes the owner's dtype may know more: bfloat16 and its kind.
const Type *asOwnerSays(const Type *element, nb::handle owner) {
  if (!owner || !element->isOpaque() || !element->text().starts_with('V'))
    return element;
  const nb::object told = memberOf("treadle.interchange", "element_by_owner")(owner, typeObject(element));
  return nb::cast<const Type *>(told);
}

/// PyTorch shows version 2, which has no stream: its work is on the stream that is current there.
uint64_t streamOfTorch(nb::handle tensor) {
  return nb::cast<uint64_t>(memberOf("treadle.interchange", "current_stream_of_torch")(tensor));
}

} // namespace

LocatedArray TakenInterface::locate() const { return locateMemory(memoryOf(view)); }

DeviceArray TakenInterface::array(const InterfaceSource &source, const LocatedArray &located) const {
  const bool isTorchs = source.owner && isTorchTensor(source.owner);
  if (isTorchs)
    checkTorchTensor(source.owner, element);
  const std::span<char> memory = memoryOf(view);
  const bool isSeen = source.owner && source.isLasting; // by the garbage collector
  DeviceContext &context = *located.context;
  DeviceArray array = makeDeviceArray(isSeen ? hostBackedArrayType() : deviceArrayType(), view);
  if (!memory.empty())
    array->view.data += located.memory.data - memory.data(); // where the device has another address for it
  MemoryOwner owner{.kind = located.memory.kind};
  std::optional<uint64_t> behind = source.isOrdered ? stream : std::nullopt;
  if (source.isOrdered && isTorchs && !stream && context.device->kind() == "CUDA")
    behind = streamOfTorch(source.owner);
  if (behind)
    owner.producer = producerStream(*context.device, *behind);
  if (source.owner)
    owner.owner = heldMemory(source.owner.ptr());
  ownElements(array->view, context.memory, std::move(owner));
  if (isSeen)
    array->owner = hostMemory(array->view.owner, source.owner).release().ptr();
  if (array->view.owner->producer())
    array->stream = PyLong_FromUnsignedLongLong(*behind);
  setElementType(*array, asOwnerSays(element, source.owner));
  array->layout = layoutOf(view.strided());
  array->isReadOnly = isReadOnly;
  return array;
}

namespace {

/// `sync` false, or the setting: streams of producers are ignored.
bool isOrdered(bool sync) { return sync && InterfaceSettings::instance().ordersImports; }

DeviceArray asCudaArray(nb::handle object, bool sync) {
  if (isDeviceArray(object.ptr()))
    return nb::borrow<DeviceArray>(object);
  const nb::object dictionary = interfaceOf(object);
  if (!dictionary.is_valid())
    fail(UsageError::Kind::Type,
         std::string("expected an object with __cuda_array_interface__, found a value of type ") +
             Py_TYPE(object.ptr())->tp_name +
             (nb::hasattr(object, "__dlpack__") ? ", which treadle.from_dlpack takes" : ""));
  return TakenInterface(dictionary).array({object, true, isOrdered(sync)});
}

DeviceArray fromCudaArrayInterface(const nb::dict &description, nb::handle owner, bool sync) {
  return TakenInterface(description).array({owner.is_none() ? nb::handle() : owner, true, isOrdered(sync)});
}

} // namespace

void addInterfaceImport(nb::module_ &module) {
  module.def("as_cuda_array", &asCudaArray, nb::arg("obj").none(), nb::arg("sync") = true,
             "A device array over the memory of an object with `__cuda_array_interface__`, which it keeps alive.\n\n"
             "The work of its stream, where it names one (version 3), comes before what uses the array here, and what\n"
             "it queues later comes behind that; the host never waits. `sync=False`, or\n"
             "TREADLE_CUDA_ARRAY_INTERFACE_SYNC=0, ignores the stream. An array that is read-only there is read-only\n"
             "here. Raises TypeError for objects without the interface and for keys of wrong types, ValueError for\n"
             "wrong values, NotImplementedError for masks, BufferError for what no device array can be.\n"
             "Source: CUDA Array Interface, version 3.");
  module.def("from_cuda_array_interface", &fromCudaArrayInterface, nb::arg("desc"), nb::arg("owner") = nb::none(),
             nb::arg("sync") = true,
             "As `as_cuda_array`, from the dictionary itself. `owner`: what keeps the memory alive; None: the caller\n"
             "does.");
  module.def(
      "is_cuda_array", [](nb::handle object) { return nb::hasattr(object, "__cuda_array_interface__"); },
      nb::arg("obj").none(), "Whether the object has `__cuda_array_interface__`.");
}

} // namespace treadle::python

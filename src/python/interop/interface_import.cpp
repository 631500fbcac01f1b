// as_cuda_array, from_cuda_array_interface: parse dictionaries of the CUDA Array Interface.
#include "interop/interface_reader.h"
#include "interop/interface_types.h"
#include "python/arrays/host_memory.h"
#include "python/host/errors.h"
#include "python/host/held_reference.h"
#include "python/host/object_access.h"
#include "python/interop/array_interface.h"
#include "python/interop/interface_settings.h"
#include "python/interop/taken_interface.h"
#include "python/interop/taken_tensor.h"
#include "python/interop/torch_tensor.h"
#include "python/types/dtype_names.h"
#include "python/types/type_objects.h"
#include "runtime/array_exchange.h"
#include "support/error.h"

#include <fmt/core.h>
#include <nanobind/stl/string.h>

#include <utility>

namespace nb = nanobind;

namespace treadle::python {

namespace {

[[noreturn]] void fail(UsageError::Kind kind, const std::string &message) { throw UsageError(kind, message); }

/// Raised even where any other fault of an argument is a TypeError.
[[noreturn]] void failNotImplemented(const char *message) {
  PyErr_SetString(PyExc_NotImplementedError, message);
  throw nb::python_error();
}

[[noreturn]] void failType(const char *key, const char *expected, PyObject *found) {
  fail(UsageError::Kind::Type, std::string("__cuda_array_interface__: ") + key + " must be " + expected +
                                   ", found a value of type " + Py_TYPE(found)->tp_name);
}

/// The values of a dictionary, which may be changed by code that runs while they are read; null: the key is missing.
struct InterfaceValues {
  nb::object shape, typestr, data, version, strides, descr, mask, stream;
};

/// Interned once.
struct InterfaceKeys {
  struct Key {
    PyObject *name;
    nb::object InterfaceValues::*member;
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

  /// Null: not a known key. Python interns the keys in its code, so that comparing addresses usually suffices.
  nb::object InterfaceValues::*memberOf(PyObject *name) const {
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
    if (nb::object InterfaceValues::*const member = keys.memberOf(name))
      values.*member = nb::borrow(value);
  return values;
}

/// Null if it is absent or None.
PyObject *ifAny(const nb::object &value) { return value.is_none() ? nullptr : value.ptr(); }

PyObject *required(const nb::object &value, const char *key) {
  if (!value.is_valid())
    fail(UsageError::Kind::Value, std::string("__cuda_array_interface__ has no key '") + key + "'");
  return value.ptr();
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

/// Returns their number.
size_t integersIn(PyObject *value, const char *key, int64_t *to) {
  constexpr const char *expected = "a tuple of ints";
  if (!PyTuple_Check(value))
    failType(key, expected, value);
  const auto count = size_t(PyTuple_GET_SIZE(value));
  if (count > maxDimensions)
    fail(UsageError::Kind::Buffer,
         fmt::format("__cuda_array_interface__: {} has {} items; arrays have at most {} dimensions", key, count,
                     maxDimensions));
  for (size_t i = 0; i < count; ++i)
    to[i] = integerIn(PyTuple_GET_ITEM(value, i), key, expected);
  return count;
}

void readData(PyObject *pair, InterfaceFields &fields) {
  constexpr const char *expected = "a tuple of an int (the address) and a bool (whether the array is read-only)";
  if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2)
    failType("data", expected, pair);
  PyObject *const address = PyTuple_GET_ITEM(pair, 0), *const readOnly = PyTuple_GET_ITEM(pair, 1);
  // None: some libraries wrote it for arrays without elements before version 2.
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

/// A cache of the types of typestrings. A slot holds a reference to its text, so that its address is not reused.
class KnownTypestrs {
public:
  static KnownTypestrs &instance() {
    static auto *const made = new KnownTypestrs;
    return *made;
  }

  /// Null: not an element type.
  const Type *elementOf(PyObject *text, std::string_view typestr) {
    Slot &slot = slots[(reinterpret_cast<uintptr_t>(text) >> 4) % std::size(slots)];
    if (slot.text.ptr() == text) [[likely]]
      return slot.element;
    const Type *const element = elementOfTypestr(typestr);
    // Objects of derived classes may keep anything alive.
    if (element && PyUnicode_CheckExact(text))
      slot = {nb::borrow(text), element};
    return element;
  }

private:
  struct Slot {
    nb::object text;
    const Type *element = nullptr;
  };
  Slot slots[32];
};

/// The record type of a `descr`'s fields; null: it has none, and says no more than the typestr.
const Type *recordIn(PyObject *descr) {
  if (!PyList_Check(descr))
    failType("descr", "a list of tuples", descr);
  const nb::object dtype = memberOf("treadle.typing.interchange", "record_described")(nb::handle(descr));
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
  foreign = ForeignArray(reader.description());
  stream = reader.stream();
}

namespace {

/// For elements that the interface can only describe as bytes, the owner's dtype may tell more: bfloat16 and the like.
const Type *asOwnerSays(const Type *element, nb::handle owner) {
  if (!owner || !element->isOpaque() || !element->text().starts_with('V'))
    return element;
  const nb::object told = memberOf("treadle.typing.interchange", "element_by_owner")(owner, typeObject(element));
  return nb::cast<const Type *>(told);
}

/// PyTorch exports version 2, which has no stream: its work is on its current stream.
uint64_t streamOfTorch(nb::handle tensor) {
  return nb::cast<uint64_t>(memberOf("treadle.typing.interchange", "current_stream_of_torch")(tensor));
}

} // namespace

DeviceArray TakenInterface::array(const InterfaceSource &source, const LocatedArray &located) {
  const bool isTorchs = source.owner && isTorchTensor(source.owner);
  if (isTorchs)
    checkTorchTensor(source.owner, foreign.element);
  const bool isSeen = source.owner && source.isLasting; // seen by the garbage collector
  DeviceContext &context = *located.context;
  MemoryOwner owner{.kind = located.memory.kind};
  std::optional<uint64_t> awaited = source.isOrdered ? stream : std::nullopt;
  if (source.isOrdered && isTorchs && !stream && context.device->sharesStreams())
    awaited = streamOfTorch(source.owner);
  if (awaited)
    owner.producer = producerStream(*context.device, *awaited);
  if (source.owner)
    owner.owner = heldMemory(source.owner.ptr());
  foreign.own(context.memory, located.memory.data, std::move(owner));
  DeviceArray array = makeDeviceArray(isSeen ? hostBackedArrayType() : deviceArrayType(), std::move(foreign.view));
  if (isSeen)
    array->owner = hostMemory(array->view.owner, source.owner).release().ptr();
  if (array->view.owner->producer())
    array->stream = PyLong_FromUnsignedLongLong(*awaited);
  array->layout = layoutOf(array->view.strided());
  setElementType(*array, asOwnerSays(foreign.element, source.owner));
  array->isReadOnly = foreign.isReadOnly;
  return array;
}

namespace {

/// `sync` false, or the setting: producers' streams are ignored.
bool isOrdered(bool sync) { return sync && InterfaceSettings::instance().ordersImports; }

DeviceArray importedFrom(nb::handle object, bool sync) {
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

PyObject *asCudaArray(PyObject *, PyObject *positional, PyObject *named) {
  static const char *names[] = {"obj", "sync", nullptr};
  PyObject *object = nullptr, *sync = Py_True;
  const bool isGiven = PyArg_ParseTupleAndKeywords(positional, named, "O|O!:as_cuda_array", const_cast<char **>(names),
                                                   &object, &PyBool_Type, &sync);
  return isGiven ? orRaised([&] { return importedFrom(object, sync == Py_True).release().ptr(); }) : nullptr;
}

PyObject *fromCudaArrayInterface(PyObject *, PyObject *positional, PyObject *named) {
  static const char *names[] = {"desc", "owner", "sync", nullptr};
  PyObject *description = nullptr, *owner = Py_None, *sync = Py_True;
  const bool isGiven =
      PyArg_ParseTupleAndKeywords(positional, named, "O!|OO!:from_cuda_array_interface", const_cast<char **>(names),
                                  &PyDict_Type, &description, &owner, &PyBool_Type, &sync);
  if (!isGiven)
    return nullptr;
  return orRaised([&] {
    const InterfaceSource source{owner == Py_None ? nb::handle() : nb::handle(owner), true, isOrdered(sync == Py_True)};
    return TakenInterface(nb::borrow<nb::dict>(description)).array(source).release().ptr();
  });
}

PyObject *isCudaArray(PyObject *, PyObject *object) {
  return PyBool_FromLong(nb::hasattr(nb::handle(object), "__cuda_array_interface__"));
}

template <typename Function> PyCFunction plain(Function function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

/// With signatures that `inspect` reads, unlike nanobind's functions.
PyMethodDef functions[] = {
    {"as_cuda_array", plain(asCudaArray), METH_VARARGS | METH_KEYWORDS,
     "as_cuda_array(obj, sync=True)\n--\n\n"
     "A device array over the memory of an object with `__cuda_array_interface__`, which it keeps alive.\n\n"
     "The work of its stream, where it names one (version 3), comes before what uses the array here, and what\n"
     "it queues later runs after that; the host never waits. `sync=False`, or\n"
     "TREADLE_CUDA_ARRAY_INTERFACE_SYNC=0, ignores the stream. An array that is read-only there is read-only\n"
     "here. Raises TypeError for objects without the interface and for keys of wrong types, ValueError for\n"
     "wrong values, NotImplementedError for masks, BufferError for what no device array can be.\n"
     "Source: CUDA Array Interface, version 3."},
    {"from_cuda_array_interface", plain(fromCudaArrayInterface), METH_VARARGS | METH_KEYWORDS,
     "from_cuda_array_interface(desc, owner=None, sync=True)\n--\n\n"
     "As `as_cuda_array`, from the dictionary itself. `owner`: what keeps the memory alive; None: the caller\n"
     "does."},
    {"is_cuda_array", isCudaArray, METH_O,
     "is_cuda_array(obj, /)\n--\n\n"
     "Whether the object has `__cuda_array_interface__`."},
    {nullptr, nullptr, 0, nullptr},
};

} // namespace

void addInterfaceImport(nb::module_ &module) {
  if (PyModule_AddFunctions(module.ptr(), functions) != 0)
    throw nb::python_error();
}

} // namespace treadle::python

// __cuda_array_interface__ of device arrays.
#include "border/dlpack_abi.h"
#include "interop/interface_types.h"
#include "python/arrays/device_array_object.h"
#include "python/host/errors.h"
#include "python/host/object_access.h"
#include "python/host/stream_object.h"
#include "python/interop/array_interface.h"
#include "python/interop/interface_settings.h"
#include "runtime/array_exchange.h"

#include <algorithm>
#include <array>

namespace nb = nanobind;

namespace treadle::python {

namespace {

constexpr int64_t firstVersionWithMask = 1, firstVersionWithStream = 3;

/// Made once: a dictionary with the values that most arrays have, which each read copies, and typestrings.
struct InterfaceTemplate {
  PyObject *dictionary = nullptr;
  std::array<PyObject *, size_t(NumberCode::Other) + 1> typestrs{}; ///< by number; null: not used yet

  InterfaceTemplate() {
    const InterfaceSettings &settings = InterfaceSettings::instance();
    const InterfaceNames &names = InterfaceNames::instance();
    nb::dict made;
    for (PyObject *const key : {names.shape, names.typestr, names.data, names.strides})
      made[nb::handle(key)] = nb::none();
    made[nb::handle(names.version)] = settings.version;
    if (settings.version >= firstVersionWithMask)
      made[nb::handle(names.mask)] = nb::none();
    if (settings.version >= firstVersionWithStream)
      made[nb::handle(names.stream)] = nb::none();
    dictionary = made.release().ptr();
  }

  static InterfaceTemplate &instance() {
    static auto *const made = new InterfaceTemplate;
    return *made;
  }
};

void set(const nb::object &dictionary, PyObject *key, const nb::object &value) {
  if (PyDict_SetItem(dictionary.ptr(), key, value.ptr()) != 0)
    throw nb::python_error();
}

nb::object extentsAsTuple(const int64_t *values, unsigned count) {
  nb::object tuple = checked(PyTuple_New(count));
  for (unsigned i = 0; i < count; ++i)
    PyTuple_SET_ITEM(tuple.ptr(), i, checked(PyLong_FromLongLong(values[i])).release().ptr());
  return tuple;
}

nb::object addressAndAccess(const DeviceArrayObject &array) {
  nb::object pair = checked(PyTuple_New(2));
  char *const address = array.view.count() == 0 ? nullptr : array.view.data;
  PyTuple_SET_ITEM(pair.ptr(), 0, checked(PyLong_FromVoidPtr(address)).release().ptr());
  PyTuple_SET_ITEM(pair.ptr(), 1, Py_NewRef(array.isReadOnly ? Py_True : Py_False));
  return pair;
}

nb::object typestrAsText(const Type *element, NumberCode number) {
  PyObject *&known = InterfaceTemplate::instance().typestrs[size_t(number)];
  if (known && number != NumberCode::Other) [[likely]]
    return nb::borrow(known);
  nb::object made = checked(PyUnicode_FromString(typestrOf(element).c_str()));
  if (number != NumberCode::Other)
    known = nb::object(made).release().ptr();
  return made;
}

/// On the array's own stream, if it is bound to one.
std::optional<uint64_t> streamForConsumers(const DeviceArrayObject &array) {
  const int bound = array.stream ? PyObject_IsTrue(array.stream) : 0;
  if (bound < 0)
    throw nb::python_error();
  if (bound == 0)
    return treadle::streamForConsumers(*array.view.owner, nullptr);
  const NamedStream named = streamArgument(nb::handle(array.stream), "the array's stream: ");
  return treadle::streamForConsumers(*array.view.owner, &named);
}

/// Waits for queued work where other libraries have no streams: in memory of the CPU device.
std::optional<uint64_t> orderForConsumers(const DeviceArrayObject &array) {
  const Buffer &buffer = *array.view.owner;
  buffer.checkAlive();
  const std::optional<dlpack::Device> place = buffer.device().memory().exchangePlace(buffer.kind());
  if (place && place->type == dlpack::Cpu) {
    awaitUses(array);
    return std::nullopt;
  }
  buffer.leaveCache();
  if (const InterfaceSettings &settings = InterfaceSettings::instance();
      settings.version < firstVersionWithStream || !settings.showsStreams)
    return std::nullopt;
  return streamForConsumers(array);
}

PyObject *show(PyObject *self) {
  const auto &array = *reinterpret_cast<const DeviceArrayObject *>(self);
  if (!InterfaceSettings::instance().isOffered) {
    PyErr_SetString(PyExc_AttributeError, "TREADLE_CUDA_ARRAY_INTERFACE=off hides __cuda_array_interface__");
    return nullptr;
  }
  if (const Buffer &buffer = *array.view.owner; !buffer.device().memory().exchangePlace(buffer.kind())) {
    PyErr_SetString(PyExc_AttributeError, "other libraries cannot reach memory of this device");
    return nullptr;
  }
  const std::optional<uint64_t> stream = orderForConsumers(array);
  const InterfaceNames &names = InterfaceNames::instance();
  const ArrayView &view = array.view;
  nb::object shown = checked(PyDict_Copy(InterfaceTemplate::instance().dictionary));
  set(shown, names.shape, extentsAsTuple(view.shape, view.ndim));
  set(shown, names.typestr, typestrAsText(elementType(array), array.number));
  set(shown, names.data, addressAndAccess(array));
  if (!isContiguous(view.strided(), false))
    set(shown, names.strides, extentsAsTuple(view.strides, view.ndim));
  if (stream)
    set(shown, names.stream, checked(PyLong_FromUnsignedLongLong(*stream)));
  if (array.element && array.element->isRecord())
    shown[nb::handle(names.descr)] = memberOf("treadle.typing.interchange", "descr_of")(nb::handle(self));
  return shown.release().ptr();
}

PyObject *getInterface(PyObject *self, void *) {
  return orRaised([&] { return show(self); });
}

PyGetSetDef attribute = {
    "__cuda_array_interface__", getInterface, nullptr,
    "The array for other libraries, as a dict: version 3 of the CUDA Array Interface, or what\n"
    "TREADLE_CUDA_ARRAY_INTERFACE asks for. `stream` is one ordered after all work that uses the array, or None.\n"
    "On the CPU device reading it waits for that work.",
    nullptr};

} // namespace

void addArrayInterface(nb::module_ &module) {
  PyTypeObject *const type = deviceArrayType();
  nb::setattr(nb::handle(reinterpret_cast<PyObject *>(type)), attribute.name,
              checked(PyDescr_NewGetSet(type, &attribute)));
  addInterfaceImport(module);
}

} // namespace treadle::python

// __dlpack__ and __dlpack_device__ of device arrays.
#include "border/dlpack_abi.h"
#include "interop/exported_tensor.h"
#include "interop/tensor_types.h"
#include "python/arrays/device_array_object.h"
#include "python/host/errors.h"
#include "python/host/object_access.h"
#include "python/host/stream_object.h"
#include "python/interop/dlpack.h"
#include "python/interop/dlpack_capsule.h"
#include "runtime/array_exchange.h"
#include "support/error.h"

#include <array>

namespace nb = nanobind;

namespace treadle::python {

namespace {

[[noreturn]] void failBuffer(const std::string &message) { throw UsageError(UsageError::Kind::Buffer, message); }

/// The arguments of __dlpack__, as given; null: absent.
struct ExportArguments {
  PyObject *stream = nullptr, *max_version = nullptr, *dl_device = nullptr, *copy = nullptr;
};

/// Interned once.
struct ExportNames {
  struct Name {
    PyObject *text;
    PyObject *ExportArguments::*member;
  };
  Name names[4] = {{PyUnicode_InternFromString("stream"), &ExportArguments::stream},
                   {PyUnicode_InternFromString("max_version"), &ExportArguments::max_version},
                   {PyUnicode_InternFromString("dl_device"), &ExportArguments::dl_device},
                   {PyUnicode_InternFromString("copy"), &ExportArguments::copy}};
  PyObject *cpu = Py_BuildValue("(ii)", int(dlpack::Cpu), 0);

  static const ExportNames &instance() {
    static const auto *const made = new ExportNames;
    return *made;
  }

  /// Null: unknown name. Python interns the names in its code, so that comparing addresses usually suffices.
  PyObject *ExportArguments::*memberOf(PyObject *name) const {
    for (const Name &known : names)
      if (known.text == name) [[likely]]
        return known.member;
    for (const Name &known : names)
      if (PyUnicode_Compare(known.text, name) == 0)
        return known.member;
    return nullptr;
  }
};

/// All are keyword-only. False: a Python error is set.
bool readArguments(ExportArguments &read, PyObject *const *values, Py_ssize_t positional, PyObject *names) {
  if (positional != 0) {
    PyErr_Format(PyExc_TypeError, "__dlpack__() takes keyword arguments only, found %zd others", positional);
    return false;
  }
  const ExportNames &known = ExportNames::instance();
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i) {
    PyObject *const name = PyTuple_GET_ITEM(names, i);
    if (PyObject *ExportArguments::*const member = known.memberOf(name)) {
      read.*member = values[i] == Py_None ? nullptr : values[i];
    } else {
      PyErr_Format(PyExc_TypeError, "__dlpack__() has no argument %R: it takes stream, max_version, dl_device and copy",
                   name);
      return false;
    }
  }
  return true;
}

bool wantsVersioned(PyObject *maxVersion) { return maxVersion && readPair(maxVersion, "max_version").type >= 1; }

constexpr long long unordered = -1;

/// A number beyond 64 bits is not a handle: 0, which is not one either.
long long streamNumber(PyObject *stream) {
  if (!PyLong_Check(stream) || PyBool_Check(stream))
    throw UsageError(UsageError::Kind::Type,
                     std::string("stream must be an int or None, found a value of type ") + Py_TYPE(stream)->tp_name);
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(stream, &overflow);
  return overflow == 0 ? number : 0;
}

/// The stream that the consumer works on, if it names one; nothing: it wants no synchronisation. Throws UsageError,
/// nanobind::python_error.
std::optional<NamedStream> consumerStream(PyObject *stream) {
  if (!stream)
    return NamedStream::ofHandle(1);
  const long long number = streamNumber(stream);
  if (number == unordered)
    return std::nullopt;
  if (number == 0 || number < unordered)
    throw UsageError(UsageError::Kind::Value,
                     "stream must be 1 (the legacy default stream), 2 (the thread's), a stream's handle, or -1 (no "
                     "synchronisation), found " +
                         utf8Of(nb::repr(nb::handle(stream))) + "; 0 could mean either default stream");
  return streamArgument(nb::handle(stream), "stream: ");
}

/// The consumer may use the array at once: on the host, or on that stream.
void orderForConsumer(const DeviceArrayObject &array, const dlpack::Device &place, PyObject *stream) {
  const Buffer &buffer = *array.view.owner;
  buffer.checkAlive();
  const bool isOfHost = place.type != dlpack::Cuda;
  if (isOfHost && !stream)
    return awaitUses(array);
  if (place.type == dlpack::Cpu) {
    if (streamNumber(stream) == unordered)
      return;
    throw UsageError(UsageError::Kind::Value, "memory of the host has no streams: stream must be None");
  }
  const std::optional<NamedStream> consumer = consumerStream(stream);
  if (!consumer)
    return;
  comeBehindAll(consumer->on(buffer.device()), buffer);
}

} // namespace

dlpack::Device placeOf(const DeviceArrayObject &array) {
  const Buffer &buffer = *array.view.owner;
  const std::optional<dlpack::Device> place = buffer.device().memory().exchangePlace(buffer.kind());
  if (!place)
    failBuffer("other libraries cannot reach memory of this device (" + buffer.device().kind() + ')');
  return *place;
}

dlpack::DataType tensorTypeOf(const DeviceArrayObject &array) {
  static const auto numbers = [] {
    std::array<dlpack::DataType, size_t(NumberCode::None)> types{};
    for (size_t code = 0; code < types.size(); ++code)
      types[code] = *treadle::tensorTypeOf(typeOf(NumberCode(code)));
    return types;
  }();
  if (!array.element) [[likely]]
    return numbers[size_t(array.number)];
  const std::optional<dlpack::DataType> type = treadle::tensorTypeOf(elementType(array));
  if (!type)
    failBuffer("DLPack has no type for elements of " + std::string(elementType(array)->name()));
  return *type;
}

namespace {

/// A copy of the array, for consumers that want one: on the same device, or in host memory.
nb::object copyFor(PyObject *self, bool onHost) {
  return nb::module_::import_("treadle.typing.interchange").attr("copied")(nb::handle(self), onHost);
}

PyObject *exportArray(PyObject *self, const ExportArguments &arguments) {
  const auto &array = *reinterpret_cast<const DeviceArrayObject *>(self);
  dlpack::Device place = placeOf(array);
  const bool isVersioned = wantsVersioned(arguments.max_version);
  const dlpack::DataType type = tensorTypeOf(array);
  const int wish = arguments.copy ? PyObject_IsTrue(arguments.copy) : 0;
  if (wish < 0)
    throw nb::python_error();
  const bool mustCopy = wish == 1;
  const bool mayCopy = !arguments.copy || mustCopy;
  nb::object kept; // the copy, until the tensor owns its memory
  const DeviceArrayObject *shown = &array;
  bool isCopied = mustCopy, onHost = false;
  if (arguments.dl_device) {
    const dlpack::Device wanted = readPair(arguments.dl_device, "dl_device");
    onHost = wanted == dlpack::Device{dlpack::Cpu, 0} && place.type != dlpack::Cpu;
    if (wanted != place && !onHost)
      failBuffer("the array is on " + nameOf(place) + " and can be exported there or to kDLCPU 0, not to " +
                 nameOf(wanted));
    isCopied |= onHost && !array.view.owner->isHostVisible();
  }
  if (isCopied && !mayCopy)
    failBuffer("the array is on " + nameOf(place) + ", which the host cannot access, and copy=False forbids a copy");
  if (isCopied) {
    kept = copyFor(self, onHost);
    shown = reinterpret_cast<const DeviceArrayObject *>(kept.ptr());
  }
  if (onHost)
    place = {dlpack::Cpu, 0};
  orderForConsumer(*shown, place, arguments.stream);
  const uint64_t flags =
      (shown->isReadOnly ? uint64_t(dlpack::ReadOnly) : 0) | (isCopied ? uint64_t(dlpack::IsCopied) : 0);
  if (place.type == dlpack::Cuda)
    shown->view.owner->leaveCache();
  const TensorExport as{type, place, flags};
  return isVersioned ? makeCapsule(exportTensor<dlpack::ManagedTensorVersioned>(shown->view, as))
                     : makeCapsule(exportTensor<dlpack::ManagedTensor>(shown->view, as));
}

PyObject *exportMethod(PyObject *self, PyObject *const *values, Py_ssize_t positional, PyObject *names) {
  ExportArguments arguments;
  if (!readArguments(arguments, values, positional, names))
    return nullptr;
  return orRaised([&] { return exportArray(self, arguments); });
}

PyObject *deviceMethod(PyObject *self, PyObject *) {
  return orRaised([&] {
    const dlpack::Device place = placeOf(*reinterpret_cast<const DeviceArrayObject *>(self));
    if (place == dlpack::Device{dlpack::Cpu, 0}) [[likely]]
      return Py_NewRef(ExportNames::instance().cpu);
    return Py_BuildValue("(ii)", int(place.type), int(place.id));
  });
}

PyMethodDef methods[] = {
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(exportMethod)),
     METH_FASTCALL | METH_KEYWORDS,
     "__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "The array as a DLPack capsule: `dltensor_versioned` where `max_version` is (1, 0) or more, else `dltensor`.\n\n"
     "`stream`: on a GPU, the consumer's, which then waits for the work that uses the array: 1 and None are the "
     "legacy\n"
     "default stream, 2 the calling thread's, -1 asks for no waiting. Memory of the host is waited for at once, and\n"
     "has no streams. `dl_device`: the array's own, or (1, 0) for a copy in memory of the host. `copy`: True for a\n"
     "copy, False to refuse one. Raises BufferError for arrays that DLPack cannot describe, TypeError and ValueError\n"
     "for arguments. Source: the Python specification of DLPack 1.3, array API 2024.12."},
    {"__dlpack_device__", deviceMethod, METH_NOARGS,
     "__dlpack_device__()\n--\n\n"
     "Where the memory is, as DLPack's (device type, number): (1, 0) on the CPU device, (2, n) on GPU n, (3, 0) and\n"
     "(13, 0) for mapped and managed memory of CUDA."},
};

} // namespace

void addDlpackMethods() {
  const nb::handle type(reinterpret_cast<PyObject *>(deviceArrayType()));
  for (PyMethodDef &method : methods) {
    const nb::object made = nb::steal(PyDescr_NewMethod(reinterpret_cast<PyTypeObject *>(type.ptr()), &method));
    if (!made.is_valid())
      throw nb::python_error();
    nb::setattr(type, method.ml_name, made);
  }
}

} // namespace treadle::python

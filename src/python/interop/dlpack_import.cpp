// from_dlpack: asks a producer for a capsule, and takes its tensor over.
#include "interop/tensor_reader.h"
#include "interop/tensor_types.h"
#include "python/arrays/device_array_object.h"
#include "python/host/errors.h"
#include "python/host/held_reference.h"
#include "python/host/object_access.h"
#include "python/host/small_integer.h"
#include "python/interop/dlpack.h"
#include "python/interop/dlpack_capsule.h"
#include "python/interop/taken_tensor.h"
#include "python/interop/torch_tensor.h"
#include "python/types/exchange_lookup.h"
#include "python/types/numpy_layout.h"
#include "python/types/value_kinds.h"
#include "runtime/array_exchange.h"
#include "runtime/runtime.h"
#include "support/error.h"

#include <cstring>

namespace nb = nanobind;

namespace treadle::python {

namespace {

[[noreturn]] void failBuffer(const std::string &message) { throw UsageError(UsageError::Kind::Buffer, message); }

/// Made once and kept: names that every import looks up, and what it says it can read.
struct DlpackNames {
  PyObject *dlpack = PyUnicode_InternFromString("__dlpack__");
  PyObject *device = PyUnicode_InternFromString("__dlpack_device__");
  PyObject *maxVersion = Py_BuildValue("(II)", dlpack::ownVersion.major, dlpack::ownVersion.minor);
  PyObject *legacyStream = PyLong_FromLong(1);
  PyObject *nameOfVersion = Py_BuildValue("(s)", "max_version");
  PyObject *nameOfStream = Py_BuildValue("(s)", "stream");
  PyObject *namesOfBoth = Py_BuildValue("(ss)", "max_version", "stream");
  PyObject *namesOfAll = Py_BuildValue("(ssss)", "max_version", "stream", "dl_device", "copy");

  static const DlpackNames &instance() {
    static const auto *const names = new DlpackNames;
    return *names;
  }
};

[[noreturn]] void failCapsule(PyObject *capsule) {
  if (!PyCapsule_CheckExact(capsule))
    throw UsageError(UsageError::Kind::Type, std::string("__dlpack__() must give a capsule, found a value of type ") +
                                                 Py_TYPE(capsule)->tp_name);
  const char *const name = PyCapsule_GetName(capsule);
  throw UsageError(UsageError::Kind::Value,
                   std::string("__dlpack__() must give a fresh capsule named dltensor or dltensor_versioned, found ") +
                       (name ? name : "one without a name"));
}

/// The GPU that a producer's library finds selected while it is asked; null: any. PyTorch wants that.
const Device *deviceToSelect(const dlpack::Device &place) {
  const bool mayDiffer = place.type == dlpack::Cuda && Runtime::instance().deviceCount() > 1;
  DeviceContext *const context = mayDiffer ? contextIfAny(place) : nullptr;
  return context ? context->device.get() : nullptr;
}

/// Producers of before DLPack 1.0 know no `max_version`. A class derived from TypeError says something else.
nb::object askForCapsule(PyObject *producer, const dlpack::Device &place, const TensorWishes &wishes) {
  const DlpackNames &known = DlpackNames::instance();
  const SelectedDevice selected(deviceToSelect(place));
  const bool isForHost = wishes.device && readPair(wishes.device, "device").type == dlpack::Cpu;
  const bool hasStream = hasStreams(place) && !isForHost;
  PyObject *const stream = hasStream ? known.legacyStream : Py_None;
  PyObject *values[] = {producer, known.maxVersion, stream, wishes.device ? wishes.device : Py_None,
                        wishes.copy ? wishes.copy : Py_None};
  PyObject *const names = !wishes.areNone() ? known.namesOfAll : hasStream ? known.namesOfBoth : known.nameOfVersion;
  PyObject *capsule = PyObject_VectorcallMethod(known.dlpack, values, 1, names);
  if (!capsule && wishes.areNone() && PyErr_Occurred() == PyExc_TypeError) {
    PyErr_Clear();
    PyObject *fewer[] = {producer, stream};
    capsule = PyObject_VectorcallMethod(known.dlpack, fewer, 1, hasStream ? known.nameOfStream : nullptr);
  }
  return checked(capsule);
}

} // namespace

dlpack::Device readPair(PyObject *tuple, const char *name) {
  int32_t read[2] = {};
  bool isPair = PyTuple_Check(tuple) && PyTuple_GET_SIZE(tuple) == 2;
  for (int i = 0; isPair && i < 2; ++i) {
    PyObject *const item = PyTuple_GET_ITEM(tuple, i);
    if (int64_t small; PyLong_CheckExact(item) && readSmallInteger(item, small)) [[likely]] {
      read[i] = int32_t(small);
      continue;
    }
    // Members of an IntEnum, too.
    const nb::object number = nb::steal(PyNumber_Index(item));
    const long long value = number.is_valid() ? PyLong_AsLongLong(number.ptr()) : -1;
    isPair = !PyErr_Occurred() && value == int32_t(value);
    read[i] = int32_t(value);
  }
  if (isPair)
    return {read[0], read[1]};
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError, "%s must be a tuple of two ints of 32 bits, found %R", name, tuple);
  throw nb::python_error();
}

void TakenTensor::read(const dlpack::Tensor &tensor, uint64_t flags) {
  foreign = ForeignArray(TensorReader(tensor, flags).description());
  place = tensor.device;
}

template <typename Managed> void TakenTensor::take(Managed *managed) {
  owner = ownTensor(managed);
  checkVersion(*managed);
  read(managed->tensor, flagsOf(*managed));
}

namespace {

/// A Python error is set, or should be.
[[noreturn]] void failTable(const char *what) {
  if (!PyErr_Occurred())
    failBuffer(std::string("the exchange table of its class ") + what + ", and no reason");
  throw nb::python_error();
}

[[noreturn]] void failToGive(nb::handle producer) {
  if (!PyErr_Occurred())
    failTable("gives no tensor");
  nb::python_error error; // set aside while the producer is asked
  if (isTorchTensor(producer))
    checkTorchTensor(producer, nullptr);
  throw error;
}

} // namespace

/// A read-only array cannot be lent, say.
bool borrowTensor(const dlpack::ExchangeTable &table, nb::handle producer, dlpack::Tensor &lent) {
  if (table.lend && table.lend(producer.ptr(), &lent) == 0) [[likely]]
    return true;
  if (PyErr_Occurred() && !forgetError({PyExc_Exception})) // Ctrl-C
    throw nb::python_error();
  return false;
}

TakenTensor::TakenTensor(const dlpack::Tensor &lent, const dlpack::ExchangeTable &table, nb::handle producer) {
  read(lent, 0);
  owner = heldMemory(producer.ptr());
  finishBy(table, producer);
}

void TakenTensor::takeBy(const dlpack::ExchangeTable &table, nb::handle producer) {
  dlpack::ManagedTensorVersioned *managed = nullptr;
  if (table.give(producer.ptr(), &managed) != 0 || !managed)
    failToGive(producer);
  take(managed);
  finishBy(table, producer);
}

void TakenTensor::finishBy(const dlpack::ExchangeTable &table, nb::handle producer) {
  if (isTorchTensor(producer))
    checkTorchTensor(producer, foreign.element);
  void *found = nullptr;
  if (!hasStreams(place) || !table.workStream)
    return;
  if (table.workStream(place.type, place.id, &found) != 0)
    failTable("names no stream");
  stream = found ? reinterpret_cast<uint64_t>(found) : 1;
}

TakenTensor::TakenTensor(dlpack::ManagedTensorVersioned *managed) : isOrdered(false) { take(managed); }

namespace {

/// Treadle's own table orders nothing, and its arrays do.
const dlpack::ExchangeTable *tableOfOthers(nb::handle producer) {
  if (isDeviceArray(producer.ptr()))
    return nullptr;
  const dlpack::ExchangeTable *const table = knownExchangeTableOf(Py_TYPE(producer.ptr()));
  if (PyErr_Occurred())
    throw nb::python_error();
  return table;
}

} // namespace

/// Exact ndarrays say all of it themselves. What only NumPy can say is wrong with an array is left to NumPy.
bool TakenTensor::takeNumpys(nb::handle producer) {
  if (std::strcmp(Py_TYPE(producer.ptr())->tp_name, "numpy.ndarray") != 0 ||
      valueKindOf(producer.ptr()).tag != ValueTag::NumpyArray)
    return false;
  const auto &array = *reinterpret_cast<NumpyArray *>(producer.ptr());
  const NumberCode number = numberOfNumpyType(array.description->typeNumber);
  if (number == NumberCode::None || array.description->byteOrder == '>' || array.nd > int(maxDimensions))
    return false;
  const auto ndim = size_t(array.nd);
  const Type *const element = typeOf(number);
  const StridedExtents extents{{array.dimensions, ndim}, {array.strides, ndim}, element->bytes()};
  foreign = ForeignArray({array.data, extents, element, (array.flags & numpy::writeable) == 0});
  owner = heldMemory(producer.ptr());
  place = {dlpack::Cpu, 0};
  return true;
}

TakenTensor::TakenTensor(nb::handle producer, const TensorWishes &wishes) {
  if (wishes.areNone() && takeNumpys(producer))
    return;
  if (const auto *const table = wishes.areNone() ? tableOfOthers(producer) : nullptr) {
    takeBy(*table, producer);
    return;
  }
  if (isTorchTensor(producer))
    checkTorchTensor(producer, nullptr);
  const nb::object device = checked(PyObject_CallMethodNoArgs(producer.ptr(), DlpackNames::instance().device));
  const nb::object capsule = askForCapsule(producer.ptr(), readPair(device.ptr(), "__dlpack_device__()"), wishes);
  if (auto *const versioned = takeTensor<dlpack::ManagedTensorVersioned>(capsule.ptr()))
    take(versioned);
  else if (auto *const legacy = takeTensor<dlpack::ManagedTensor>(capsule.ptr()))
    take(legacy);
  else
    failCapsule(capsule.ptr());
}

DeviceArray TakenTensor::array() {
  DeviceContext &context = contextAt(place);
  MemoryOwner kept{.owner = std::move(owner), .kind = memoryKindAt(place)};
  if (stream)
    kept.producer = producerStream(*context.device, *stream);
  else if (isOrdered)
    kept.usedBefore = pointAfterProducer(*context.device, place);
  foreign.own(context.memory, foreign.memory.data(), std::move(kept));
  DeviceArray array = makeDeviceArray(deviceArrayType(), std::move(foreign.view));
  setElementType(*array, foreign.element);
  array->layout = layoutOf(array->view.strided());
  array->isReadOnly = foreign.isReadOnly;
  return array;
}

namespace {

PyObject *fromDlpack(PyObject *, PyObject *const *values, Py_ssize_t count, PyObject *names) {
  TensorWishes wishes;
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i) {
    PyObject *const name = PyTuple_GET_ITEM(names, i);
    const bool isDevice = PyUnicode_CompareWithASCIIString(name, "device") == 0;
    if (!isDevice && PyUnicode_CompareWithASCIIString(name, "copy") != 0) {
      PyErr_Format(PyExc_TypeError, "from_dlpack() has no argument %R: it takes an array, device and copy", name);
      return nullptr;
    }
    PyObject *const value = values[count + i] == Py_None ? nullptr : values[count + i];
    (isDevice ? wishes.device : wishes.copy) = value;
  }
  if (count != 1) {
    PyErr_Format(PyExc_TypeError, "from_dlpack() takes one array, found %zd", count);
    return nullptr;
  }
  return orRaised([&] {
    releaseHeldReferences();
    const nb::object wanted =
        wishes.device
            ? nb::module_::import_("treadle.typing.interchange").attr("place_named")(nb::handle(wishes.device))
            : nb::object();
    if (wishes.device)
      wishes.device = wanted.ptr();
    return TakenTensor(values[0], wishes).array().release().ptr();
  });
}

PyMethodDef functions[] = {
    {"from_dlpack", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(fromDlpack)),
     METH_FASTCALL | METH_KEYWORDS,
     "from_dlpack(x, /, *, device=None, copy=None)\n--\n\n"
     "A device array over the memory of `x`, an object with `__dlpack__` and `__dlpack_device__`; it keeps that "
     "memory\n"
     "alive. Memory of the host is the CPU device's; that of a GPU, the GPU's.\n\n"
     "`device`: where the array shall be, as (device type, number), \"cpu\", \"cuda\" or \"cuda:1\": the producer is "
     "asked\n"
     "for it. `copy`: True for a copy, False to refuse one. Raises BufferError for what no device array can be,\n"
     "AttributeError for objects without the protocol, and what the producer raises.\n"
     "Source: the Python specification of DLPack 1.3, array API 2024.12.\n\n"
     ">>> import numpy\n"
     ">>> import treadle\n"
     ">>> from treadle import cuda\n"
     ">>> host = numpy.arange(4.0)\n"
     ">>> device = treadle.from_dlpack(host)\n"
     ">>> host[0] = 7\n"
     ">>> device.copy_to_host().tolist()\n"
     "[7.0, 1.0, 2.0, 3.0]\n"},
    {nullptr, nullptr, 0, nullptr},
};

} // namespace

void addDlpack(nb::module_ &module) {
  addDlpackMethods();
  addExchangeTable();
  if (PyModule_AddFunctions(module.ptr(), functions) != 0)
    throw nb::python_error();
}

} // namespace treadle::python

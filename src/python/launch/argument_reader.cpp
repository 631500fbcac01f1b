// The table of argument kinds, and a reader for each.
#include "python/launch/argument_reader.h"

#include "interop/tensor_reader.h"
#include "python/arrays/device_array_object.h"
#include "python/host/errors.h"
#include "python/host/module_parts.h"
#include "python/host/object_access.h"
#include "python/interop/taken_interface.h"
#include "python/interop/torch_tensor.h"
#include "python/launch/integer_argument.h"
#include "python/types/dtype_names.h"
#include "python/types/numpy_layout.h"
#include "python/types/type_objects.h"
#include "python/types/value_kinds.h"
#include "runtime/runtime.h"
#include "support/error.h"
#include "types/texts.h"

#include <fmt/core.h>
#include <nanobind/stl/string.h>

#include <algorithm>

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// Deeper tuples are refused, so that reading cannot exhaust the stack.
constexpr unsigned maxNesting = 64;
/// Each item is a parameter of its own, so that compile time grows with their number. Numba's limit.
constexpr size_t tooManyItems = 1000;

} // namespace

ArgumentReader::~ArgumentReader() {
  if (firstTensor && (firstTensor->owner || !tensors.empty())) [[unlikely]] {
    const nb::error_scope pending; // deleters may call Python
    firstTensor.reset();
    tensors.clear();
  }
  for (unsigned i = 0; i < temporaries.size(); ++i)
    Py_DECREF(temporaries[i]);
}

bool ArgumentReader::fail(std::string reason) {
  why = std::move(reason);
  return false;
}

bool ArgumentReader::refuse(const char *reason) noexcept {
  why = reason;
  return false;
}

bool ArgumentReader::admits(const Type *element) {
  if (!element || !element->isOpaque() || element->isElement() || allowed == ElementsOf::Arrays)
    return true;
  return fail("arrays can hold " + element->name() +
              ", but kernels do not have it: convert the elements, or look at their bytes with view()");
}

bool ArgumentReader::readInteger(PyObject *value) {
  const IntegerArgument read = integerArgument(value);
  if (read.code == NumberCode::None) [[unlikely]] {
    PyErr_Format(PyExc_OverflowError, "the integer %R does not fit 64 bits", value);
    return false;
  }
  list.addScalar(read.code, read.code == NumberCode::Int64 ? ArgumentLeaf::Kind::Signed : ArgumentLeaf::Kind::Unsigned,
                 read.bits);
  return true;
}

bool ArgumentReader::addHostArray(const ArrayArgument &array) {
  list.addArray(array);
  return array.hasExtents() || fail(array.whyTooLarge());
}

const int64_t *ArgumentReader::KeptExtents::copy(const int64_t *from, size_t count) {
  int64_t *to = inside + used;
  if (used + count > std::size(inside)) [[unlikely]]
    to = others.emplace_front().data();
  else
    used += count;
  std::copy_n(from, count, to);
  return to;
}

/// For elements that are not numbers. May run code that changes the array's dtype. Null: `problem` says why.
const Type *ArgumentReader::otherElementOf(const NumpyArray &array, PyObject *value) {
  const nb::object dtype = nb::borrow(reinterpret_cast<PyObject *>(array.description));
  const auto &description = *reinterpret_cast<NumpyDescription *>(dtype.ptr());
  const Type *const element = otherTypeOf(description);
  if (!admits(element))
    return nullptr;
  if (element && array.description == &description)
    return element;
  fail(element ? "its dtype was changed while it was read"
               : "arrays of dtype " + describeDtype(value) +
                     (description.byteOrder == '>' ? " are not in this machine's byte order" : " are not supported"));
  return nullptr;
}

bool ArgumentReader::readNumpyArray(PyObject *value) {
  const auto &array = *reinterpret_cast<NumpyArray *>(value);
  const NumberCode number = numberOfNumpyType(array.description->typeNumber);
  const Type *element = nullptr;
  if (number == NumberCode::None || array.description->byteOrder == '>') [[unlikely]]
    if (element = otherElementOf(array, value); !element)
      return false;
  if (array.nd > int(maxDimensions)) [[unlikely]]
    return fail(fmt::format("arrays have at most {} dimensions, this one {}", maxDimensions, array.nd));
  const Layout layout = (array.flags & numpy::cContiguous) != 0   ? Layout::C
                        : (array.flags & numpy::fContiguous) != 0 ? Layout::F
                                                                  : Layout::Any;
  const bool isReadOnly = (array.flags & numpy::writeable) == 0;
  // NumPy frees them when the array's shape is set: by a later argument's code, or by another thread.
  const auto ndim = size_t(array.nd);
  const int64_t *const shape = kept.copy(array.dimensions, ndim), *const strides = kept.copy(array.strides, ndim);
  return addHostArray({array.data, shape, strides, uint8_t(ndim), layout, true, isReadOnly, number, element});
}

/// A date or a duration: kernels receive its count.
bool ArgumentReader::readNumpyTime(PyObject *value) {
  const nb::object dtype = nb::steal(PyObject_GetAttrString(value, "dtype"));
  const Type *element = dtype.is_valid() ? otherTypeOf(*reinterpret_cast<NumpyDescription *>(dtype.ptr())) : nullptr;
  if (!element || !element->isTimeElement())
    return !PyErr_Occurred() &&
           fail("NumPy scalars of dtype " + describeDtype(value) + " are not supported: convert it to a single unit");
  const auto read = nb::steal(PyObject_CallMethod(value, "astype", "s", "i8"));
  if (!read.is_valid())
    return false;
  list.tokens.push() = tokens::namedTuple(&timeClassOf(types::time(element)));
  list.addNumber(NumberCode::Int64, numpy::scalarValue(read.ptr()));
  return true;
}

bool ArgumentReader::readComplex(PyObject *value) {
  const Py_complex parts = PyComplex_AsCComplex(value);
  list.addReal(NumberCode::Complex128, parts.real, parts.imag);
  return true;
}

/// The codes of its characters. The kernel is specialised on their number.
bool ArgumentReader::readText(PyObject *value) {
  const bool isUnicode = PyUnicode_Check(value) != 0;
  const auto count = size_t(isUnicode ? PyUnicode_GET_LENGTH(value) : PyBytes_GET_SIZE(value));
  if (count > types::mostCharacters)
    return fail(fmt::format("texts have at most {} characters, this one {}: pass an array of them",
                            types::mostCharacters, count));
  list.tokens.push() = tokens::namedTuple(&textClassOf(types::text(isUnicode, count)));
  for (size_t i = 0; i < count; ++i) {
    const uint32_t code = isUnicode ? PyUnicode_READ_CHAR(value, Py_ssize_t(i)) : uint8_t(PyBytes_AS_STRING(value)[i]);
    list.addScalar(isUnicode ? NumberCode::UInt32 : NumberCode::UInt8, ArgumentLeaf::Kind::Unsigned, code);
  }
  return true;
}

/// A NumPy record: its memory, or that of the array it is part of. Kernels may write it.
bool ArgumentReader::readNumpyRecord(PyObject *value) {
  const auto &scalar = *reinterpret_cast<NumpyRecord *>(value);
  const Type *record = otherTypeOf(*scalar.description);
  if (!record || !record->isRecord())
    return fail("NumPy scalars of dtype " + describeDtype(value) + " are not supported");
  const bool isReadOnly = (scalar.flags & numpy::writeable) == 0;
  list.addArray({scalar.data, nullptr, nullptr, 0, Layout::C, true, isReadOnly, NumberCode::None, record});
  return true;
}

bool ArgumentReader::useBuffer(const DeviceArrayObject &array) {
  const Buffer &buffer = *array.view.owner;
  if (buffer.isLost()) [[unlikely]]
    return raisePython(std::make_exception_ptr(buffer.lostError())), false;
  list.isMixed |= list.device && list.device != &buffer.device();
  list.device = &buffer.device();
  list.buffers.push() = &array.view.owner;
  list.isUsedBefore |= buffer.isUsedBefore();
  list.usesBorrowed |= buffer.isBorrowed();
  return true;
}

bool ArgumentReader::readDeviceArray(PyObject *value) {
  const auto &array = *reinterpret_cast<DeviceArrayObject *>(value);
  if (!useBuffer(array) || (array.element && !admits(array.element))) [[unlikely]]
    return false;
  const ArrayView &view = array.view;
  list.addArray({view.data, view.shape, view.strides, view.ndim, array.layout, false, array.isReadOnly, array.number,
                 array.element});
  return true;
}

bool ArgumentReader::readItems(PyObject *const *values, size_t count) {
  if (++nesting > maxNesting)
    return fail("tuples are nested too deeply");
  if (nesting == 1)
    outermost = list.leaves.size();
  for (size_t i = 0; i < count; ++i) {
    if (std::max(i, list.leaves.size() - outermost) + 1 >= tooManyItems)
      return fail("it has 1000 items or more, with those of tuples in it: pass an array");
    if (!read(values[i]))
      return false;
  }
  --nesting;
  return true;
}

bool ArgumentReader::readTuple(PyObject *value) {
  const size_t count = size_t(PyTuple_GET_SIZE(value));
  list.tokens.push() = tokens::tuple(uint32_t(count));
  return readItems(&PyTuple_GET_ITEM(value, 0), count);
}

bool ArgumentReader::readNamedTuple(PyObject *value, const NamedTupleClass *tupleClass) {
  const size_t count = size_t(PyTuple_GET_SIZE(value));
  if (count != tupleClass->fields.size())
    return fail("its length is not that of its namedtuple class");
  list.tokens.push() = tokens::namedTuple(tupleClass);
  return readItems(&PyTuple_GET_ITEM(value, 0), count);
}

/// The memory is a device's: launches need not wait for each other because of the host. An array merely computed from
/// such an array is host memory.
bool ArgumentReader::readVisibleArray(PyObject *value) {
  const bool usedHostMemory = list.usesHostMemory;
  if (!readNumpyArray(value))
    return false;
  PyObject *device = PyObject_GetAttrString(value, "_device");
  if (!device)
    return false;
  temporaries.push() = device;
  if (!PyObject_TypeCheck(device, deviceArrayType()))
    return true;
  const auto &array = *reinterpret_cast<DeviceArrayObject *>(device);
  const Buffer &buffer = *array.view.owner;
  ArgumentLeaf &leaf = list.leaves[list.leaves.size() - 1];
  const StridedExtents read{{leaf.shape, leaf.ndim}, {leaf.strides, leaf.ndim}, leaf.itemBytes};
  if (!liesIn({buffer.data(), buffer.bytes()}, leaf.data, read))
    return true;
  list.usesHostMemory = usedHostMemory;
  leaf.isOnHost = false;
  return useBuffer(array);
}

/// `inner`: the wrapped value; a new reference, or null with an error.
bool ArgumentReader::readInner(PyObject *inner) {
  if (!inner)
    return false;
  temporaries.push() = inner;
  if (++nesting > maxNesting)
    return fail("values are nested too deeply");
  const bool done = read(inner);
  --nesting;
  return done;
}

/// Defects of another library's array are reported with the argument; exceptions of the library pass through.
template <typename Read> bool ArgumentReader::guarded(Read read) {
  try {
    return read();
  } catch (const UsageError &error) {
    return refuse(error.what());
  } catch (...) {
    raisePython(std::current_exception());
    return false;
  }
}

/// Host memory that the launch's device uses in place, as it does NumPy's: that needs no buffer.
bool ArgumentReader::isInPlace(const TakenInterface &taken, const LocatedArray &located) const {
  return isOnDefaultStream && !taken.stream && located.context->device->hostArrays() == HostArrays::InPlace &&
         located.context == &Runtime::instance().context();
}

bool ArgumentReader::readInterface(PyObject *value, ValueTag otherwise) {
  return guarded([&] {
    const nb::object dictionary = interfaceOf(value);
    if (!dictionary.is_valid())
      return readAs({.tag = otherwise}, value);
    TakenInterface taken(dictionary);
    const LocatedArray located = taken.locate();
    if (isInPlace(taken, located)) {
      if (isTorchTensor(value))
        checkTorchTensor(value, taken.foreign.element);
      return addForeign(keepForeign(taken.foreign));
    }
    temporaries.push() = taken.array(InterfaceSource::ofArgument(value), located).release().ptr();
    return readDeviceArray(temporaries[temporaries.size() - 1]);
  });
}

bool ArgumentReader::addForeign(const ForeignArray &array) {
  const ArrayView &view = array.view;
  const Type *const other = array.element->isNumber() ? nullptr : array.element;
  return admits(other) && addHostArray({view.data, view.shape, view.strides, view.ndim, layoutOf(view.strided()), true,
                                        array.isReadOnly, numberCode(array.element), other});
}

/// Host memory stays in place: kernels use it as they use NumPy arrays.
bool ArgumentReader::addTensor(TakenTensor &tensor) {
  if (tensor.place.type == dlpack::Cpu)
    return addForeign(tensor.foreign);
  temporaries.push() = tensor.array().release().ptr();
  return readDeviceArray(temporaries[temporaries.size() - 1]);
}

bool ArgumentReader::readTensor(PyObject *value) {
  return guarded([&] { return addTensor(takeTensor(nb::handle(value))); });
}

/// Host memory is borrowed: the call keeps its producer alive.
bool ArgumentReader::readExchanged(PyObject *value, const ValueKind &kind) {
  return guarded([&] {
    const nb::handle producer(value);
    const dlpack::ExchangeTable &table = *kind.exchange;
    dlpack::Tensor lent;
    if (!borrowTensor(table, producer, lent))
      return addTensor(takeTensor(table, producer));
    if (lent.device.type != dlpack::Cpu)
      return addTensor(takeTensor(lent, table, producer));
    const ForeignArray &array = keepForeign(TensorReader(lent, 0).description());
    if (kind.isTorchs)
      checkTorchTensor(producer, array.element);
    return addForeign(array);
  });
}

bool ArgumentReader::readBuffer(PyObject *value) {
  HostArray &array = arrays.emplace_front();
  if (!array.take(value, 0)) {
    if (!HostArray::forgetRefusal())
      return false;
    return fail(fmt::format("its buffer cannot be had as one block of memory with strides, of at most {} dimensions",
                            maxDimensions));
  }
  if (array.number() == NumberCode::None)
    return fail("buffers of " + array.typeText() + " are not supported");
  const StridedExtents extents = array.extents();
  return addHostArray({array.data(), extents.shape.data(), extents.strides.data(), uint8_t(extents.shape.size()),
                       layoutOf(extents), true, array.isReadOnly(), array.number(), array.otherElement()});
}

bool ArgumentReader::read(PyObject *value) { return readAs(valueKindOf(value), value); }

bool ArgumentReader::readAs(const ValueKind &kind, PyObject *value) {
  switch (kind.tag) {
  case ValueTag::NumpyArray:
    return readNumpyArray(value);
  case ValueTag::VisibleArray:
    return readVisibleArray(value);
  case ValueTag::DeviceArray:
    return readDeviceArray(value);
  case ValueTag::Float:
    list.addReal(NumberCode::Float64, PyFloat_AS_DOUBLE(value), 0);
    return true;
  case ValueTag::Int:
    return readInteger(value);
  case ValueTag::NumpyScalar:
    list.addNumber(kind.number, numpy::scalarValue(value));
    return true;
  case ValueTag::NumpyRecord:
    return readNumpyRecord(value);
  case ValueTag::NumpyTime:
    return readNumpyTime(value);
  case ValueTag::Text:
    return readText(value);
  case ValueTag::Bool:
    list.addScalar(NumberCode::Bool, ArgumentLeaf::Kind::Unsigned, value == Py_True);
    return true;
  case ValueTag::Complex:
    return readComplex(value);
  case ValueTag::None:
    list.addScalar(NumberCode::None, ArgumentLeaf::Kind::None, 0);
    return true;
  case ValueTag::Tuple:
    return readTuple(value);
  case ValueTag::NamedTuple:
    return readNamedTuple(value, kind.tupleClass);
  case ValueTag::EnumMember:
    if (!kind.tupleClass)
      return readInner(PyObject_GetAttrString(value, "value"));
    list.tokens.push() = tokens::namedTuple(kind.tupleClass);
    return readInner(PyObject_GetAttrString(value, "_value_"));
  case ValueTag::OutArgument:
    return readInner(PyObject_GetAttrString(value, "value"));
  case ValueTag::InArgument:
    return readInner(PyObject_CallMethod(value, "_taken", nullptr));
  case ValueTag::Interface:
    return readInterface(value, kind.otherwise);
  case ValueTag::Tensor:
    return readTensor(value);
  case ValueTag::Exchanged:
    return readExchanged(value, kind);
  case ValueTag::Buffer:
    return readBuffer(value);
  case ValueTag::HostInterface:
    return readInner(PyObject_CallOneArg(memberOf("numpy", "asarray").ptr(), value));
  case ValueTag::Unsupported:
    break;
  }
  return fail(kind.reason ? kind.reason : "kernels take numbers, arrays, tuples of them, and None");
}

namespace {

[[noreturn]] void failType(const std::string &message) { throw UsageError(UsageError::Kind::Type, message); }

nb::tuple typesOfValues(const nb::args &values) {
  ArgumentList list;
  ArgumentReader reader(list);
  for (nb::handle value : values)
    if (!reader.read(value.ptr())) {
      if (PyErr_Occurred())
        throw nb::python_error();
      failType(std::string("a value of type ") + Py_TYPE(value.ptr())->tp_name +
               " cannot be passed to a kernel: " + reader.problem());
    }
  return typeTuple(typesOf(list.tokens.view()));
}

/// For an array, or any object with the buffer protocol.
nb::object typeOfArray(nb::handle value) {
  ArgumentList list;
  ArgumentReader reader(list, ElementsOf::Arrays);
  const bool isRead = reader.read(value.ptr());
  if (isRead && list.tokens.size() == 1 && (tokens::isArray(list.tokens[0]) || tokens::isRecordArray(list.tokens[0])))
    return typeObject(typesOf(list.tokens.view())[0]);
  if (!isRead && PyErr_Occurred())
    throw nb::python_error();
  if (!isRead && nb::hasattr(value, "dtype"))
    failType("no device array can be made of an array of type " + std::string(Py_TYPE(value.ptr())->tp_name) + ": " +
             reader.problem());
  failType("expected an array, found " + nb::cast<std::string>(nb::repr(value)) + " of type " +
           Py_TYPE(value.ptr())->tp_name);
}

} // namespace

void addArgumentTypes(nb::module_ &module) {
  module.def("types_of", &typesOfValues, "The types that these values have as kernel arguments.");
  module.def("array_type_of", &typeOfArray, nb::arg("array").none(), "The type that an array has as an argument.");
}

} // namespace treadle::python

// DLPack's C exchange API: the table of device arrays.
#include "interop/exported_tensor.h"
#include "interop/tensor_types.h"
#include "python/host/errors.h"
#include "python/interop/dlpack_capsule.h"
#include "python/interop/taken_tensor.h"
#include "python/types/exchange_lookup.h"
#include "runtime/array_exchange.h"
#include "runtime/runtime.h"
#include "support/error.h"

#include <fmt/core.h>

namespace nb = nanobind;

namespace treadle::python {

namespace {

[[noreturn]] void failBuffer(const std::string &message) { throw UsageError(UsageError::Kind::Buffer, message); }

/// Calls the function; -1 with a Python error if it throws.
template <typename Function> int guarded(Function function) noexcept {
  try {
    function();
    return 0;
  } catch (...) {
    raisePython(std::current_exception());
    return -1;
  }
}

/// The export of an array. Does not wait for streams, except for host memory, for which consumers have no stream.
TensorExport shownAs(const DeviceArrayObject &array) {
  const Buffer &buffer = *array.view.owner;
  buffer.checkAlive();
  const dlpack::Device place = placeOf(array);
  const dlpack::DataType type = tensorTypeOf(array);
  if (place.type == dlpack::Cpu)
    awaitUses(array);
  else
    buffer.leaveCache();
  return {type, place, array.isReadOnly ? uint64_t(dlpack::ReadOnly) : 0};
}

const DeviceArrayObject &arrayIn(void *object) {
  auto *const python = static_cast<PyObject *>(object);
  if (!isDeviceArray(python))
    throw UsageError(UsageError::Kind::Type,
                     std::string("expected a device array, found a value of type ") + Py_TYPE(python)->tp_name);
  return *static_cast<const DeviceArrayObject *>(object);
}

dlpack::ManagedTensorVersioned *newTensor(const dlpack::Tensor &prototype) {
  const Type *const element = elementOfTensor(prototype.dtype);
  if (!element)
    failBuffer("arrays do not have elements of " + nameOf(prototype.dtype));
  if (prototype.ndim < 0 || prototype.ndim > int32_t(maxDimensions) || (prototype.ndim > 0 && !prototype.shape))
    failBuffer(fmt::format("arrays have 0 to {} dimensions, found {}", maxDimensions, prototype.ndim));
  ArrayView view(nullptr, nullptr, element->bytes());
  view.ndim = uint8_t(prototype.ndim);
  std::copy_n(prototype.shape, view.ndim, view.shape);
  const int64_t bytes = packStrides(view.extents(), element->bytes(), false, {view.strides, view.ndim});
  DeviceContext &context = contextAt(prototype.device);
  view.owner = std::make_shared<Buffer>(context.memory, size_t(bytes), memoryKindAt(prototype.device));
  view.data = view.owner->data();
  if (prototype.device.type != dlpack::Cpu)
    view.owner->leaveCache();
  return exportTensor<dlpack::ManagedTensorVersioned>(view, {prototype.dtype, prototype.device, 0});
}

const char *classOf(const DeviceError &error) noexcept {
  return error.result() == CudaResult::OutOfMemory ? "MemoryError" : "RuntimeError";
}

int tell(void *context, dlpack::ExchangeTable::SetError setError, const char *kind, const char *message) noexcept {
  if (setError)
    setError(context, kind, message);
  return -1;
}

/// May run without the GIL, so that errors are reported only through the caller's function.
int allocate(dlpack::Tensor *prototype, dlpack::ManagedTensorVersioned **made, void *context,
             dlpack::ExchangeTable::SetError setError) noexcept {
  try {
    *made = newTensor(*prototype);
    return 0;
  } catch (const UsageError &error) {
    return tell(context, setError, "BufferError", error.what());
  } catch (const DeviceError &error) {
    return tell(context, setError, classOf(error), error.what());
  } catch (const std::bad_alloc &error) {
    return tell(context, setError, "MemoryError", error.what());
  } catch (const std::exception &error) {
    return tell(context, setError, "RuntimeError", error.what());
  }
}

int give(void *object, dlpack::ManagedTensorVersioned **given) noexcept {
  return guarded([&] {
    const DeviceArrayObject &array = arrayIn(object);
    *given = exportTensor<dlpack::ManagedTensorVersioned>(array.view, shownAs(array));
  });
}

int take(dlpack::ManagedTensorVersioned *tensor, void **object) noexcept {
  return guarded([&] { *object = TakenTensor(tensor).array().release().ptr(); });
}

/// The array owns the strides: a tensor of DLPack 1.2 has some whatever its order.
int lend(void *object, dlpack::Tensor *lent) noexcept {
  return guarded([&] {
    const DeviceArrayObject &array = arrayIn(object);
    const TensorExport as = shownAs(array);
    if (array.isReadOnly)
      failBuffer("the array is read-only, which a borrowed tensor cannot say: ask for an owned one");
    if (as.type.bits < 8)
      failBuffer("elements of less than 8 bits have a byte each, which a borrowed tensor cannot say: ask for an owned "
                 "one");
    *lent = {.data = array.view.count() == 0 ? nullptr : array.view.data,
             .device = as.device,
             .ndim = array.view.ndim,
             .dtype = as.type,
             .shape = const_cast<int64_t *>(array.view.shape),
             .strides = lentStrides(array),
             .byteOffset = 0};
  });
}

int workStream(int32_t deviceType, int32_t, void **stream) noexcept {
  return guarded([&] {
    const bool isOfThread = deviceType != dlpack::Cpu && Runtime::instance().usesThreadStreams();
    const uintptr_t handle = deviceType == dlpack::Cpu ? 0 : isOfThread ? 2 : 1;
    *stream = reinterpret_cast<void *>(handle); // NOLINT(performance-no-int-to-ptr)
  });
}

const dlpack::ExchangeTable ownTable = {{dlpack::ownVersion, nullptr}, allocate, give, take, lend, workStream};

} // namespace

void addExchangeTable() {
  const nb::object capsule =
      nb::steal(PyCapsule_New(const_cast<dlpack::ExchangeTable *>(&ownTable), exchangeCapsule, nullptr));
  if (!capsule.is_valid())
    throw nb::python_error();
  nb::setattr(nb::handle(reinterpret_cast<PyObject *>(deviceArrayType())), "__dlpack_c_exchange_api__", capsule);
}

} // namespace treadle::python

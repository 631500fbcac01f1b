// Copies: their two sides, and their stream.
#include "python/arrays/device_array_copy.h"

#include "memory/array_shapes.h"
#include "memory/copy.h"
#include "python/arrays/device_array_object.h"
#include "python/host/gil_lock.h"
#include "python/host/held_reference.h"
#include "python/host/stream_object.h"
#include "python/types/host_array.h"

#include <algorithm>

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// The side of a copy other than `self`: another device array, or host memory.
struct OtherSide {
  const DeviceArrayObject *device = nullptr; ///< null: host memory
  HostArray host;

  OtherSide(nb::handle object, int flags) {
    if (isDeviceArray(object.ptr())) {
      device = reinterpret_cast<const DeviceArrayObject *>(object.ptr());
      device->view.owner->checkAlive();
    } else if (!host.take(object.ptr(), flags)) {
      throw nb::python_error();
    }
  }

  StridedExtents extents() const { return device ? device->view.strided() : host.extents(); }
  Elements elements() const { return {host.data(), host.extents()}; }
  const Type *element() const { return device ? elementType(*device) : host.element(); }
  std::string typeText() const { return device ? elementType(*device)->name() : host.typeText(); }
};

/// Raw bytes match any opaque type of the same size.
bool areSameElements(const Type *own, const Type *its) {
  const auto isPlain = [](const Type *type) { return type->text().starts_with('V'); };
  return own == its || (own && its && own->isOpaque() && its->isOpaque() && own->bytes() == its->bytes() &&
                        (isPlain(own) || isPlain(its)));
}

void checkFits(const DeviceArray &array, const OtherSide &other) {
  if (!areSameElements(elementType(*array), other.element()))
    throw UsageError(UsageError::Kind::Type, "the two arrays have different element types: the device's " +
                                                 std::string(elementType(*array)->name()) + ", the other one " +
                                                 other.typeText() + "; convert it with astype()");
  const std::span<const int64_t> own = array->view.extents(), its = other.extents().shape;
  if (!std::ranges::equal(own, its))
    throw UsageError(UsageError::Kind::Value, "the two arrays have different shapes: the device's " + shapeText(own) +
                                                  ", the other one " + shapeText(its));
}

/// Calls `work` with its stream and watcher.
template <typename Work> void inTurn(const DeviceArrayObject &array, nb::handle streamName, Work work) {
  releaseHeldReferences();
  const NamedStream stream = streamArgument(streamName);
  Stream &queue = stream.on(array.view.owner->device());
  GilLock gil;
  work(CopyTurn{queue, stream.stream != nullptr, gil});
}

/// Streams cannot order the two, as the copy is staged in host memory.
bool goesByHost(const DeviceArrayObject &to, const DeviceArrayObject &from) {
  const Device &target = to.view.owner->device(), &source = from.view.owner->device();
  const auto isOwn = [](const DeviceArrayObject &array) { return array.view.owner->kind() == MemoryKind::Device; };
  return &target != &source && !(target.copiesFrom(source) && isOwn(to) && isOwn(from));
}

void copyFrom(const DeviceArray &array, nb::handle from, nb::handle stream) {
  checkWritable(*array);
  array->view.owner->checkAlive();
  const OtherSide source(from, 0);
  checkFits(array, source);
  if (source.device && goesByHost(*array, *source.device))
    awaitUses(*source.device);
  inTurn(*array, stream, [&](const CopyTurn &turn) {
    if (source.device)
      copyOnDevice(array->view, source.device->view, turn);
    else
      copyToDevice(array->view, source.elements(), turn);
  });
}

void copyTo(const DeviceArray &array, nb::handle to, nb::handle stream) {
  array->view.owner->checkAlive();
  const OtherSide target(to, PyBUF_WRITABLE);
  checkFits(array, target);
  if (target.device)
    checkWritable(*target.device);
  if (target.device && goesByHost(*target.device, *array))
    awaitUses(*array);
  inTurn(target.device ? *target.device : *array, stream, [&](const CopyTurn &turn) {
    if (target.device)
      copyOnDevice(target.device->view, array->view, {turn.stream, false, turn.watcher});
    else
      copyToHost(target.elements(), array->view, turn);
  });
}

void assignFrom(const DeviceArray &array, nb::handle value) {
  checkWritable(*array);
  const OtherSide source(value, 0);
  checkFits(array, source);
  awaitUses(*array);
  if (source.device)
    awaitUses(*source.device);
  GilLock gil;
  if (source.device)
    assign(array->view, source.device->view, gil);
  else
    assign(array->view, source.elements(), gil);
}

void fill(const DeviceArray &array, uint8_t value, nb::handle stream) {
  array->view.owner->checkAlive();
  checkWritable(*array);
  inTurn(*array, stream, [&](const CopyTurn &turn) { fillBytes(array->view, value, turn); });
}

} // namespace

void addArrayCopies(nb::handle type) {
  const auto stream = nb::arg("stream").none();
  addMethod(type, "_copy_from", &copyFrom, nb::arg("source"), stream);
  addMethod(type, "_copy_to", &copyTo, nb::arg("target"), stream);
  addMethod(type, "_assign", &assignFrom);
  addMethod(type, "_fill", &fill, nb::arg("byte"), stream);
}

} // namespace treadle::python

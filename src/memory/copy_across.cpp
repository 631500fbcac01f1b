// Row by row if there are few rows, or long ones; otherwise packed, copied and unpacked.
#include "memory/copy_across.h"

#include "device/copy_shape.h"
#include "memory/buffer.h"
#include "memory/use_order.h"
#include "support/error.h"

#include <optional>

namespace treadle {

namespace {

StridedCopy copyBetween(const ArrayView &to, const ArrayView &from) {
  StridedCopy copy{to.data, from.data, to.extents(), to.strided().strides, from.strided().strides, to.itemBytes};
  copy.fromDevice = &from.owner->device();
  return copy;
}

/// A call of the driver takes some microseconds, in which a link transfers as many bytes.
bool hasFewRows(const ArrayView &to, const ArrayView &from) {
  constexpr int64_t few = 4, longRow = 64 << 10;
  const CopyShape shape(copyBetween(to, from));
  return shape.places() <= few || shape.rowBytes >= longRow;
}

void copyRows(const ArrayView &to, const ArrayView &from, const CopyTurn &turn) {
  Device &source = from.owner->device();
  UseOrder order(turn.stream);
  order.comeBehind(*to.owner);
  order.comeBehind(*from.owner);
  order.comeBehindUses(*from.owner);
  const StridedCopy copy = copyBetween(to, from);
  if (!turn.isQueued)
    return turn.stream.copy(copy, nullptr, turn.watcher);
  order.lead(source.defaultStream());
  const HeldOwners none;
  turn.stream.copy(copy, &none, turn.watcher);
  to.owner->use(turn.stream.last());
  from.owner->use(turn.stream.last());
  order.goAhead();
}

/// Of the same shape, in C order without gaps, in memory of the stream's device.
ArrayView packedLike(const ArrayView &view, MemoryResource &resource, Stream &stream) {
  ArrayView packed(nullptr, nullptr, view.itemBytes);
  int64_t strides[maxDimensions];
  const int64_t bytes = packStrides(view.extents(), view.itemBytes, false, {strides, view.ndim});
  for (unsigned axis = 0; axis < view.ndim; ++axis)
    packed.addAxis(view.shape[axis], strides[axis]);
  packed.owner = std::make_shared<Buffer>(resource, size_t(bytes), stream.timeline());
  packed.data = packed.owner->data();
  return packed;
}

struct Packed {
  ArrayView there,
      here; ///< on the devices of the source and of the target; the arrays themselves if they are packed
};

Packed packedFor(const ArrayView &to, const ArrayView &from, const CopyTurn &turn) {
  Packed packed{from, to};
  if (!isContiguous(from.strided(), false))
    packed.there = packedLike(from, from.owner->origin(), from.owner->device().defaultStream());
  if (!isContiguous(to.strided(), false))
    packed.here = packedLike(to, to.owner->origin(), turn.stream);
  return packed;
}

void copyPacked(const Packed &packed, const ArrayView &to, const ArrayView &from, const CopyTurn &turn) {
  if (packed.there.owner != from.owner) {
    Stream &packing = from.owner->device().defaultStream();
    UseOrder(packing).comeBehindUses(*from.owner);
    copyOnDevice(packed.there, from, {packing, true, turn.watcher});
  }
  if (packed.here.owner == to.owner)
    return copyRows(to, packed.there, turn);
  copyRows(packed.here, packed.there, {turn.stream, true, turn.watcher});
  copyOnDevice(to, packed.here, turn);
}

} // namespace

bool copyAcross(const ArrayView &to, const ArrayView &from, const CopyTurn &turn) {
  const auto isOwn = [](const ArrayView &view) { return view.owner->kind() == MemoryKind::Device; };
  Device &target = to.owner->device();
  if (!target.copiesFrom(from.owner->device()) || !isOwn(to) || !isOwn(from))
    return false;
  if (turn.stream.isCaptured())
    failCaptured("copy from another device", "copy before the capture, or enable peer access and copy in a kernel");
  target.usesMemoryOf(from.owner->device());
  if (hasFewRows(to, from)) {
    copyRows(to, from, turn);
    return true;
  }
  std::optional<Packed> packed;
  try {
    packed = packedFor(to, from, turn);
  } catch (const DeviceError &error) {
    if (error.result() != CudaResult::OutOfMemory)
      throw;
    awaitPoints(from.owner->uses(), turn.watcher);
    return false;
  }
  copyPacked(*packed, to, from, turn);
  return true;
}

} // namespace treadle

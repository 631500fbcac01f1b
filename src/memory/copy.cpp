// Which copies streams make, and which are staged in host memory.
#include "memory/copy.h"

#include "memory/buffer.h"
#include "memory/copy_across.h"
#include "memory/use_order.h"

#include <algorithm>
#include <vector>

namespace treadle {

namespace {

/// Elements in C order without gaps in a temporary buffer.
struct StagedElements {
  explicit StagedElements(const StridedExtents &extents) : strides(extents.shape.size()) {
    const int64_t bytes = packStrides(extents.shape, extents.itemBytes, false, strides);
    memory = std::make_shared_for_overwrite<char[]>(size_t(bytes));
    elements = {memory.get(), {extents.shape, strides, extents.itemBytes}};
  }

  std::vector<int64_t> strides;
  std::shared_ptr<char[]> memory;
  Elements elements;
};

StridedCopy copyBetween(const Elements &to, const Elements &from) {
  StridedCopy copy{
      to.data, from.data, to.extents.shape, to.extents.strides, from.extents.strides, to.extents.itemBytes};
  copy.toLocation = to.location;
  copy.fromLocation = from.location;
  return copy;
}

Elements elementsOf(const ArrayView &view) {
  const MemoryKind kind = view.owner->kind();
  const bool isOfHost = kind == MemoryKind::Pinned || kind == MemoryKind::Mapped;
  return {view.data, view.strided(), isOfHost ? Location::Pinned : Location::Device};
}

bool waitsInQueue(const CopyTurn &turn) { return turn.isQueued && !turn.stream.last().isComplete(); }

/// Two buffers over foreign memory may alias.
bool mayOverlap(const ArrayView &a, const ArrayView &b) {
  if (a.owner != b.owner && !a.owner->isForeign() && !b.owner->isForeign())
    return false;
  const std::optional<ByteRange> first = reachOf(a.strided()), second = reachOf(b.strided());
  return a.data + first->first < b.data + second->last && b.data + second->first < a.data + first->last;
}

/// Staged through the host.
void copyStaged(const ArrayView &to, const ArrayView &from, const CopyTurn &turn) {
  const StagedElements staged(from.strided());
  const Device &source = from.owner->device();
  Stream &reader = &source == &to.owner->device() ? turn.stream : from.owner->device().defaultStream();
  copyToHost(staged.elements, from, {reader, false, turn.watcher});
  copyToDevice(to, staged.elements, turn);
}

/// Between host-visible memory, outside any stream's order. If the host cancels it, that ends the work queued on the
/// stream's device as well.
void copyByHost(const StridedCopy &copy, Stream &stream, LaunchWatcher &watcher) {
  TraceSpan traced(TraceKind::Copy, "copy by the host");
  if (traced.event) {
    traced.event->bytes = uint64_t(copy.itemBytes);
    for (const int64_t extent : copy.shape)
      traced.event->bytes *= uint64_t(extent);
  }
  copyOnCaller(copy, {stream.last().timeline, 0}, watcher);
}

} // namespace

namespace {

/// The graph copies what the memory contains when it runs.
void copyCaptured(const ArrayView &to, const ArrayView &from, const CopyTurn &turn) {
  UseOrder order(turn.stream);
  CapturedUses kept;
  for (const std::shared_ptr<Buffer> &buffer : {to.owner, from.owner}) {
    order.comeBehind(*buffer);
    kept.memory.push_back(capturedMemory(buffer));
  }
  turn.stream.keepCaptured(kept);
  const HeldOwners none;
  turn.stream.copy(copyBetween(elementsOf(to), elementsOf(from)), &none, turn.watcher);
  order.goAhead();
}

} // namespace

void copyToDevice(const ArrayView &to, const Elements &from, const CopyTurn &turn) {
  if (turn.stream.isCaptured())
    failCaptured("copy memory of the host", adviceOnCopies);
  UseOrder order(turn.stream);
  order.comeBehind(*to.owner);
  if (!waitsInQueue(turn))
    return turn.stream.copy(copyBetween(elementsOf(to), from), nullptr, turn.watcher);
  StagedElements staged(from.extents);
  copyByHost(copyBetween(staged.elements, from), turn.stream, turn.watcher);
  const HeldOwners held{staged.memory};
  turn.stream.copy(copyBetween(elementsOf(to), staged.elements), &held, turn.watcher);
  to.owner->use(turn.stream.last());
  order.goAhead();
}

void copyToHost(const Elements &to, const ArrayView &from, const CopyTurn &turn) {
  if (turn.stream.isCaptured())
    failCaptured("copy to the host", adviceOnCopies);
  UseOrder(turn.stream).comeBehind(*from.owner);
  turn.stream.copy(copyBetween(to, elementsOf(from)), nullptr, turn.watcher);
}

void copyOnDevice(const ArrayView &to, const ArrayView &from, const CopyTurn &turn) {
  const bool isAcross = &from.owner->device() != &to.owner->device();
  if (isAcross && copyAcross(to, from, turn))
    return;
  if (isAcross || mayOverlap(to, from))
    return copyStaged(to, from, turn);
  if (turn.stream.isCaptured())
    return copyCaptured(to, from, turn);
  UseOrder order(turn.stream);
  order.comeBehind(*to.owner);
  order.comeBehind(*from.owner);
  const StridedCopy copy = copyBetween(elementsOf(to), elementsOf(from));
  if (!waitsInQueue(turn))
    return turn.stream.copy(copy, nullptr, turn.watcher);
  const HeldOwners none;
  turn.stream.copy(copy, &none, turn.watcher);
  to.owner->use(turn.stream.last());
  from.owner->use(turn.stream.last());
  order.goAhead();
}

namespace {

/// Where no other work has to be waited for. But another library may have used the default stream with its memory
/// without saying so.
std::shared_ptr<Stream> streamAside(const ArrayView &to) {
  Device &device = to.owner->device();
  return to.owner->isForeign() ? std::shared_ptr<Stream>(std::shared_ptr<void>(), &device.defaultStream())
                               : device.makeStream(false);
}

} // namespace

void assign(const ArrayView &to, const Elements &from, LaunchWatcher &watcher) {
  if (to.owner->isHostVisible())
    return copyByHost(copyBetween(elementsOf(to), from), to.owner->device().defaultStream(), watcher);
  copyToDevice(to, from, {*streamAside(to), false, watcher});
}

void assign(const ArrayView &to, const ArrayView &from, LaunchWatcher &watcher) {
  if (from.owner->isHostVisible() && !mayOverlap(to, from)) {
    Elements source = elementsOf(from);
    // To another device it is ordinary host memory.
    if (&from.owner->device() != &to.owner->device())
      source.location = Location::Pageable;
    return assign(to, source, watcher);
  }
  copyOnDevice(to, from, {*streamAside(to), false, watcher});
}

void fillBytes(const ArrayView &array, uint8_t value, const CopyTurn &turn) {
  UseOrder order(turn.stream);
  order.comeBehind(*array.owner);
  const std::span<char> memory(array.data, size_t(array.count()) * array.itemBytes);
  const bool isCaptured = turn.stream.isCaptured(), isQueued = turn.isQueued || isCaptured;
  if (isCaptured)
    turn.stream.keepCaptured({{}, {capturedMemory(array.owner)}});
  turn.stream.fill(memory, value, isQueued, turn.watcher);
  if (!isQueued)
    return;
  array.owner->use(turn.stream.last());
  order.goAhead();
}

} // namespace treadle

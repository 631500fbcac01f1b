// Chooses between one-dimensional and two-dimensional copies and copy kernels.
#include "device/cuda/copies.h"

#include "device/cuda/peer_memory.h"

#include <algorithm>
#include <memory>

namespace treadle::cuda {

namespace {

constexpr const char *operation = "copy between arrays";
constexpr int64_t largestPitch = 0x7fffffff; ///< of a two-dimensional copy; MAX_PITCH of all devices

DevicePointer addressOf(const char *memory) { return reinterpret_cast<uintptr_t>(memory); }
bool isDevice(Location location) { return location == Location::Device; }

/// Between host and device: rows of one axis at a time.
class HostCopy {
public:
  HostCopy(const CopyQueue &queue, const CopyShape &shape)
      : queue(queue), shape(shape), isToDevice(isDevice(shape.toLocation)) {}

  void run() {
    if (const auto rows = rowAxis(); rows != shape.axes.end()) {
      const CopyShape::Axis axis = *rows;
      shape.axes.erase(rows);
      forEachPlace(shape.axes, shape.to, shape.from, [&](char *to, const char *from) { copyRows(to, from, axis); });
      return;
    }
    forEachPlace(shape.axes, shape.to, shape.from, [&](char *to, const char *from) { copyRow(to, from); });
  }

private:
  /// The longest axis that a two-dimensional copy can have; the end if there is none.
  std::vector<CopyShape::Axis>::iterator rowAxis() {
    auto fits = [this](int64_t stride) { return stride >= shape.rowBytes && stride <= largestPitch; };
    auto best = shape.axes.end();
    for (auto axis = shape.axes.begin(); axis != shape.axes.end(); ++axis)
      if (fits(axis->toStride) && fits(axis->fromStride) && (best == shape.axes.end() || axis->extent > best->extent))
        best = axis;
    return best;
  }

  void copyRow(char *to, const char *from) {
    const auto bytes = size_t(shape.rowBytes);
    const DriverTable &driver = queue.context.driver;
    queue.context.check(isToDevice ? driver.memcpyHtoDAsync(addressOf(to), from, bytes, queue.stream)
                                   : driver.memcpyDtoHAsync(to, addressOf(from), bytes, queue.stream),
                        operation);
  }

  void copyRows(char *to, const char *from, const CopyShape::Axis &axis) {
    Copy2D copy{};
    copy.fromType = isToDevice ? MemoryType::Host : MemoryType::Device;
    copy.toType = isToDevice ? MemoryType::Device : MemoryType::Host;
    if (isToDevice) {
      copy.fromHost = from;
      copy.toDevice = addressOf(to);
    } else {
      copy.fromDevice = addressOf(from);
      copy.toHost = to;
    }
    copy.fromPitch = size_t(axis.fromStride);
    copy.toPitch = size_t(axis.toStride);
    copy.rowBytes = size_t(shape.rowBytes);
    copy.rows = size_t(axis.extent);
    queue.context.check(queue.context.driver.memcpy2DAsync(&copy, queue.stream), operation);
  }

  const CopyQueue &queue;
  CopyShape shape;
  const bool isToDevice;
};

void copyWithinDevice(const CopyQueue &queue, CopyShape shape) {
  if (shape.axes.empty())
    return queue.context.check(queue.context.driver.memcpyDtoDAsync(addressOf(shape.to), addressOf(shape.from),
                                                                    size_t(shape.rowBytes), queue.stream),
                               operation);
  const size_t outer = shape.axes.size() < copyKernelAxes ? 0 : shape.axes.size() - copyKernelAxes + 1;
  const std::vector<CopyShape::Axis> loops(shape.axes.begin(), shape.axes.begin() + ptrdiff_t(outer));
  shape.axes.erase(shape.axes.begin(), shape.axes.begin() + ptrdiff_t(outer));
  forEachPlace(loops, shape.to, shape.from, [&](char *to, const char *from) {
    shape.to = to;
    shape.from = from;
    queue.kernels.copy(shape, queue.stream);
  });
}

/// Packs the elements that pageable host memory has with gaps, and the device without: one large copy is faster than
/// many small ones.
bool copyPacked(const CopyQueue &queue, const CopyShape &shape) {
  if (shape.fromLocation != Location::Pageable || shape.axes.empty())
    return false;
  int64_t packedBytes = shape.rowBytes;
  for (auto axis = shape.axes.rbegin(); axis != shape.axes.rend(); ++axis) {
    if (axis->toStride != packedBytes)
      return false;
    packedBytes *= axis->extent;
  }
  const auto packed = std::make_unique_for_overwrite<char[]>(size_t(packedBytes));
  CopyShape pack = shape;
  pack.to = packed.get();
  copyStrided(pack);
  queue.context.check(
      queue.context.driver.memcpyHtoDAsync(addressOf(shape.to), packed.get(), size_t(packedBytes), queue.stream),
      operation);
  return true;
}

} // namespace

void queueCopy(const CopyQueue &queue, const CopyShape &shape) {
  if (shape.places() == 0)
    return;
  const bool isToDevice = isDevice(shape.toLocation), isFromDevice = isDevice(shape.fromLocation);
  if (isToDevice && isFromDevice)
    shape.fromDevice ? copyFromPeer(queue, shape) : copyWithinDevice(queue, shape);
  else if (!isToDevice && !isFromDevice)
    copyStrided(shape);
  else if (!copyPacked(queue, shape))
    HostCopy(queue, shape).run();
}

} // namespace treadle::cuda

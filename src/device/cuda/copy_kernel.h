// CopyKernels: strided copies within a device, by small hand-written PTX kernels.
#pragma once

#include "device/copy_shape.h"
#include "device/cuda/driver/context.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace treadle::cuda {

/// The most axes of a copy in one launch.
constexpr size_t copyKernelAxes = 8;

/// The PTX of a kernel `copy` that copies units of `unitBytes` (1, 2, 4, 8 or 16), one per thread, over arrays of
/// `rank` axes. Parameters: the addresses of both sides, the number of units, and for each axis, innermost first, its
/// extent and both strides in bytes: 64 bits each.
std::string copyKernelText(unsigned unitBytes, size_t rank);

/// One kernel per unit size and number of axes, loaded on demand. Thread-safe.
class CopyKernels {
public:
  explicit CopyKernels(Context &context) : context(context) {}

  /// Queues it. The context must be current. At most copyKernelAxes - 1 axes.
  void copy(const CopyShape &shape, StreamHandle stream);
  /// Called after a reset of the context.
  void forget();

private:
  FunctionHandle kernelFor(unsigned unitBytes, size_t rank);

  Context &context;
  std::mutex mutex;
  std::map<std::pair<unsigned, size_t>, FunctionHandle> known; ///< guarded by mutex
};

} // namespace treadle::cuda

// CopyKernels: strided copies within a device, by small kernels written here as PTX.
#pragma once

#include "device/copy_shape.h"
#include "device/cuda/context.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace treadle::cuda {

/// The most axes that a copy of one launch has.
constexpr size_t copyKernelAxes = 8;

/// The PTX of a kernel `copy` that copies units of `unitBytes` (1, 2, 4, 8 or 16), a thread each, over arrays of `rank`
/// axes. Parameters: the addresses of both sides, the number of units, and for each axis, the innermost first, its
/// extent and both strides in bytes: 64 bits each.
std::string copyKernelText(unsigned unitBytes, size_t rank);

/// One for each size of units and each number of axes, loaded when it is first needed. Any number of threads.
class CopyKernels {
public:
  explicit CopyKernels(Context &context) : context(context) {}

  /// Queues it. The context must be current. At most copyKernelAxes - 1 axes.
  void copy(const CopyShape &shape, StreamHandle stream);
  /// After a reset of the context.
  void forget();

private:
  FunctionHandle kernelFor(unsigned unitBytes, size_t rank);

  Context &context;
  std::mutex mutex;
  std::map<std::pair<unsigned, size_t>, FunctionHandle> known; ///< guarded by mutex
};

} // namespace treadle::cuda

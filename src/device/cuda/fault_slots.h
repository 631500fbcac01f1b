// FaultSlots: where the error records of debug launches arrive on the host.
#pragma once

#include "border/error_record.h"
#include "device/cuda/context.h"

#include <memory>
#include <mutex>
#include <vector>

namespace treadle::cuda {

/// Page-locked, so that a stream can write it without holding up the launching thread. Each debug launch gets one,
/// which returns to the pool when nothing refers to it.
class FaultSlots {
public:
  explicit FaultSlots(Context &context) : context(context) {}

  /// The context must be current.
  std::shared_ptr<const ErrorRecord> take();
  /// After a reset of the context, which has freed them.
  void forget();

private:
  Context &context;
  std::mutex mutex;
  std::vector<ErrorRecord *> free; ///< guarded by mutex
};

} // namespace treadle::cuda

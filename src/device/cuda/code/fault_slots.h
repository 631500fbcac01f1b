// FaultSlots: host memory that receives the error records of debug launches.
#pragma once

#include "border/error_record.h"
#include "device/cuda/driver/context.h"

#include <memory>
#include <mutex>
#include <vector>

namespace treadle::cuda {

/// Page-locked, so that a stream can write it without blocking the launching thread. Each debug launch gets a slot,
/// which returns to the pool once it has no references.
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

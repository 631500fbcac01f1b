// Slots are freed only with their context.
#include "device/cuda/code/fault_slots.h"

namespace treadle::cuda {

std::shared_ptr<const ErrorRecord> FaultSlots::take() {
  ErrorRecord *slot = nullptr;
  {
    const std::lock_guard lock(mutex);
    if (!free.empty()) {
      slot = free.back();
      free.pop_back();
    }
  }
  if (!slot) {
    void *memory = nullptr;
    context.check(context.driver.memHostAlloc(&memory, sizeof(ErrorRecord), hostAllocPortable),
                  "allocate memory for the errors of debug kernels");
    slot = static_cast<ErrorRecord *>(memory);
  }
  return {slot, [this, slot, generation = context.generation()](const ErrorRecord *) {
            if (!context.isUsable() || generation != context.generation())
              return;
            const std::lock_guard lock(mutex);
            free.push_back(slot);
          }};
}

void FaultSlots::forget() {
  const std::lock_guard lock(mutex);
  free.clear();
}

} // namespace treadle::cuda

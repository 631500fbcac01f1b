// Pinned ranges: noted first and forgotten last, so that the device is called without the lock and never told of a
// range twice.
#include "memory/host_memory.h"

#include "support/fork_gate.h"

#include <iterator>
#include <string>

namespace treadle {

void PinnedRanges::pin(std::span<char> memory) {
  if (memory.empty())
    return;
  const char *const first = memory.data(), *const end = first + memory.size();
  {
    const ForkGate gate;
    const std::lock_guard lock(mutex);
    const auto next = ends.lower_bound(end);
    if (next != ends.begin() && std::prev(next)->second > first)
      throw DeviceError("pin " + std::to_string(memory.size()) + " bytes of the host",
                        CudaResult::HostMemoryAlreadyRegistered,
                        "some of them are pinned already; leave the other `with cuda.pinned(...)` first");
    ends.emplace(first, end);
  }
  try {
    device.registerHost(memory);
  } catch (...) {
    const ForkGate gate;
    const std::lock_guard lock(mutex);
    ends.erase(first);
    throw;
  }
}

void PinnedRanges::unpin(std::span<char> memory) {
  if (memory.empty())
    return;
  const struct Forgetting {
    PinnedRanges &ranges;
    const char *first;
    ~Forgetting() {
      const ForkGate gate;
      const std::lock_guard lock(ranges.mutex);
      ranges.ends.erase(first);
    }
  } forgetting{*this, memory.data()};
  device.unregisterHost(memory.data());
}

} // namespace treadle

// Pinned ranges: recorded before pinning and removed after unpinning, so that the device is called without the lock and
// never sees a range twice.
#include "memory/host_memory.h"

#include "support/fork_gate.h"
#include "support/piece.h"

#include <fmt/core.h>
#include <iterator>

namespace treadle {

void PinnedRanges::pin(std::span<char> memory) {
  if (memory.empty())
    return;
  if (!isMemory(reinterpret_cast<uintptr_t>(memory.data()), memory.size()))
    throw DeviceError(fmt::format("pin {} bytes of the host", memory.size()), CudaResult::InvalidValue,
                      "no memory that begins there has so many");
  const char *const first = memory.data(), *const end = first + memory.size();
  {
    const ForkGate gate;
    const std::lock_guard lock(mutex);
    const auto next = ends.lower_bound(end);
    if (next != ends.begin() && std::prev(next)->second > first)
      throw DeviceError(fmt::format("pin {} bytes of the host", memory.size()), CudaResult::HostMemoryAlreadyRegistered,
                        "some of them are pinned already; leave the other `with cuda.pinned(...)` first");
    ends.emplace(first, end);
  }
  try {
    device.memory().registerHost(memory);
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
  device.memory().unregisterHost(memory.data());
}

} // namespace treadle

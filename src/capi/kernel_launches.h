// KernelLaunches: what a thread has launched of each kernel, so that the same again need not be checked and packed.
#pragma once

#include "capi/handles.h"
#include "launch/repeated_launch.h"
#include "treadle/treadle.h"

#include <iterator>

namespace treadle::capi {

/// Those of one thread. The next thread with its slot keeps them, as handles are process-wide.
class KernelLaunches {
public:
  /// The calling thread's, within a Pin.
  static KernelLaunches &own() {
    KernelLaunches *&known = Pin::own->launches;
    if (!known) [[unlikely]]
      known = new KernelLaunches;
    return *known;
  }

  /// Direct-mapped: what has the same slot evicts each other. Null: the slot is in use by a launch of something else,
  /// in the middle of which a destructor launches.
  RepeatedLaunches *of(HandleValue kernel, const treadle_launch_config &config) {
    const auto stream = reinterpret_cast<HandleValue>(config.stream);
    Slot &slot = slots[(kernel + stream + config.grid[0]) % std::size(slots)];
    if (slot.kernel != kernel || !areEqual(&slot.config, &config, sizeof config)) [[unlikely]] {
      if (slot.launches.isInUse())
        return nullptr;
      slot = {kernel, config, {}};
    }
    return &slot.launches;
  }

private:
  struct Slot {
    HandleValue kernel = 0;
    treadle_launch_config config{};
    RepeatedLaunches launches;
  };
  Slot slots[32];
};

} // namespace treadle::capi

// When a launch is the same as the one before it.
#include "capi/repeated_launch.h"

#include <algorithm>

namespace treadle::capi {

RepeatedLaunches &RepeatedLaunches::made() {
  Pin::own->launches = new RepeatedLaunches;
  return *Pin::own->launches;
}

void RepeatedLaunch::note(const treadle_launch_config &given, std::span<const treadle_argument> arguments) {
  use.reset();
  if (arguments.size() > mostArguments) {
    count = none;
    config = {};
    return;
  }
  config = given;
  count = uint32_t(arguments.size());
  std::ranges::copy(arguments, seen);
}

bool RepeatedLaunch::isReady(const Stream &stream) const {
  if (!use || use->timeline.get() != stream.timeline())
    return false;
  return std::ranges::all_of(arrays, [](const UsedArray &array) {
    return array.place->load(std::memory_order_acquire) == array.handle && !array.buffer->isLost();
  });
}

void RepeatedLaunch::prepare(const ArgumentList &list, const LaunchConfig &given, Stream &stream) {
  checked = given;
  arrays.clear();
  for (unsigned i = 0; i < count; ++i)
    if (seen[i].kind == TREADLE_ARGUMENT_ARRAY) {
      const auto handle = reinterpret_cast<HandleValue>(seen[i].value.array);
      const Buffer &buffer = **list.buffers.view()[arrays.size()];
      arrays.push_back({&Handles::instance().placeOf(handle), handle, &buffer});
    }
  auto made = std::make_shared<SharedUse>(stream.last().timeline);
  for (const std::shared_ptr<Buffer> *buffer : list.buffers.view())
    (*buffer)->share(made);
  use = std::move(made);
}

} // namespace treadle::capi

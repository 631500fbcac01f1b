// When a launch is the same as the one before it.
#include "capi/repeated_launch.h"

#include <algorithm>

namespace treadle::capi {

RepeatedLaunches &RepeatedLaunches::own() {
  RepeatedLaunches *&launches = Pin::own->launches;
  if (!launches) [[unlikely]]
    launches = new RepeatedLaunches;
  return *launches;
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
  return std::ranges::all_of(arrays, [this](unsigned place) {
    const auto value = reinterpret_cast<HandleValue>(seen[place].value.array);
    const Object *const object = Handles::instance().find(HandleKind::Array, value);
    if (!object) [[unlikely]]
      return false;
    const Buffer &buffer = *static_cast<const ArrayObject *>(object)->view.owner;
    return !buffer.isLost() && !buffer.isUsedBefore();
  });
}

void RepeatedLaunch::prepare(const ArgumentList &list, const LaunchConfig &given, Stream &stream) {
  checked = given;
  arrays.clear();
  for (unsigned i = 0; i < count; ++i)
    if (seen[i].kind == TREADLE_ARGUMENT_ARRAY)
      arrays.push_back(i);
  auto made = std::make_shared<SharedUse>(stream.last().timeline);
  for (const std::shared_ptr<Buffer> *buffer : list.buffers.view())
    (*buffer)->share(made);
  use = std::move(made);
}

} // namespace treadle::capi

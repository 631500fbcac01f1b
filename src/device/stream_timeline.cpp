// Waits for positions, and lists of uses with one of each stream.
#include "device/stream_timeline.h"

#include <algorithm>
#include <utility>

namespace treadle {

StreamTimeline::~StreamTimeline() = default;
EventState::~EventState() = default;

void noteUse(std::vector<StreamPoint> &uses, const std::shared_ptr<StreamTimeline> &timeline, uint64_t position) {
  if (uses.size() == 1 && uses.front().timeline == timeline) {
    uses.front().position = std::max(uses.front().position, position);
    return;
  }
  StreamPoint last{timeline, position};
  std::erase_if(uses, [&](const StreamPoint &known) {
    const bool isSame = known.timeline == timeline;
    if (isSame)
      last.position = std::max(last.position, known.position);
    return isSame || known.isComplete();
  });
  uses.push_back(std::move(last));
}

void StreamTimeline::wait(uint64_t position) {
  while (!waitFor(position, std::chrono::hours(1)))
    ;
}

} // namespace treadle

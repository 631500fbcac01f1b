// Records events on the streams of other libraries, and waits for them.
#include "memory/use_order.h"

#include <algorithm>

namespace treadle {

void UseOrder::comeBehind(const Buffer &buffer) {
  const StreamPoint &before = buffer.earlierUse();
  // A graph may be replayed on another stream.
  if (!before.isComplete() && (before.timeline.get() != stream.timeline() || stream.isCaptured()))
    stream.wait(before);
  if (Stream *const producer = buffer.producer())
    comeBehind(*producer);
}

void UseOrder::comeBehind(Stream &other) {
  const auto isOther = [&other](const Stream *one) { return one->timeline() == other.timeline(); };
  if (isOther(&stream) || std::ranges::any_of(others.view(), isOther))
    return;
  stream.wait(other.record(false).point);
  others.push() = &other;
}

void UseOrder::goAhead() {
  if (others.size() == 0)
    return;
  const bool isCaptured = stream.isCaptured();
  const StreamPoint used = stream.record(false).point;
  // Streams outside a graph cannot wait for a place in it.
  for (Stream *const other : others.view())
    if (!isCaptured || other->isCaptured())
      other->wait(used);
}

} // namespace treadle

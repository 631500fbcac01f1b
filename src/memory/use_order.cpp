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
  if (&buffer.device() != &stream.device()) [[unlikely]]
    comeBehindPeer(buffer.device());
}

/// Replays of a graph order themselves.
void UseOrder::comeBehindPeer(Device &peer) {
  stream.device().usesMemoryOf(peer);
  if (stream.isBlocking() && !stream.isCaptured())
    comeBehind(peer.defaultStream());
}

void UseOrder::comeBehindUses(const Buffer &buffer) {
  for (const StreamPoint &use : buffer.uses())
    if (use.timeline.get() != stream.timeline() && !use.isComplete())
      stream.wait(use);
}

bool UseOrder::isKnown(const Stream &other) const {
  const auto isOther = [&other](const Stream *one) { return one->timeline() == other.timeline(); };
  return isOther(&stream) || std::ranges::any_of(others.view(), isOther);
}

void UseOrder::lead(Stream &other) {
  if (!isKnown(other))
    others.push() = &other;
}

void UseOrder::comeBehind(Stream &other) {
  if (isKnown(other))
    return;
  stream.wait(other.record(false).point);
  others.push() = &other;
}

void UseOrder::goAhead() {
  if (others.size() == 0)
    return;
  const bool isCaptured = stream.isCaptured();
  const StreamPoint used = stream.record(false).point;
  // Streams outside a graph cannot wait for a position in it.
  for (Stream *const other : others.view())
    if (!isCaptured || other->isCaptured())
      other->wait(used);
}

} // namespace treadle

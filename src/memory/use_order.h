// UseOrder: where one piece of work on a stream comes among the uses of its memory by others.
#pragma once

#include "memory/buffer.h"
#include "support/inline_list.h"

namespace treadle {

/// Lives as long as the call that queues the work. Costs nothing for memory that nobody else uses.
///
/// Memory of another device is used as if both devices had one legacy default stream: work on default and blocking
/// streams comes behind what the other device's were given before, and goes ahead of what they get later.
class TREADLE_API UseOrder {
public:
  explicit UseOrder(Stream &stream) : stream(stream) {}

  /// What is queued on the stream from now on comes behind all that others have queued on the memory: one event for
  /// each of their streams, however many buffers there are.
  void comeBehind(const Buffer &buffer);
  /// The same for whatever another stream works on.
  void comeBehind(Stream &other);
  /// Behind all uses of the buffer that are known, on whatever stream.
  void comeBehindUses(const Buffer &buffer);
  /// What that stream gets from now on is to come behind this work.
  void lead(Stream &other);
  /// What those streams get from now on comes behind what was queued on the stream so far.
  void goAhead();

private:
  bool isKnown(const Stream &other) const;
  void comeBehindPeer(Device &peer);

  Stream &stream;
  InlineList<Stream *, 4> others; ///< with users who must come behind this work
};

} // namespace treadle

// UseOrder: where one piece of work on a stream comes among the uses of its memory by others.
#pragma once

#include "memory/buffer.h"
#include "support/inline_list.h"

namespace treadle {

/// Lives as long as the call that queues the work. Costs nothing for memory that nobody else uses.
class TREADLE_API UseOrder {
public:
  explicit UseOrder(Stream &stream) : stream(stream) {}

  /// What is queued on the stream from now on comes behind all that others have queued on the memory: one event for
  /// each of their streams, however many buffers there are.
  void comeBehind(const Buffer &buffer);
  /// The same for whatever another stream works on.
  void comeBehind(Stream &other);
  /// What those streams get from now on comes behind what was queued on the stream so far.
  void goAhead();

private:
  Stream &stream;
  InlineList<Stream *, 4> others; ///< with users who must come behind this work
};

} // namespace treadle

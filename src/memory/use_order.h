// UseOrder: orders one piece of work on a stream among the foreign uses of its memory.
#pragma once

#include "memory/buffer.h"
#include "support/inline_list.h"

namespace treadle {

/// Lives as long as the call that queues the work. Costs nothing for memory without foreign users.
///
/// Memory of another device is used as if both devices shared one legacy default stream: work on default and blocking
/// streams is ordered after earlier work on the other device's, and before later work on them.
class TREADLE_API UseOrder {
public:
  explicit UseOrder(Stream &stream) : stream(stream) {}

  /// Orders further work on the stream after all queued foreign uses of the memory: one event per foreign stream,
  /// however many buffers there are.
  void comeBehind(const Buffer &buffer);
  /// The same for all work on another stream.
  void comeBehind(Stream &other);
  /// After all known uses of the buffer, on any stream.
  void comeBehindUses(const Buffer &buffer);
  /// Further work on that stream shall be ordered after this work.
  void lead(Stream &other);
  /// Orders further work on those streams after the work queued on the stream so far.
  void goAhead();

private:
  bool isKnown(const Stream &other) const;
  void comeBehindPeer(Device &peer);

  Stream &stream;
  InlineList<Stream *, 4> others; ///< whose users must be ordered after this work
};

} // namespace treadle

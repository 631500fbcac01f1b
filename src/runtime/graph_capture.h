// GraphCapture: the capture of one stream into a graph, and its replay.
#pragma once

#include "device/graph.h"
#include "runtime/named_stream.h"
#include "support/export.h"

#include <memory>

namespace treadle {

/// During the capture its stream replaces the default streams of the thread that began it. Not thread-safe.
class TREADLE_API GraphCapture {
public:
  /// Of a stream of the selected device.
  explicit GraphCapture(const NamedStream &stream);
  GraphCapture(const GraphCapture &) = delete;
  GraphCapture &operator=(const GraphCapture &) = delete;
  ~GraphCapture() { abandon(); }

  /// Throws UsageError (Runtime) if it has begun before; DeviceError if the stream cannot be captured.
  void begin();
  /// Throws UsageError (Runtime) if it has not begun, or has ended; DeviceError if the capture is invalid.
  void end();
  /// Ends it without a graph.
  void abandon() noexcept;
  /// Throws UsageError (Runtime) without a graph; and what Graph::replay throws.
  void replay(Stream &stream) const { graph().replay(stream); }
  size_t size() const { return graph().size(); }

private:
  enum class State : uint8_t { New, Capturing, Captured, Abandoned };
  Graph &graph() const;
  std::shared_ptr<Graph> endCapture();

  const std::shared_ptr<Stream> stream;
  State state = State::New;
  std::shared_ptr<Graph> captured;
};

} // namespace treadle

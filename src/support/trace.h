// Trace: what the runtime does, and when, noted by each thread for itself while somebody records it.
#pragma once

#include "support/export.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// A stream as traces know it.
struct TraceTrack {
  const void *device = nullptr; ///< what the streams of one device share; null: of no stream
  uint64_t stream = 0;          ///< unique on the device
  auto operator<=>(const TraceTrack &) const = default;
};

/// `Run` is work as its device does it; all others are what a thread of the host does.
enum class TraceKind : uint8_t {
  Launch,
  Copy,
  Fill,
  Callback,   ///< queues one
  Replay,     ///< of a graph
  StreamWait, ///< a stream is told to wait for another
  Wait,       ///< the host waits for a stream
  Allocate,
  Free,
  Infer,
  Compile, ///< an image is made, or found, and loaded
  Generate,
  Load,
  Run,
};

/// Times are nanoseconds of the monotonic clock.
struct TraceEvent {
  TraceKind kind = TraceKind::Run;
  uint64_t begin = 0, end = 0;
  TraceTrack track = {};        ///< of the stream that is meant
  TraceTrack other = {};        ///< StreamWait: the stream that is waited for
  const void *device = nullptr; ///< Allocate, Free, Load: as in TraceTrack
  /// Joins what the host does with its Run: the same in both, unique on the track. 0: nothing to join; a Run without
  /// lies within another one.
  uint64_t work = 0;
  uint64_t handle = 0; ///< of the track's stream, for users
  uint64_t bytes = 0;
  uint32_t grid[3] = {}, block[3] = {};
  uint32_t sharedBytes = 0;
  std::string_view name = {};   ///< copied when it is noted, as the next one
  std::string_view detail = {}; ///< more of it: the inside of a JSON object
};

/// What one thread has noted: events behind each other in chunks of memory that only it writes.
class TREADLE_API TraceThread {
public:
  TraceThread();
  TraceThread(const TraceThread &) = delete;
  TraceThread &operator=(const TraceThread &) = delete;
  ~TraceThread();

  /// False: no memory is left.
  bool add(const TraceEvent &event) noexcept;
  /// Valid as long as this.
  std::vector<TraceEvent> events() const;

  const uint64_t thread; ///< the system's number
  std::string name;      ///< as the system has it

private:
  struct Chunk;
  std::vector<std::unique_ptr<Chunk>> chunks;
};

/// What was recorded.
struct TraceRecording {
  uint64_t begin = 0, end = 0; ///< as TraceEvent's
  uint64_t dropped = 0;        ///< events for which there was no memory
  std::vector<std::unique_ptr<TraceThread>> threads;
};

/// Process-wide, as every part of the runtime notes what it does. Where nothing is recorded, a place that could note
/// something costs one load and one branch.
class TREADLE_API Trace {
public:
  /// For libtreadle.so itself: others cannot be linked with it.
  static bool isOn() { return on.load(std::memory_order_relaxed); }
  static bool isRecording(); ///< the same for all
  /// Any number of threads may call it; takes no lock but at a thread's first event. Ignored where nothing is recorded.
  static void note(const TraceEvent &event) noexcept;
  /// A number for TraceEvent::work that no other has.
  static uint64_t nameWork();
  /// False: something is recorded already.
  static bool start();
  /// Ends it; nothing: nothing was recorded. In the child of a fork nothing is.
  static std::optional<TraceRecording> stop();

private:
  struct State;
  static State &state();

  /// Protected: this library reads it without asking where it is, in one load.
  [[gnu::visibility("protected")]] static std::atomic<bool> on;
};

/// Notes what its block does, from its construction to its end.
class TraceSpan {
public:
  explicit TraceSpan(TraceKind kind, std::string_view name = {}) {
    if (Trace::isOn()) [[unlikely]]
      begin(kind, name);
  }
  TraceSpan(const TraceSpan &) = delete;
  TraceSpan &operator=(const TraceSpan &) = delete;
  ~TraceSpan() {
    if (event) [[unlikely]]
      end();
  }

  /// Nothing where nothing is recorded. What is known later than the beginning is added here.
  std::optional<TraceEvent> event;

private:
  TREADLE_API void begin(TraceKind kind, std::string_view name);
  TREADLE_API void end() noexcept;
};

} // namespace treadle

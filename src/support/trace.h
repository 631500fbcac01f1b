// Trace: what the runtime does, and when, noted by each thread for itself while a recording runs.
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
  const void *device = nullptr; ///< shared by the streams of one device; null: no stream
  uint64_t stream = 0;          ///< unique on the device
  auto operator<=>(const TraceTrack &) const = default;
};

/// `Run` is work as its device runs it; all others are calls on a host thread.
enum class TraceKind : uint8_t {
  Launch,
  Copy,
  Fill,
  Callback,   ///< queues one
  Replay,     ///< of a graph
  StreamWait, ///< makes a stream wait for another
  Wait,       ///< the host waits for a stream
  Allocate,
  Free,
  Infer,
  Compile, ///< an image is compiled, or found in a cache, and loaded
  Generate,
  Load,
  Run,
};

/// Times are nanoseconds of the monotonic clock.
struct TraceEvent {
  TraceKind kind = TraceKind::Run;
  uint64_t begin = 0, end = 0;
  TraceTrack track = {};        ///< of the stream concerned
  TraceTrack other = {};        ///< StreamWait: the stream that is waited for
  const void *device = nullptr; ///< Allocate, Free, Load: as in TraceTrack
  /// Correlates a host call with its Run: the same in both, unique on the track. 0: no correlation; a Run without one
  /// is nested in another.
  uint64_t work = 0;
  uint64_t handle = 0; ///< the user-visible handle of the track's stream
  uint64_t bytes = 0;
  uint32_t grid[3] = {}, block[3] = {};
  uint32_t sharedBytes = 0;
  std::string_view name = {};   ///< copied when the event is noted, as the next one
  std::string_view detail = {}; ///< further fields: the inside of a JSON object
};

/// The events of one thread: consecutive in chunks of memory that only it writes.
class TREADLE_API TraceThread {
public:
  TraceThread();
  TraceThread(const TraceThread &) = delete;
  TraceThread &operator=(const TraceThread &) = delete;
  ~TraceThread();

  /// False: out of memory, or a new chunk takes more than `room` bytes, from which it is deducted.
  bool add(const TraceEvent &event, std::atomic<uint64_t> &room) noexcept;
  /// Valid as long as this object.
  std::vector<TraceEvent> events() const;

  const uint64_t thread; ///< the system's thread id
  std::string name;      ///< the thread's name in the system

private:
  struct Chunk;
  std::vector<std::unique_ptr<Chunk>> chunks;
};

/// What was recorded.
struct TraceRecording {
  uint64_t begin = 0, end = 0; ///< as TraceEvent's
  uint64_t dropped = 0;        ///< events for which there was no memory
  uint64_t firstDropped = 0;   ///< when the first of them was noted; 0: there are none
  std::vector<std::unique_ptr<TraceThread>> threads;
};

/// Process-wide, as every part of the runtime notes events. While nothing is recorded, an instrumented place costs one
/// load and one branch.
class TREADLE_API Trace {
public:
  /// For libtreadle.so itself: other libraries cannot link to it.
  static bool isOn() { return on.load(std::memory_order_relaxed); }
  static bool isRecording(); ///< the same for other libraries
  /// Thread-safe; takes a lock only at a thread's first event. Ignored while nothing is recorded.
  static void note(const TraceEvent &event) noexcept;
  /// A unique number for TraceEvent::work.
  static uint64_t nameWork();
  /// Default size of the recording's memory; 64 KiB hold some hundreds of events.
  static constexpr uint64_t defaultRoom = uint64_t(256) << 20;
  /// False: a recording is already running.
  static bool start(uint64_t room = defaultRoom);
  /// Ends it; nothing: none was running, as always in the child of a fork.
  static std::optional<TraceRecording> stop();

private:
  struct State;
  static State &state();

  /// Protected, so that this library reads it in one load, without the GOT.
  [[gnu::visibility("protected")]] static std::atomic<bool> on;
};

/// Notes one event that spans its scope.
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

  /// Empty while nothing is recorded. What becomes known after the beginning is added here.
  std::optional<TraceEvent> event;

private:
  TREADLE_API void begin(TraceKind kind, std::string_view name);
  TREADLE_API void end() noexcept;
};

} // namespace treadle

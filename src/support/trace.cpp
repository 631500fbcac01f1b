// Chunks of events, and which thread may write them.
#include "support/trace.h"

#include "support/asymmetric_gate.h"
#include "support/clock.h"
#include "support/fork_gate.h"

#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace treadle {

constinit std::atomic<bool> Trace::on{false};

/// Events are appended to it, each followed by its texts.
struct TraceThread::Chunk {
  static constexpr size_t size = size_t(64) << 10;
  size_t used = 0;
  alignas(TraceEvent) char bytes[size];
};

namespace {

/// Of one event's texts, in bytes.
constexpr size_t longestText = 4096;

std::string_view shortened(std::string_view text) { return text.substr(0, longestText); }

size_t sizeOf(const TraceEvent &event) {
  const size_t texts = event.name.size() + event.detail.size();
  return sizeof(TraceEvent) + (texts + alignof(TraceEvent) - 1) / alignof(TraceEvent) * alignof(TraceEvent);
}

std::string nameOfThread() {
  char name[16] = {};
  pthread_getname_np(pthread_self(), name, sizeof name);
  return name;
}

} // namespace

TraceThread::TraceThread() : thread(uint64_t(syscall(SYS_gettid))), name(nameOfThread()) {}
TraceThread::~TraceThread() = default;

namespace {

/// Takes all of it or nothing.
bool take(std::atomic<uint64_t> &room, uint64_t bytes) {
  uint64_t left = room.load(std::memory_order_relaxed);
  while (left >= bytes)
    if (room.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed))
      return true;
  return false;
}

} // namespace

bool TraceThread::add(const TraceEvent &event, std::atomic<uint64_t> &room) noexcept {
  TraceEvent kept = event;
  kept.name = shortened(event.name);
  if (kept.detail.size() > longestText)
    kept.detail = {}; // a part of it would be invalid JSON
  const size_t size = sizeOf(kept);
  if (chunks.empty() || Chunk::size - chunks.back()->used < size) {
    if (!take(room, Chunk::size))
      return false;
    try {
      chunks.push_back(std::make_unique_for_overwrite<Chunk>());
    } catch (const std::bad_alloc &) {
      return false;
    }
    chunks.back()->used = 0;
  }
  Chunk &chunk = *chunks.back();
  char *const texts = chunk.bytes + chunk.used + sizeof(TraceEvent);
  kept.name.copy(texts, kept.name.size());
  kept.detail.copy(texts + kept.name.size(), kept.detail.size());
  kept.detail = {texts + kept.name.size(), kept.detail.size()};
  kept.name = {texts, kept.name.size()};
  new (chunk.bytes + chunk.used) TraceEvent(kept);
  chunk.used += size;
  return true;
}

std::vector<TraceEvent> TraceThread::events() const {
  std::vector<TraceEvent> all;
  for (const std::unique_ptr<Chunk> &chunk : chunks)
    for (size_t place = 0; place < chunk->used;) {
      all.push_back(*std::launder(reinterpret_cast<const TraceEvent *>(chunk->bytes + place)));
      place += sizeOf(all.back());
    }
  return all;
}

/// Threads note events inside the gate, which is closed when a recording ends: no thread is writing while its events
/// are taken.
struct Trace::State {
  State()
      : atForks(this, {[](void *state) { static_cast<State *>(state)->lock(); },
                       [](void *state) { static_cast<State *>(state)->unlock(); },
                       [](void *state) { static_cast<State *>(state)->beginChild(); }}) {}

  void lock() {
    changing.lock();
    mutex.lock();
  }
  void unlock() {
    mutex.unlock();
    changing.unlock();
  }

  /// The parent's other threads may have been in the middle of writing: what they wrote is leaked.
  void beginChild() {
    on.store(false);
    new (&mutex) std::mutex;
    new (&changing) std::mutex;
    gate.beginChild();
    for (std::unique_ptr<TraceThread> &one : recording.threads)
      [[maybe_unused]] const TraceThread *const left = one.release();
    recording = {};
    number.fetch_add(1);
  }

  /// The calling thread's, within the gate.
  TraceThread &ofThisThread();

  AsymmetricGate gate;
  std::mutex changing; ///< held while a recording begins or ends
  std::mutex mutex;
  TraceRecording recording;        ///< guarded by mutex, except for what threads write into their own
  std::atomic<uint64_t> number{0}; ///< of the recording
  void drop();

  std::atomic<uint64_t> dropped{0}, firstDropped{0}, works{0};
  std::atomic<uint64_t> room{0}; ///< bytes that chunks may still take
  const AtForks atForks;
};

/// Never destroyed.
Trace::State &Trace::state() {
  static State *const made = new State;
  return *made;
}

namespace {

/// The thread's events in the recording with that number.
struct OwnEvents {
  TraceThread *events = nullptr;
  uint64_t recording = 0;
};
constinit thread_local OwnEvents ownEvents;

} // namespace

TraceThread &Trace::State::ofThisThread() {
  const uint64_t now = number.load();
  if (ownEvents.events && ownEvents.recording == now) [[likely]]
    return *ownEvents.events;
  auto made = std::make_unique<TraceThread>();
  ownEvents = {made.get(), now};
  const std::lock_guard lock(mutex);
  recording.threads.push_back(std::move(made));
  return *ownEvents.events;
}

/// Counts an event that is dropped.
void Trace::State::drop() {
  if (dropped.fetch_add(1) == 0)
    firstDropped.store(monotonicNanoseconds());
}

void Trace::note(const TraceEvent &event) noexcept {
  State &all = state();
  AsymmetricGate::Slot &place = all.gate.enter();
  try {
    if (isOn() && !all.ofThisThread().add(event, all.room))
      all.drop();
  } catch (const std::bad_alloc &) {
    ownEvents = {};
    all.drop();
  }
  AsymmetricGate::leave(place);
}

bool Trace::isRecording() { return isOn(); }

uint64_t Trace::nameWork() { // Positions in streams stay far below.
  return (uint64_t(1) << 62) + state().works.fetch_add(1);
}

bool Trace::start(uint64_t room) {
  State &all = state();
  const std::lock_guard alone(all.changing);
  if (isOn())
    return false;
  const std::lock_guard lock(all.mutex);
  all.number.fetch_add(1);
  all.dropped.store(0);
  all.firstDropped.store(0);
  all.room.store(room);
  all.recording.begin = monotonicNanoseconds();
  on.store(true);
  return true;
}

std::optional<TraceRecording> Trace::stop() {
  State &all = state();
  const std::lock_guard alone(all.changing);
  if (!on.exchange(false))
    return std::nullopt;
  const AsymmetricGate::Closed closed(all.gate);
  const std::lock_guard lock(all.mutex);
  all.number.fetch_add(1);
  all.recording.end = monotonicNanoseconds();
  all.recording.dropped = all.dropped.load();
  all.recording.firstDropped = all.firstDropped.load();
  return std::exchange(all.recording, {});
}

void TraceSpan::begin(TraceKind kind, std::string_view name) {
  event.emplace();
  event->kind = kind;
  event->name = name;
  event->begin = monotonicNanoseconds();
}

void TraceSpan::end() noexcept {
  event->end = monotonicNanoseconds();
  Trace::note(*event);
}

} // namespace treadle

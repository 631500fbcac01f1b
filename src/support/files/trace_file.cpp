// From events to JSON.
#include "support/files/trace_file.h"

#include "support/text/json.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fmt/core.h>
#include <set>
#include <unistd.h>
#include <utility>

namespace treadle {

namespace {

constexpr unsigned hostProcess = 1, firstDevice = 2;
constexpr size_t pieceBytes = size_t(1) << 20;

struct KindWords {
  const char *category;
  const char *prefix; ///< of the event's name
};

KindWords wordsOf(TraceKind kind) {
  switch (kind) {
  case TraceKind::Launch:
    return {"launch", "launch "};
  case TraceKind::Copy:
    return {"copy", ""};
  case TraceKind::Fill:
    return {"fill", ""};
  case TraceKind::Replay:
    return {"graph", "replay "};
  case TraceKind::Callback:
    return {"callback", ""};
  case TraceKind::StreamWait:
    return {"stream_wait", ""};
  case TraceKind::Wait:
    return {"wait", ""};
  case TraceKind::Allocate:
  case TraceKind::Free:
    return {"memory", ""};
  case TraceKind::Infer:
    return {"compile", "infer "};
  case TraceKind::Compile:
    return {"compile", "compile "};
  case TraceKind::Generate:
    return {"compile", "generate "};
  case TraceKind::Load:
    return {"compile", "load "};
  case TraceKind::Run:
    return {"run", ""};
  }
  return {"", ""};
}

/// An event on its track, an end of an arrow, or a sample of memory usage.
struct Line {
  uint64_t time, end; ///< nanoseconds
  JsonFields fields;  ///< besides its timestamp
  bool isSpan = false;
};

/// The key of a run: its track and its number there.
using WorkKey = std::pair<TraceTrack, uint64_t>;

class TraceWriter {
public:
  TraceWriter(const TraceRecording &recording, const TraceNames &names) : recording(recording), names(names) {}

  void write(const std::function<void(std::string_view)> &sink);

private:
  void collect();
  void settleRuns();
  void addHostEvent(const TraceThread &thread, const TraceEvent &event);
  void addRun(const TraceEvent &run);
  void addArrow(const TraceThread &thread, const TraceEvent &event);
  void addMemory();
  void addDropped();
  JsonFields argumentsOf(const TraceEvent &event) const;
  std::string metadata() const;
  const TracedDevice *deviceOf(const void *key) const;
  unsigned processOf(const void *key) const;
  std::string labelOf(const TraceTrack &track) const;
  std::string nameOf(const TraceThread &thread) const;
  std::string timeOf(uint64_t time) const;
  static JsonFields fieldsOn(const char *phase, unsigned process, uint64_t thread);

  const TraceRecording &recording;
  const TraceNames &names;
  std::vector<std::pair<const TraceThread *, TraceEvent>> calls;
  std::map<TraceTrack, std::vector<TraceEvent>> runs;
  std::map<WorkKey, const TraceEvent *> runOf;
  std::map<TraceTrack, uint64_t> handles;
  std::vector<Line> lines;
  uint64_t arrows = 0;
};

/// Microseconds since the recording began.
std::string TraceWriter::timeOf(uint64_t time) const {
  const uint64_t since = time > recording.begin ? time - recording.begin : 0;
  char text[32];
  std::snprintf(text, sizeof text, "%" PRIu64 ".%03" PRIu64, since / 1000, since % 1000);
  return text;
}

const TracedDevice *TraceWriter::deviceOf(const void *key) const {
  const auto found = std::ranges::find(names.devices, key, &TracedDevice::key);
  return found == names.devices.end() ? nullptr : &*found;
}

/// Unnamed devices come last.
unsigned TraceWriter::processOf(const void *key) const {
  const TracedDevice *device = deviceOf(key);
  return firstDevice + (device ? device->ordinal : unsigned(names.devices.size()));
}

std::string TraceWriter::labelOf(const TraceTrack &track) const {
  const auto known = handles.find(track);
  if (known == handles.end())
    return fmt::format("Stream #{}", track.stream);
  if (known->second <= 1)
    return "Default stream";
  if (known->second == 2)
    return fmt::format("Default stream of a thread, #{}", track.stream);
  char text[32];
  std::snprintf(text, sizeof text, "Stream 0x%" PRIx64, known->second);
  return text;
}

std::string TraceWriter::nameOf(const TraceThread &thread) const {
  const auto known = names.threads.find(thread.thread);
  return known == names.threads.end() ? fmt::format("{} {}", thread.name, thread.thread) : known->second;
}

void TraceWriter::collect() {
  for (const std::unique_ptr<TraceThread> &thread : recording.threads)
    for (TraceEvent event : thread->events()) {
      // A span that began in an earlier recording is shown only in part.
      event.begin = std::max(event.begin, recording.begin);
      event.end = std::max(event.end, event.begin);
      if (event.kind == TraceKind::Run)
        runs[event.track].push_back(event);
      else
        calls.emplace_back(thread.get(), event);
      if (event.kind != TraceKind::Run && event.track.device && event.kind != TraceKind::Wait)
        handles[event.track] = event.handle;
      if (event.track.device && event.kind == TraceKind::Wait)
        runs[event.track]; // creates its track
    }
  settleRuns();
}

/// GPU timestamps are exact to some microseconds only, but no run begins before its call, nor before the previous run
/// of its stream has ended.
void TraceWriter::settleRuns() {
  std::map<WorkKey, uint64_t> asked;
  for (const auto &[thread, call] : calls)
    if (call.work && call.kind != TraceKind::Wait)
      asked[{call.track, call.work}] = call.begin;
  for (auto &[track, ofTrack] : runs) {
    std::ranges::sort(ofTrack, {}, [](const TraceEvent &run) { return std::pair(run.begin, run.end); });
    uint64_t least = 0;
    for (TraceEvent &run : ofTrack) {
      if (run.work == 0)
        continue; // nested in a graph's run, whose device has exact timestamps
      const auto call = asked.find({track, run.work});
      run.begin = std::max({run.begin, least, call == asked.end() ? 0 : call->second});
      run.end = least = std::max(run.end, run.begin);
      runOf[{track, run.work}] = &run;
    }
  }
}

JsonFields TraceWriter::fieldsOn(const char *phase, unsigned process, uint64_t thread) {
  return JsonFields().add("ph", phase).add("pid", process).add("tid", thread);
}

JsonFields TraceWriter::argumentsOf(const TraceEvent &event) const {
  JsonFields fields;
  auto addExtents = [&](const char *name, const uint32_t(&extents)[3]) {
    fields.addValue(name, fmt::format("[{},{},{}]", extents[0], extents[1], extents[2]));
  };
  if (event.kind == TraceKind::Launch) {
    addExtents("grid", event.grid);
    addExtents("block", event.block);
    fields.add("shared", event.sharedBytes);
  }
  const bool hasBytes = event.kind == TraceKind::Copy || event.kind == TraceKind::Fill ||
                        event.kind == TraceKind::Allocate || event.kind == TraceKind::Free;
  if (hasBytes)
    fields.add("bytes", event.bytes);
  if (event.kind == TraceKind::Wait)
    if (const auto run = runOf.find({event.track, event.work}); run != runOf.end())
      fields.add("after", run->second->name);
  if (event.track.device)
    fields.add("stream", labelOf(event.track));
  if (event.other.device)
    fields.add("waits_for", labelOf(event.other));
  if (const TracedDevice *device = deviceOf(event.track.device ? event.track.device : event.device))
    fields.add("device", device->ordinal);
  return fields.addFields(event.detail);
}

void TraceWriter::addHostEvent(const TraceThread &thread, const TraceEvent &event) {
  const KindWords words = wordsOf(event.kind);
  lines.push_back({event.begin, event.end,
                   fieldsOn("X", hostProcess, thread.thread)
                       .add("cat", words.category)
                       .add("name", words.prefix + std::string(event.name))
                       .add("args", argumentsOf(event)),
                   true});
}

void TraceWriter::addRun(const TraceEvent &run) {
  lines.push_back({run.begin, run.end,
                   fieldsOn("X", processOf(run.track.device), run.track.stream)
                       .add("cat", "run")
                       .add("name", run.name)
                       .add("args", JsonFields()),
                   true});
}

void TraceWriter::addArrow(const TraceThread &thread, const TraceEvent &event) {
  const auto run = runOf.find({event.track, event.work});
  if (!event.work || event.kind == TraceKind::Wait || run == runOf.end())
    return;
  JsonFields begin = fieldsOn("s", hostProcess, thread.thread);
  JsonFields end = fieldsOn("f", processOf(event.track.device), event.track.stream).add("bp", "e");
  ++arrows;
  for (JsonFields *side : {&begin, &end})
    side->add("cat", "flow").add("name", "runs").add("id", arrows);
  lines.push_back({event.begin, event.begin, begin});
  lines.push_back({run->second->begin, run->second->begin, end});
}

/// What was live at the beginning is what is live at the end, less the sum of the changes.
void TraceWriter::addMemory() {
  std::map<const void *, std::vector<std::pair<uint64_t, int64_t>>> changes;
  for (const auto &[thread, event] : calls)
    if (event.kind == TraceKind::Allocate || event.kind == TraceKind::Free)
      changes[event.device].emplace_back(event.end,
                                         event.kind == TraceKind::Free ? -int64_t(event.bytes) : int64_t(event.bytes));
  for (auto &[key, ofDevice] : changes) {
    std::ranges::sort(ofDevice);
    const TracedDevice *const device = deviceOf(key);
    int64_t live = device ? int64_t(device->liveBytes) : 0;
    for (const auto &[time, change] : ofDevice)
      live -= change;
    auto add = [&](uint64_t time) {
      const JsonFields arguments = JsonFields().add("live bytes", live);
      lines.push_back({time, time, fieldsOn("C", processOf(key), 0).add("name", "memory").add("args", arguments)});
    };
    add(recording.begin);
    for (const auto &[time, change] : ofDevice) {
      live += change;
      add(time);
    }
  }
}

/// An instant event across all tracks.
void TraceWriter::addDropped() {
  if (recording.dropped == 0)
    return;
  const std::string name = fmt::format("the recording is full: {} events are left out", recording.dropped);
  lines.push_back(
      {recording.firstDropped, recording.firstDropped, fieldsOn("i", hostProcess, 0).add("s", "g").add("name", name)});
}

/// Names and sort order of processes and threads.
std::string TraceWriter::metadata() const {
  std::string text;
  auto add = [&text](const char *what, unsigned process, uint64_t thread, const JsonFields &arguments) {
    const JsonFields fields = fieldsOn("M", process, thread).add("ts", 0).add("name", what).add("args", arguments);
    text += fields.asObject() + ",\n";
  };
  auto addProcess = [&add](unsigned process, const std::string &name) {
    add("process_name", process, 0, JsonFields().add("name", name));
    add("process_sort_index", process, 0, JsonFields().add("sort_index", process));
  };
  addProcess(hostProcess, fmt::format("Host (process {})", getpid()));
  std::set<uint64_t> threads;
  for (const std::unique_ptr<TraceThread> &thread : recording.threads)
    if (threads.insert(thread->thread).second)
      add("thread_name", hostProcess, thread->thread, JsonFields().add("name", nameOf(*thread)));
  for (const TracedDevice &device : names.devices)
    addProcess(processOf(device.key), fmt::format("Device {}: {}", device.ordinal, device.name));
  for (const auto &[track, ofTrack] : runs)
    add("thread_name", processOf(track.device), track.stream, JsonFields().add("name", labelOf(track)));
  return text;
}

void TraceWriter::write(const std::function<void(std::string_view)> &sink) {
  collect();
  for (const auto &[thread, event] : calls) {
    addHostEvent(*thread, event);
    addArrow(*thread, event);
  }
  for (const auto &[track, ofTrack] : runs)
    for (const TraceEvent &run : ofTrack)
      addRun(run);
  addMemory();
  addDropped();
  // Enclosing spans before nested ones that begin with them.
  std::ranges::stable_sort(lines, [](const Line &a, const Line &b) {
    return std::tuple(a.time, !a.isSpan, b.end) < std::tuple(b.time, !b.isSpan, a.end);
  });
  const JsonFields about = JsonFields()
                               .add("treadle", TREADLE_VERSION)
                               .add("clock", "CLOCK_MONOTONIC")
                               .add("begin_ns", std::to_string(recording.begin))
                               .add("dropped_events", std::to_string(recording.dropped));
  const JsonFields head = JsonFields().add("displayTimeUnit", "ns").add("otherData", about);
  std::string text = "{" + head.withoutBraces() + ",\n\"traceEvents\":[\n" + metadata();
  for (const Line &line : lines) {
    JsonFields fields = JsonFields().addValue("ts", timeOf(line.time));
    if (line.isSpan)
      fields.addValue("dur", timeOf(recording.begin + (line.end - line.time)));
    text += fields.addFields(line.fields.withoutBraces()).asObject() + ",\n";
    if (text.size() < pieceBytes)
      continue;
    sink(text);
    text.clear();
  }
  // No comma after the last item.
  const JsonFields labels = JsonFields().add("labels", "Treadle");
  text += fieldsOn("M", hostProcess, 0).add("ts", 0).add("name", "process_labels").add("args", labels).asObject();
  text += "\n]}\n";
  sink(text);
}

} // namespace

void writeTrace(const TraceRecording &recording, const TraceNames &names,
                const std::function<void(std::string_view)> &write) {
  TraceWriter(recording, names).write(write);
}

} // namespace treadle

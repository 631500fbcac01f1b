// From events to JSON.
#include "launch/trace_file.h"

#include "support/json.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
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

/// An event on its track, or an arrow's end, or a sample of memory.
struct Line {
  uint64_t time, end; ///< nanoseconds
  std::string text;   ///< behind its time
  bool isSpan = false;
};

/// Where work ran: by its track and its number there.
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
  std::string argumentsOf(const TraceEvent &event) const;
  std::string metadata() const;
  const TracedDevice *deviceOf(const void *key) const;
  unsigned processOf(const void *key) const;
  std::string labelOf(const TraceTrack &track) const;
  std::string nameOf(const TraceThread &thread) const;
  std::string timeOf(uint64_t time) const;

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

/// A device that is not named comes behind all others.
unsigned TraceWriter::processOf(const void *key) const {
  const TracedDevice *device = deviceOf(key);
  return firstDevice + (device ? device->ordinal : unsigned(names.devices.size()));
}

std::string TraceWriter::labelOf(const TraceTrack &track) const {
  const auto known = handles.find(track);
  if (known == handles.end())
    return "Stream #" + std::to_string(track.stream);
  if (known->second <= 1)
    return "Default stream";
  if (known->second == 2)
    return "Default stream of a thread, #" + std::to_string(track.stream);
  char text[32];
  std::snprintf(text, sizeof text, "Stream 0x%" PRIx64, known->second);
  return text;
}

std::string TraceWriter::nameOf(const TraceThread &thread) const {
  const auto known = names.threads.find(thread.thread);
  return known == names.threads.end() ? thread.name + " " + std::to_string(thread.thread) : known->second;
}

void TraceWriter::collect() {
  for (const std::unique_ptr<TraceThread> &thread : recording.threads)
    for (const TraceEvent &event : thread->events()) {
      if (event.kind == TraceKind::Run)
        runs[event.track].push_back(event);
      else
        calls.emplace_back(thread.get(), event);
      if (event.kind != TraceKind::Run && event.track.device && event.kind != TraceKind::Wait)
        handles[event.track] = event.handle;
      if (event.track.device && event.kind == TraceKind::Wait)
        runs[event.track]; // its track is shown
    }
  settleRuns();
}

/// Times of a GPU are exact to some microseconds only, but nothing runs before it was asked for, nor before what is
/// ahead of it in its stream has ended.
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
        continue; // lies in the run of a graph, whose device is exact
      const auto call = asked.find({track, run.work});
      run.begin = std::max({run.begin, least, call == asked.end() ? 0 : call->second});
      run.end = least = std::max(run.end, run.begin);
      runOf[{track, run.work}] = &run;
    }
  }
}

std::string TraceWriter::argumentsOf(const TraceEvent &event) const {
  std::string text;
  auto add = [&text](const char *name, const std::string &value) {
    text += (text.empty() ? "\"" : ",\"") + std::string(name) + "\":" + value;
  };
  auto addExtents = [&](const char *name, const uint32_t(&extents)[3]) {
    add(name,
        "[" + std::to_string(extents[0]) + "," + std::to_string(extents[1]) + "," + std::to_string(extents[2]) + "]");
  };
  if (event.kind == TraceKind::Launch) {
    addExtents("grid", event.grid);
    addExtents("block", event.block);
    add("shared", std::to_string(event.sharedBytes));
  }
  const bool hasBytes = event.kind == TraceKind::Copy || event.kind == TraceKind::Fill ||
                        event.kind == TraceKind::Allocate || event.kind == TraceKind::Free;
  if (hasBytes)
    add("bytes", std::to_string(event.bytes));
  if (event.kind == TraceKind::Wait)
    if (const auto run = runOf.find({event.track, event.work}); run != runOf.end())
      add("behind", jsonText(run->second->name));
  if (event.track.device)
    add("stream", jsonText(labelOf(event.track)));
  if (event.other.device)
    add("waits_for", jsonText(labelOf(event.other)));
  if (const TracedDevice *device = deviceOf(event.track.device ? event.track.device : event.device))
    add("device", std::to_string(device->ordinal));
  if (!event.detail.empty())
    text += (text.empty() ? "" : ",") + std::string(event.detail);
  return text;
}

void TraceWriter::addHostEvent(const TraceThread &thread, const TraceEvent &event) {
  const KindWords words = wordsOf(event.kind);
  lines.push_back({event.begin, event.end,
                   ",\"ph\":\"X\",\"pid\":" + std::to_string(hostProcess) +
                       ",\"tid\":" + std::to_string(thread.thread) + ",\"cat\":\"" + words.category + "\",\"name\":" +
                       jsonText(words.prefix + std::string(event.name)) + ",\"args\":{" + argumentsOf(event) + "}}",
                   true});
}

void TraceWriter::addRun(const TraceEvent &run) {
  lines.push_back({run.begin, run.end,
                   ",\"ph\":\"X\",\"pid\":" + std::to_string(processOf(run.track.device)) +
                       ",\"tid\":" + std::to_string(run.track.stream) +
                       ",\"cat\":\"run\",\"name\":" + jsonText(run.name) + ",\"args\":{}}",
                   true});
}

void TraceWriter::addArrow(const TraceThread &thread, const TraceEvent &event) {
  const auto run = runOf.find({event.track, event.work});
  if (!event.work || event.kind == TraceKind::Wait || run == runOf.end())
    return;
  const std::string shared = ",\"cat\":\"flow\",\"name\":\"runs\",\"id\":" + std::to_string(++arrows);
  lines.push_back({event.begin, event.begin,
                   ",\"ph\":\"s\",\"pid\":" + std::to_string(hostProcess) +
                       ",\"tid\":" + std::to_string(thread.thread) + shared + "}"});
  lines.push_back({run->second->begin, run->second->begin,
                   ",\"ph\":\"f\",\"bp\":\"e\",\"pid\":" + std::to_string(processOf(event.track.device)) +
                       ",\"tid\":" + std::to_string(event.track.stream) + shared + "}"});
}

/// What was live at the beginning is what is live at the end, less what came in between.
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
    const std::string shared = ",\"ph\":\"C\",\"pid\":" + std::to_string(processOf(key)) +
                               ",\"tid\":0,\"name\":\"memory\",\"args\":{\"live bytes\":";
    lines.push_back({recording.begin, recording.begin, shared + std::to_string(live) + "}}"});
    for (const auto &[time, change] : ofDevice) {
      live += change;
      lines.push_back({time, time, shared + std::to_string(live) + "}}"});
    }
  }
}

/// Names of processes and threads, and the order in which they are shown.
std::string TraceWriter::metadata() const {
  std::string text;
  auto add = [&text](const char *what, unsigned process, uint64_t thread, const std::string &arguments) {
    text += "{\"ph\":\"M\",\"ts\":0,\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(thread) +
            ",\"name\":\"" + what + "\",\"args\":{" + arguments + "}},\n";
  };
  auto addProcess = [&add](unsigned process, const std::string &name) {
    add("process_name", process, 0, "\"name\":" + jsonText(name));
    add("process_sort_index", process, 0, "\"sort_index\":" + std::to_string(process));
  };
  addProcess(hostProcess, "Host (process " + std::to_string(getpid()) + ")");
  std::set<uint64_t> threads;
  for (const std::unique_ptr<TraceThread> &thread : recording.threads)
    if (threads.insert(thread->thread).second)
      add("thread_name", hostProcess, thread->thread, "\"name\":" + jsonText(nameOf(*thread)));
  for (const TracedDevice &device : names.devices)
    addProcess(processOf(device.key), "Device " + std::to_string(device.ordinal) + ": " + device.name);
  for (const auto &[track, ofTrack] : runs)
    add("thread_name", processOf(track.device), track.stream, "\"name\":" + jsonText(labelOf(track)));
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
  // Spans before what begins with them and ends earlier.
  std::ranges::stable_sort(lines, [](const Line &a, const Line &b) {
    return std::tuple(a.time, !a.isSpan, b.end) < std::tuple(b.time, !b.isSpan, a.end);
  });
  std::string text = "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"treadle\":\"" TREADLE_VERSION
                     "\",\"clock\":\"CLOCK_MONOTONIC\",\"begin_ns\":\"" +
                     std::to_string(recording.begin) + "\",\"dropped_events\":\"" + std::to_string(recording.dropped) +
                     "\"},\n\"traceEvents\":[\n" + metadata();
  for (const Line &line : lines) {
    text += "{\"ts\":" + timeOf(line.time);
    if (line.isSpan)
      text += ",\"dur\":" + timeOf(recording.begin + (line.end - line.time));
    text += line.text + ",\n";
    if (text.size() < pieceBytes)
      continue;
    sink(text);
    text.clear();
  }
  // The list ends without a comma.
  text +=
      "{\"ph\":\"M\",\"ts\":0,\"pid\":1,\"tid\":0,\"name\":\"process_labels\",\"args\":{\"labels\":\"Treadle\"}}\n]}\n";
  sink(text);
}

} // namespace

void writeTrace(const TraceRecording &recording, const TraceNames &names,
                const std::function<void(std::string_view)> &write) {
  TraceWriter(recording, names).write(write);
}

} // namespace treadle

// Traces for Python: starting and writing them.
#include "python/host/gil_lock.h"
#include "python/host/module_parts.h"
#include "runtime/runtime.h"
#include "support/clock.h"
#include "support/error.h"
#include "support/files/owned_file.h"
#include "support/files/trace_file.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <cerrno>
#include <exception>
#include <utility>

namespace nb = nanobind;

namespace treadle::python {

namespace {

void startTrace(uint64_t room) {
  if (!Trace::start(room))
    throw UsageError(UsageError::Kind::Runtime, "a trace is being recorded: stop that one first");
}

/// A finished recording.
class EndedTrace {
public:
  EndedTrace(std::optional<TraceRecording> recording, TraceNames names, std::exception_ptr interruption)
      : recording(std::move(recording)), names(std::move(names)), interruption(std::move(interruption)) {}

  EndedTrace(EndedTrace &&) = default;
  EndedTrace(const EndedTrace &) = delete;
  EndedTrace &operator=(const EndedTrace &) = delete;
  ~EndedTrace() = default;

  void write(int file, const std::map<uint64_t, std::string> &threads);
  uint64_t dropped() const { return recording ? recording->dropped : 0; }
  void raise() {
    if (const std::exception_ptr raised = std::exchange(interruption, nullptr))
      std::rethrow_exception(raised);
  }

private:
  std::optional<TraceRecording> recording;
  TraceNames names;
  std::exception_ptr interruption;
};

/// Waits for queued work, so that it is in the trace: until interrupted; or with a timeout.
void waitForWork(int64_t milliseconds, GilLock &gil) {
  const std::vector<StreamPoint> points = Runtime::instance().unfinished();
  if (milliseconds < 0)
    return awaitPoints(points, gil);
  const uint64_t end = monotonicNanoseconds() + uint64_t(milliseconds) * 1'000'000;
  gil.onLongCall();
  for (const StreamPoint &point : points)
    if (const uint64_t now = monotonicNanoseconds(); now < end)
      point.timeline->waitFor(point.position, std::chrono::milliseconds((end - now) / 1'000'000 + 1));
}

TraceNames namesOfDevices() {
  TraceNames names;
  Runtime::instance().visitOpen([&names](DeviceContext &context) {
    names.devices.push_back({context.device->traceKey(), context.ordinal,
                             context.device->name() + " (" + context.device->kind() + ")",
                             context.memory.figures().liveBytes});
  });
  return names;
}

/// Even if this fails, the recording has stopped.
EndedTrace stopTrace(int64_t milliseconds) {
  GilLock gil;
  std::exception_ptr interruption;
  const auto attempt = [&interruption](auto part) {
    try {
      part();
    } catch (const DeviceError &) {
      // The next use of the device reports it.
    } catch (...) {
      if (!interruption)
        interruption = std::current_exception();
    }
  };
  attempt([&] { waitForWork(milliseconds, gil); });
  gil.onLongCall();
  attempt([] {
    Runtime::instance().visitOpen([](DeviceContext &context) {
      if (DeviceProfiling *const part = context.device->parts.profiling)
        part->noteRuns();
    });
  });
  std::optional<TraceRecording> recording = Trace::stop();
  TraceNames names;
  attempt([&names] { names = namesOfDevices(); });
  gil.acquire();
  return {std::move(recording), std::move(names), std::move(interruption)};
}

/// `file`: a file descriptor.
void EndedTrace::write(int file, const std::map<uint64_t, std::string> &threads) {
  GilLock gil;
  gil.onLongCall();
  int failure = 0;
  names.threads = threads;
  if (recording)
    writeTrace(*recording, names, [file, &failure](std::string_view text) {
      if (failure == 0)
        failure = writeAll(file, text);
    });
  gil.acquire();
  if (failure != 0) {
    errno = failure;
    PyErr_SetFromErrno(PyExc_OSError);
    throw nb::python_error();
  }
}

} // namespace

void addTrace(nb::module_ &module) {
  module.def("trace_start", &startTrace, nb::arg("room"),
             "Begins to record, into so many bytes of memory at most. RuntimeError if something is recorded already.");
  nb::class_<EndedTrace>(module, "EndedTrace", "A recording that has ended.")
      .def("write", &EndedTrace::write, nb::arg("file"), nb::arg("threads"), "Writes it to a descriptor.")
      .def("raise_interruption", &EndedTrace::raise, "Raises what has ended the wait for queued work, if anything.")
      .def_prop_ro("dropped", &EndedTrace::dropped, "How many events there was no room for.");
  module.def("trace_stop", &stopTrace, nb::arg("milliseconds"),
             "Waits for queued work (at most so long; -1: for ever), and ends the recording: an EndedTrace.");
  module.def("is_tracing", &Trace::isRecording);
}

} // namespace treadle::python

// Traces for Python: beginning one, and writing it.
#include "launch/runtime.h"
#include "launch/trace_file.h"
#include "python/host/gil_lock.h"
#include "python/host/module_parts.h"
#include "support/clock.h"
#include "support/error.h"
#include "support/owned_file.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <cerrno>
#include <exception>
#include <utility>

namespace nb = nanobind;

namespace treadle::python {

namespace {

void startTrace() {
  if (!Trace::start())
    throw UsageError(UsageError::Kind::Runtime, "a trace is being recorded: stop that one first");
}

/// For what was queued, so that it is in the trace: for ever, but for what ends waits; or for some time.
void waitForWork(int64_t milliseconds, GilLock &gil) {
  const std::vector<StreamPoint> points = Runtime::instance().unfinished();
  if (milliseconds < 0)
    return awaitPoints(points, gil);
  const uint64_t end = monotonicNanoseconds() + uint64_t(milliseconds) * 1'000'000;
  gil.becomesLong();
  for (const StreamPoint &point : points)
    if (const uint64_t now = monotonicNanoseconds(); now < end)
      point.timeline->waitFor(point.position, std::chrono::milliseconds((end - now) / 1'000'000 + 1));
}

TraceNames namesFor(const std::map<uint64_t, std::string> &threads) {
  TraceNames names;
  names.threads = threads;
  Runtime::instance().visitOpen([&names](DeviceContext &context) {
    names.devices.push_back({context.device->traceKey(), context.ordinal,
                             context.device->name() + " (" + context.device->kind() + ")",
                             context.memory.figures().liveBytes});
  });
  return names;
}

/// `file`: a descriptor. What ends the wait is raised behind the writing.
void stopTrace(int file, const std::map<uint64_t, std::string> &threads, int64_t milliseconds) {
  GilLock gil;
  std::exception_ptr ended;
  try {
    waitForWork(milliseconds, gil);
  } catch (const DeviceError &) {
    // Whoever uses the device next is told.
  } catch (...) {
    ended = std::current_exception();
  }
  gil.becomesLong();
  Runtime::instance().visitOpen([](DeviceContext &context) { context.device->noteRuns(); });
  const std::optional<TraceRecording> recording = Trace::stop();
  int failure = 0;
  if (recording)
    writeTrace(*recording, namesFor(threads), [file, &failure](std::string_view text) {
      if (failure == 0)
        failure = writeAll(file, text);
    });
  gil.acquire();
  if (failure != 0) {
    errno = failure;
    PyErr_SetFromErrno(PyExc_OSError);
    throw nb::python_error();
  }
  if (ended)
    std::rethrow_exception(ended);
}

} // namespace

void addTrace(nb::module_ &module) {
  module.def("trace_start", &startTrace, "Begins to record. RuntimeError if something is recorded already.");
  module.def("trace_stop", &stopTrace, nb::arg("file"), nb::arg("threads"), nb::arg("milliseconds"),
             "Waits for queued work (at most so long; -1: for ever), ends the recording, and writes it.");
  module.def("is_tracing", &Trace::isRecording);
}

} // namespace treadle::python

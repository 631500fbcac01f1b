// Streams and events for Python.
#include "python/host/stream_object.h"

#include "python/host/errors.h"
#include "python/host/gil_lock.h"
#include "python/host/held_reference.h"
#include "python/host/object_access.h"
#include "runtime/event.h"
#include "runtime/host_callbacks.h"
#include "runtime/runtime.h"

#include <algorithm>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// Reads one argument; the text of an exception begins with `where`.
struct StreamReader {
  const char *where;
  nb::handle value;

  [[noreturn]] void refuse(PyObject *error) const {
    PyErr_Format(error,
                 "%sthe stream must be a stream, None, 0 (the default stream), or the handle of a stream that is "
                 "alive; found %R",
                 where, value.ptr());
    throw nb::python_error();
  }

  NamedStream ofHandle(uint64_t handle) const {
    std::optional<NamedStream> known = NamedStream::ofHandle(handle);
    return known ? std::move(*known) : (refuse(PyExc_ValueError), NamedStream());
  }

  NamedStream ofInteger() const {
    const nb::object number = nb::steal(PyNumber_Index(value.ptr()));
    if (!number.is_valid())
      throw nb::python_error();
    const uint64_t handle = PyLong_AsUnsignedLongLong(number.ptr());
    if (handle == uint64_t(-1) && PyErr_Occurred()) {
      PyErr_Clear();
      refuse(PyExc_ValueError);
    }
    return ofHandle(handle);
  }

  /// By the protocol of cuda.core: `__cuda_stream__()` returns (0, handle). Before it, streams of PyTorch and CuPy had
  /// attributes of their own.
  NamedStream ofForeign() const {
    const nb::object protocol = attributeIfAny(value, "__cuda_stream__");
    const nb::object handle = protocol.is_valid() ? secondOf(protocol()) : ownHandle();
    const uint64_t number = PyLong_AsUnsignedLongLong(handle.ptr());
    if (number == uint64_t(-1) && PyErr_Occurred())
      throw nb::python_error();
    return ofHandle(number);
  }

  nb::object secondOf(const nb::object &pair) const {
    if (!PyTuple_Check(pair.ptr()) || PyTuple_GET_SIZE(pair.ptr()) != 2)
      refuse(PyExc_TypeError);
    return nb::borrow(PyTuple_GET_ITEM(pair.ptr(), 1));
  }

  /// In libraries other than CuPy, `ptr` may be any address.
  nb::object ownHandle() const {
    nb::object handle = attributeIfAny(value, "cuda_stream");
    if (!handle.is_valid() && utf8Of(nb::str(value.type().attr("__module__"))).starts_with("cupy"))
      handle = attributeIfAny(value, "ptr");
    if (!handle.is_valid() || !PyLong_Check(handle.ptr()))
      refuse(PyExc_TypeError);
    return handle;
  }
};

/// For other software, which may capture the stream.
uint64_t sharedHandle(const NamedStream &object) {
  if (object.stream)
    if (StreamTimeline &timeline = *object.stream->last().timeline; !timeline.isWatched())
      timeline.watch();
  return object.handle;
}

void synchronize(const NamedStream &object) {
  releaseHeldReferences();
  {
    GilLock gil;
    object.here().synchronize(gil);
  }
  releaseFinished();
}

/// Throws UsageError (Value) if it belongs to another device.
void checkStream(nb::handle stream, int64_t ordinal) {
  streamArgument(stream).on(Runtime::instance().contextAt(ordinal).memory.device());
}

void record(Event &event, nb::handle stream) { event.record(streamArgument(stream).here()); }

void waitForEvent(const Event &event, nb::handle stream) {
  const NamedStream waiting = streamArgument(stream);
  if (const StreamPoint point = event.point(); point.timeline)
    waiting.here().wait(point);
}

void synchronizeEvent(const Event &event) {
  if (const StreamPoint point = event.point(); point.timeline)
    waitFor({point});
}

/// At exit: failures of queued kernels that no call has waited for.
void warnOfUntoldFailures() {
  for (const std::exception_ptr &failures : Runtime::instance().takeFailures())
    for (const std::string &text : textsOf(failures))
      warn("TreadleWarning", "the program ended without waiting for a stream on which something failed: " + text);
}

/// When the stream reaches it, `item` is queued for the callback thread.
void callBack(const NamedStream &object, nb::handle item) {
  object.here().run([held = heldReference(item.ptr())] { HostCallbacks::instance().push(held); });
}

nb::object nextCallback() {
  GilLock::parkAtExit();
  GilLock gil; // which parks this thread if Python ends meanwhile
  gil.release();
  const std::shared_ptr<const void> item = HostCallbacks::instance().pop();
  gil.acquire();
  releaseHeldReferences();
  return nb::borrow(static_cast<PyObject *>(const_cast<void *>(item.get())));
}

} // namespace

void waitFor(const std::vector<StreamPoint> &points) {
  const bool isDone = std::ranges::all_of(points, [](const StreamPoint &point) { return point.isComplete(); });
  if (!isDone) {
    GilLock gil;
    awaitPoints(points, gil);
  }
  for (const StreamPoint &point : points)
    if (const std::exception_ptr failure = point.timeline->takeFailure(point.position))
      std::rethrow_exception(failure);
}

NamedStream streamArgument(nb::handle value, const char *where) {
  const StreamReader reader{where, value};
  if (value.is_none())
    return reader.ofHandle(0);
  if (PyIndex_Check(value.ptr()))
    return reader.ofInteger();
  return nb::isinstance<NamedStream>(value) ? *nb::inst_ptr<NamedStream>(value) : reader.ofForeign();
}

bool readStream(PyObject *value, NamedStream &stream, const char *where) {
  try {
    stream = streamArgument(value, where);
    return true;
  } catch (...) {
    raisePython(std::current_exception());
    return false;
  }
}

void addStreamObjects(nb::module_ &module) {
  nb::class_<Event>(module, "Event")
      .def(
          "__init__", [](Event *self, bool timing) { new (self) Event(Runtime::instance().context(), timing); },
          nb::arg("timing"))
      .def("_record", &record)
      .def("_wait", &waitForEvent)
      .def("_synchronize", &synchronizeEvent)
      .def("_is_complete", [](const Event &event) { return event.point().hasRunOrThrows(); })
      .def("_milliseconds_until", &Event::millisecondsUntil)
      .def_prop_ro("_state", &Event::state);
  nb::class_<NamedStream>(module, "Stream", nb::dynamic_attr())
      .def(
          "__init__",
          [](NamedStream *self, std::string_view kind) { new (self) NamedStream(NamedStream::ofKind(kind)); },
          nb::arg("kind"))
      .def("__init__",
           [](NamedStream *self, const nb::int_ &handle) { new (self) NamedStream(streamArgument(handle)); })
      .def_ro("_handle", &NamedStream::handle)
      .def("_shared_handle", &sharedHandle)
      .def("_synchronize", &synchronize)
      .def("_call_back", &callBack);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&warnOfUntoldFailures));
  module.def("stream_named", [](nb::handle stream) { return streamArgument(stream); }, nb::arg("stream").none());
  module.def("check_stream", &checkStream, nb::arg("stream"), nb::arg("ordinal"));
  module.def("next_callback", &nextCallback);
  module.def("claim_callback_thread", [] { return HostCallbacks::instance().claimCaller(); });
  module.def("give_back_callback_thread", [] { HostCallbacks::instance().giveBackCaller(); });
}

} // namespace treadle::python

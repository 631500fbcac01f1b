// Streams and events for Python.
#include "python/host/stream_object.h"

#include "launch/event.h"
#include "launch/host_callbacks.h"
#include "launch/runtime.h"
#include "python/host/errors.h"
#include "python/host/gil_lock.h"
#include "python/host/held_reference.h"
#include "python/host/object_access.h"
#include "python/host/queued_failures.h"
#include "support/error.h"

#include <algorithm>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

namespace nb = nanobind;

namespace treadle::python {

namespace {

Device &device() { return Runtime::instance().device(); }

/// Reads one argument; what it sets as an error begins with `where`.
struct StreamReader {
  const char *where;
  PyObject *value;

  bool refuse(PyObject *error) const {
    PyErr_Format(error,
                 "%sthe stream must be a stream, None, 0 (the default stream), or the handle of a stream that is "
                 "alive; found %R",
                 where, value);
    return false;
  }
  bool readHandle(uint64_t handle, StreamObject &stream) const;
  bool readInteger(StreamObject &stream) const;
  bool readForeign(StreamObject &stream) const;
};

StreamObject defaultStream(uint64_t handle) {
  return {nullptr, handle == 2 || (handle == 0 && Runtime::instance().usesThreadStreams()), handle};
}

bool StreamReader::readHandle(uint64_t handle, StreamObject &stream) const {
  if (handle <= 2) {
    stream = defaultStream(handle);
    return true;
  }
  stream = {device().streamOf(handle), false, handle};
  return stream.stream || refuse(PyExc_ValueError);
}

bool StreamReader::readInteger(StreamObject &stream) const {
  const nb::object number = nb::steal(PyNumber_Index(value));
  if (!number.is_valid())
    return false;
  const uint64_t handle = PyLong_AsUnsignedLongLong(number.ptr());
  if (handle != uint64_t(-1) || !PyErr_Occurred())
    return readHandle(handle, stream);
  PyErr_Clear();
  return refuse(PyExc_ValueError);
}

/// By the protocol of cuda.core: `__cuda_stream__()` returns (0, handle).
bool StreamReader::readForeign(StreamObject &stream) const {
  const nb::object protocol = nb::steal(PyObject_GetAttrString(value, "__cuda_stream__"));
  if (!protocol.is_valid())
    return forgetError({PyExc_AttributeError}) && refuse(PyExc_TypeError);
  const nb::object pair = nb::steal(PyObject_CallNoArgs(protocol.ptr()));
  if (!pair.is_valid())
    return false;
  if (!PyTuple_Check(pair.ptr()) || PyTuple_GET_SIZE(pair.ptr()) != 2)
    return refuse(PyExc_TypeError);
  const uint64_t handle = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(pair.ptr(), 1));
  return (handle != uint64_t(-1) || !PyErr_Occurred()) && readHandle(handle, stream);
}

/// Streams by what they are: "default", "legacy", "thread", "blocking", "nonblocking".
StreamObject makeStream(std::string_view kind) {
  if (kind == "blocking" || kind == "nonblocking") {
    DeviceContext &context = Runtime::instance().context();
    std::shared_ptr<Stream> made = context.memory.device().makeStream(kind == "blocking");
    Stream *const stream = made.get();
    // When the last reference is dropped, the stream waits in the queue of deallocations, as memory does.
    auto queued = std::make_unique<QueuedResource>(QueuedResource{std::move(made)});
    auto end = [queued = std::move(queued), &context](Stream *) mutable {
      context.memory.releaseLater(std::move(queued));
    };
    return {std::shared_ptr<Stream>(stream, std::move(end)), false, stream->handle()};
  }
  return defaultStream(kind == "thread" ? 2 : kind == "legacy" ? 1 : 0);
}

void synchronize(const StreamObject &object) {
  releaseHeldReferences();
  {
    GilLock gil;
    object.here()->synchronize(gil);
  }
  releaseFinished();
}

/// Throws UsageError (Value) where it is one of another device.
void checkStream(nb::handle stream, int64_t ordinal) {
  streamArgument(stream).on(Runtime::instance().contextAt(ordinal).memory.device());
}

void record(Event &event, nb::handle stream) { event.record(*streamArgument(stream).here()); }

void waitForEvent(const Event &event, nb::handle stream) {
  const std::shared_ptr<Stream> waiting = streamArgument(stream).here();
  if (const StreamPoint point = event.point(); point.timeline)
    waiting->wait(point);
}

void synchronizeEvent(const Event &event) {
  if (const StreamPoint point = event.point(); point.timeline)
    waitFor({point});
}

/// The failure in `thrown`, valid as long as `thrown` is.
const QueuedFailure &failureIn(const std::exception_ptr &thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const QueuedFailure &failure) {
    return failure;
  }
}

/// At exit: what failed in queued kernels, and no call has waited for.
void warnOfUntoldFailures() {
  for (const std::exception_ptr &failures : Runtime::instance().takeFailures())
    for (const std::string &text : textsOf(failureIn(failures)))
      warn("TreadleWarning", "the program ended without waiting for a stream on which something failed: " + text);
}

/// In its turn on the stream, `item` is put before the thread that calls back.
void callBack(const StreamObject &object, nb::handle item) {
  object.here()->run([held = heldReference(item.ptr())] { HostCallbacks::instance().push(held); });
}

nb::object nextCallback() {
  GilLock::parkAtExit();
  GilLock gil; // which parks this thread where Python ends meanwhile
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

std::shared_ptr<Stream> StreamObject::here() const { return stream ? stream : on(device()); }

std::shared_ptr<Stream> StreamObject::on(Device &device) const {
  if (stream && &stream->device() != &device)
    throw UsageError(UsageError::Kind::Value,
                     "the stream is one of another device than the array: use a stream that was "
                     "made while the array's device was selected");
  if (stream)
    return stream;
  // The legacy default stream lives as long as its device: nothing is counted.
  return isOfThread ? device.threadStream() : std::shared_ptr<Stream>(std::shared_ptr<void>(), &device.defaultStream());
}

/// Throws nothing: functions of the C API call it. A bad setting or a missing device is found here by some.
bool readStream(PyObject *value, StreamObject &stream, const char *where) {
  const StreamReader reader{where, value};
  try {
    if (value == Py_None)
      return reader.readHandle(0, stream);
    if (PyIndex_Check(value))
      return reader.readInteger(stream);
    if (nb::isinstance<StreamObject>(value)) {
      stream = *nb::inst_ptr<StreamObject>(value);
      return true;
    }
    return reader.readForeign(stream);
  } catch (...) {
    raisePython(std::current_exception());
    return false;
  }
}

StreamObject streamArgument(nb::handle value) {
  StreamObject stream;
  if (!readStream(value.ptr(), stream))
    throw nb::python_error();
  return stream;
}

void addStreamObjects(nb::module_ &module) {
  nb::class_<Event>(module, "Event")
      .def(
          "__init__", [](Event *self, bool timing) { new (self) Event(Runtime::instance().context(), timing); },
          nb::arg("timing"))
      .def("_record", &record)
      .def("_wait", &waitForEvent)
      .def("_synchronize", &synchronizeEvent)
      .def("_is_complete", [](const Event &event) { return event.point().isComplete(); })
      .def("_milliseconds_until", &Event::millisecondsUntil)
      .def_prop_ro("_state", &Event::state);
  nb::class_<StreamObject>(module, "Stream", nb::dynamic_attr())
      .def(
          "__init__", [](StreamObject *self, std::string_view kind) { new (self) StreamObject(makeStream(kind)); },
          nb::arg("kind"))
      .def("__init__", [](StreamObject *self, nb::int_ handle) { new (self) StreamObject(streamArgument(handle)); })
      .def_ro("_handle", &StreamObject::handle)
      .def("_synchronize", &synchronize)
      .def("_call_back", &callBack);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&warnOfUntoldFailures));
  module.def("stream_named", &streamArgument);
  module.def("check_stream", &checkStream, nb::arg("stream"), nb::arg("ordinal"));
  module.def("next_callback", &nextCallback);
  module.def("claim_callback_thread", [] { return HostCallbacks::instance().claimCaller(); });
  module.def("give_back_callback_thread", [] { HostCallbacks::instance().giveBackCaller(); });
}

} // namespace treadle::python

// treadle._core.Stream and Event: streams and events as Python objects, and arguments that name one.
#pragma once

#include "device/stream.h"

#include <Python.h>
#include <nanobind/nanobind.h>

namespace treadle::python {

/// A stream as a program names it. Base of treadle.streams.Stream.
struct StreamObject {
  std::shared_ptr<Stream> stream; ///< null: a default stream
  bool isOfThread = false;        ///< the default stream of the thread that uses it, found out at each use
  uint64_t handle = 0;

  /// On the selected device.
  std::shared_ptr<Stream> here() const;
  /// For work on memory of that device. Throws UsageError (Value) where the stream is one of another.
  std::shared_ptr<Stream> on(Device &device) const;
};

/// Reads what denotes a stream: None and 0 (the default), 1 and 2 (CUDA's handles of the legacy default stream and of
/// the thread's), a StreamObject, another stream's handle, or an object with `__cuda_stream__`. False: a Python error
/// is set (TypeError, ValueError), whose text begins with `where`.
bool readStream(PyObject *value, StreamObject &stream, const char *where = "");

/// For nanobind functions; throws nanobind::python_error.
StreamObject streamArgument(nanobind::handle value);

/// Returns when all of them have run. Throws QueuedFailure where something before one of them has failed.
void waitFor(const std::vector<StreamPoint> &points);

void addStreamObjects(nanobind::module_ &module);

} // namespace treadle::python

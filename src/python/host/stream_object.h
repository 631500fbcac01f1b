// treadle._core.Stream and Event: streams and events as Python objects, and arguments that name one.
#pragma once

#include "runtime/named_stream.h"

#include <Python.h>
#include <nanobind/nanobind.h>

namespace treadle::python {

/// Reads a stream argument: None and 0 (the default), 1 and 2 (CUDA's handles of the legacy default stream and of the
/// per-thread one), a treadle._core.Stream, another stream's handle, or an object with `__cuda_stream__`. Throws
/// nanobind::python_error (TypeError, ValueError), whose text begins with `where`, and what the devices throw.
NamedStream streamArgument(nanobind::handle value, const char *where = "");
/// For C API functions. False: the error is set as a Python error.
bool readStream(PyObject *value, NamedStream &stream, const char *where = "");

/// Returns when all of them have run. Throws QueuedFailure if work before one of them has failed.
void waitFor(const std::vector<StreamPoint> &points);

void addStreamObjects(nanobind::module_ &module);

} // namespace treadle::python

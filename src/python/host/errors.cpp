// From C++ exceptions to the classes of treadle/errors.py.
#include "python/host/errors.h"

#include "python/host/gil_lock.h"
#include "python/host/object_access.h"
#include "support/error_names.h"
#include "support/utf8.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <new>
#include <string>
#include <system_error>

namespace nb = nanobind;

namespace treadle::python {

namespace {

PyObject *pythonClass(UsageError::Kind kind) {
  switch (kind) {
  case UsageError::Kind::Type:
    return PyExc_TypeError;
  case UsageError::Kind::Value:
    return PyExc_ValueError;
  case UsageError::Kind::Index:
    return PyExc_IndexError;
  case UsageError::Kind::Overflow:
    return PyExc_OverflowError;
  case UsageError::Kind::NotImplemented:
    return PyExc_NotImplementedError;
  case UsageError::Kind::Runtime:
    return PyExc_RuntimeError;
  case UsageError::Kind::Buffer:
    return PyExc_BufferError;
  }
  return PyExc_RuntimeError;
}

nb::object makeError(const char *name, std::string_view text) {
  return nb::module_::import_("treadle.errors").attr(name)(decodedText(text));
}

/// Sets it without the context of an exception being handled, as `raise ... from None` does.
void setError(const nb::object &exception) {
  PyException_SetCause(exception.ptr(), nullptr);
  nb::setattr(exception, "__suppress_context__", nb::bool_(true));
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())), exception.ptr());
}

void raiseCompileError(const CompileError &error) {
  const Diagnostic &diagnostic = error.diagnostic();
  const nb::object exception = makeError(errorName(diagnostic.kind), error.what());
  nb::setattr(exception, "message", decodedText(diagnostic.message));
  nb::setattr(exception, "found", decodedText(diagnostic.found));
  nb::setattr(exception, "expected", decodedText(diagnostic.expected));
  nb::setattr(exception, "remedy", decodedText(diagnostic.remedy));
  if (diagnostic.source) {
    nb::setattr(exception, "file", decodedText(diagnostic.source->file));
    const SourceSpan &span = diagnostic.span;
    const std::string_view line = span.isKnown() ? diagnostic.source->line(span.line) : std::string_view();
    nb::setattr(exception, "line", nb::int_(span.line));
    nb::setattr(exception, "column",
                nb::int_(span.isKnown() ? characterCount(line.substr(0, span.column)) + 1 : size_t(0)));
  }
  setError(exception);
}

void raiseDeviceError(const DeviceError &error, const char *name) {
  setError(nb::module_::import_("treadle.errors").attr(name)(int(error.result()), decodedText(error.reason())));
}

void raiseOne(const QueuedFailure &failure) {
  if (failure.origin)
    failure.origin->raise(failure.failure);
  else
    raisePython(failure.failure);
}

std::string takeErrorText() {
  const nb::python_error error;
  const auto name = nb::cast<std::string>(error.type().attr("__name__"));
  return name + ": " + nb::cast<std::string>(nb::str(error.value()));
}

/// Its notes list later failures, which no other call reports.
void raiseQueuedFailure(const QueuedFailure &failure) {
  raiseOne(failure);
  if (failure.others.empty())
    return;
  nb::python_error first;
  nb::list notes;
  for (const std::exception_ptr &other : failure.others) {
    raisePython(other);
    notes.append(nb::cast("a later operation failed, too: " + takeErrorText()));
  }
  nb::setattr(first.value(), "__notes__", notes);
  first.restore();
}

void raiseAny(const std::exception_ptr &error) {
  try {
    std::rethrow_exception(error);
  } catch (nb::python_error &inFlight) {
    inFlight.restore();
  } catch (const CompileError &found) {
    raiseCompileError(found);
  } catch (const UsageError &found) {
    setError(nb::borrow(pythonClass(found.kind()))(decodedText(found.what())));
  } catch (const WaitInterrupted &) {
    raiseInterrupted();
  } catch (const QueuedFailure &found) {
    raiseQueuedFailure(found);
  } catch (const DeviceLost &found) {
    raiseDeviceError(found, "DeviceLost");
  } catch (const DeviceError &found) {
    raiseDeviceError(found, "CudaAPIError");
  } catch (const CudaSupportError &found) {
    setError(makeError("CudaSupportError", found.what()));
  } catch (const InternalError &found) {
    setError(makeError("InternalCompilerError", found.what()));
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const Error &found) {
    PyErr_SetString(PyExc_RuntimeError, found.what());
  } catch (const std::system_error &found) {
    PyErr_Format(PyExc_RuntimeError, "the system refused what Treadle needs: %s", found.what());
  } catch (const std::exception &found) {
    setError(makeError("InternalCompilerError", found.what()));
  }
}

} // namespace

void raisePython(const std::exception_ptr &error) noexcept {
  try {
    raiseAny(error);
  } catch (nb::python_error &failure) {
    // treadle.errors cannot be imported, or memory is exhausted.
    failure.restore();
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "treadle: an exception of no known class");
  }
}

std::vector<std::string> textsOf(const std::exception_ptr &queuedFailure) {
  try {
    std::rethrow_exception(queuedFailure);
  } catch (const QueuedFailure &failure) {
    raiseOne(failure);
    std::vector<std::string> texts{takeErrorText()};
    for (const std::exception_ptr &other : failure.others) {
      raisePython(other);
      texts.push_back(takeErrorText());
    }
    return texts;
  }
}

void registerErrors() {
  nb::register_exception_translator([](const std::exception_ptr &error, void *) {
    try {
      std::rethrow_exception(error);
    } catch (const Error &) {
      raisePython(error);
    }
  });
}

void warn(const char *className, std::string_view message) {
  const nb::object category = nb::module_::import_("treadle.errors").attr(className);
  if (PyErr_WarnEx(category.ptr(), std::string(message).c_str(), 1) != 0)
    throw nb::python_error();
}

} // namespace treadle::python

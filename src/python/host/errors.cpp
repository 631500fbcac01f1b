// From C++ exceptions to the classes of treadle/errors.py.
#include "python/host/errors.h"

#include "python/host/gil_lock.h"
#include "python/host/object_access.h"
#include "python/host/queued_failures.h"
#include "support/display_width.h"

#include <nanobind/nanobind.h>

#include <new>
#include <string>
#include <system_error>

namespace nb = nanobind;

namespace treadle::python {

namespace {

const char *className(CompileErrorKind kind) {
  switch (kind) {
  case CompileErrorKind::Typing:
    return "TypingError";
  case CompileErrorKind::Unsupported:
    return "UnsupportedError";
  case CompileErrorKind::Name:
    return "NotDefinedError";
  case CompileErrorKind::Constant:
    return "ConstantInferenceError";
  case CompileErrorKind::Value:
    return "NumbaValueError";
  case CompileErrorKind::Index:
    return "NumbaIndexError";
  case CompileErrorKind::Type:
    return "NumbaTypeError";
  case CompileErrorKind::Source:
    return "SourceError";
  case CompileErrorKind::Limit:
    return "CompileLimitError";
  }
  return "CompileError";
}

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
  }
  return PyExc_RuntimeError;
}

nb::object makeError(const char *name, std::string_view text) {
  return nb::module_::import_("treadle.errors").attr(name)(decodedText(text));
}

/// Sets it without the context of an error in flight, as `raise ... from None` does.
void setError(const nb::object &exception) {
  PyException_SetCause(exception.ptr(), nullptr);
  nb::setattr(exception, "__suppress_context__", nb::bool_(true));
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())), exception.ptr());
}

void raiseCompileError(const CompileError &error) {
  const Diagnostic &diagnostic = error.diagnostic();
  const nb::object exception = makeError(className(diagnostic.kind), error.what());
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

void raiseDeviceError(const DeviceError &error) {
  setError(nb::module_::import_("treadle.errors")
               .attr("CudaAPIError")(int(error.result()), decodedText(error.reason().c_str())));
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
  } catch (const DeviceError &found) {
    raiseDeviceError(found);
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
    // treadle.errors cannot be imported, or memory is out.
    failure.restore();
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "treadle: an exception of no known class");
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

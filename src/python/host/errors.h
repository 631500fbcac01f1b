// Treadle's exceptions as Python ones. The classes live in treadle/errors.py, which is imported when the first is
// raised.
#pragma once

#include "support/error.h"

#include <Python.h>

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::python {

/// Sets the Python error for `error`, without context: no traceback leads through the compiler. Accepts any exception:
/// treadle's by their kinds, std::bad_alloc as MemoryError, a Python error in flight (nanobind::python_error) as
/// itself. Needs the GIL.
void raisePython(const std::exception_ptr &error) noexcept;

/// For functions that Python calls directly: the result of `make`; if it throws, nullptr with that Python error.
template <typename Make> PyObject *orRaised(const Make &make) noexcept {
  try {
    return make();
  } catch (...) {
    raisePython(std::current_exception());
    return nullptr;
  }
}

/// "IndexError: ..." for each failure in a QueuedFailure. Throws nanobind::python_error.
std::vector<std::string> textsOf(const std::exception_ptr &queuedFailure);

/// Makes nanobind translate treadle's exceptions into Python ones. Called once, when the extension is initialised.
void registerErrors();

/// Emits a Python warning of class `treadle.errors.<className>` at the caller's line. Throws nanobind::python_error
/// where warnings are errors.
void warn(const char *className, std::string_view message);

} // namespace treadle::python

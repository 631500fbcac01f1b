// Releasing the GIL, and parking threads at exit.
#include "python/host/gil_lock.h"

#include "support/error.h"

#include <nanobind/nanobind.h>

#include <chrono>
#include <sys/syscall.h>
#include <unistd.h>

namespace nb = nanobind;

namespace treadle::python {

namespace {

[[noreturn]] void park() {
  for (;;)
    pause();
}

/// The timeout for threads that are stuck in the user's own Python code.
constexpr std::chrono::seconds patience{5};

void waitForThreads() {
  ExitState &state = ExitState::instance();
  state.exitingThread = std::this_thread::get_id();
  state.isExiting = true;
  const auto end = std::chrono::steady_clock::now() + patience;
  while ((state.holding > 0 || state.asking != 0) && std::chrono::steady_clock::now() < end) {
    PyThreadState *saved = PyEval_SaveThread();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    PyEval_RestoreThread(saved);
  }
}

/// The process's main thread, which is Python's: the only one on which it calls signal handlers. In a child it is the
/// forking thread.
bool isMainThread() { return syscall(SYS_gettid) == getpid(); }

} // namespace

void GilLock::parkAtExit() {
  if (!ExitState::instance().isEndedElsewhere())
    return;
  PyEval_SaveThread();
  park();
}

void GilLock::refuseIfMust() const {
  if (state.isEndedElsewhere())
    throw UsageError(UsageError::Kind::Runtime, "Python is shutting down: threads cannot launch kernels any more");
  if (state.handlingThread.load(std::memory_order_relaxed) == std::this_thread::get_id())
    throw UsageError(
        UsageError::Kind::Runtime,
        "a signal handler was called in the middle of a kernel or a copy that this thread runs: it cannot use the "
        "device before that has ended; raise an exception to end it, or set a flag");
}

void GilLock::release() {
  --state.holding;
  saved = PyEval_SaveThread();
}

void GilLock::takeBack() {
  ++state.asking;
  if (state.isEndedElsewhere()) {
    --state.asking;
    park();
  }
  PyEval_RestoreThread(saved);
  saved = nullptr;
  ++state.holding;
  --state.asking;
}

GilTurn::GilTurn() {
  ExitState &state = ExitState::instance();
  ++state.asking;
  if (state.isEndedElsewhere() && !PyGILState_Check()) {
    --state.asking;
    park();
  }
  before = PyGILState_Ensure();
  ++state.holding;
  --state.asking;
}

GilTurn::~GilTurn() {
  --ExitState::instance().holding;
  PyGILState_Release(before);
}

bool GilLock::shouldContinue(Activity activity) noexcept {
  if (!isMainThread())
    return true;
  acquire();
  const bool isOutermost = activity == Activity::Work && !state.isHandling();
  if (isOutermost)
    state.handlingThread = std::this_thread::get_id();
  const bool shouldContinue = PyErr_CheckSignals() == 0;
  if (isOutermost)
    state.handlingThread = std::thread::id();
  release();
  return shouldContinue;
}

PyObject *raiseInterrupted() {
  if (!PyErr_Occurred() && PyErr_CheckSignals() == 0)
    PyErr_SetString(PyExc_KeyboardInterrupt,
                    "what this thread waited for was interrupted: what it writes is partly written");
  return nullptr;
}

void watchForExit() {
  ExitState::instance();
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&waitForThreads));
}

/// To Python's current standard output: notebooks and tests replace it.
void GilLock::printed(std::string_view text) {
  if (saved)
    acquire();
  // An exception of a signal handler stays pending until the launch's end.
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  const nb::str shown(text.data(), text.size());
  PyObject *output = PySys_GetObject("stdout");
  if (output && output != Py_None && PyFile_WriteObject(shown.ptr(), output, Py_PRINT_RAW) != 0)
    PyErr_WriteUnraisable(output);
  PyErr_Restore(type, value, traceback);
}

} // namespace treadle::python

// GilLock: the GIL as the lock that launches and compilations release; and how they end when Python exits.
#pragma once

#include "launch/dispatcher.h"

#include <Python.h>

#include <string_view>

namespace treadle::python {

struct ExitState;

/// Lives for the whole time that one of our functions runs in a thread. Begins and ends with the GIL held; in between
/// the GIL can be released.
///
/// Python 3.12 ends a daemon thread that asks for the GIL while the interpreter shuts down by unwinding its stack,
/// which C++ frames that hold Python references do not survive. So at exit the thread that shuts down first waits until
/// no thread is in here with the GIL or asking for it; from then on a thread that asks is parked, and other threads are
/// refused.
class GilLock final : public HostLock {
public:
  /// Throws UsageError (Runtime) while Python shuts down, except on the thread that shuts it down; and in a handler of
  /// a signal that was called in the middle of a kernel or a copy, whose thread cannot begin anything else.
  GilLock();
  GilLock(const GilLock &) = delete;
  GilLock &operator=(const GilLock &) = delete;
  ~GilLock();

  /// For threads of Treadle's own: does not return on them while Python shuts down.
  static void parkAtExit();

  void release() override;
  void acquire() override;
  void becomesLong() override {
    if (!saved)
      release();
  }
  /// Calls Python's handlers of signals, on the main thread. False: one has raised; that error is then set.
  bool goesOn(Activity activity) noexcept override;
  void printed(std::string_view text) override;

private:
  ExitState &state;
  PyThreadState *saved = nullptr;
};

/// Sets the error for what was interrupted: what a handler of a signal has raised, or KeyboardInterrupt where it was
/// ended for another thread. Returns nullptr.
PyObject *raiseInterrupted();

/// Registers with Python's atexit. Called once, when the extension is initialised. Throws nanobind::python_error.
void watchForExit();

} // namespace treadle::python

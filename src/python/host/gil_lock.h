// GilLock: the GIL as the lock that launches and compilations release; and how they end when Python exits.
#pragma once

#include "launch/dispatcher.h"
#include "support/fork_gate.h"

#include <Python.h>

#include <atomic>
#include <string_view>
#include <thread>

namespace treadle::python {

/// Of the process, as Python's end is. Never destroyed.
struct ExitState {
  int holding = 0;                 ///< threads between construction and destruction that hold the GIL; guarded by it
  std::atomic<unsigned> asking{0}; ///< threads in `acquire`
  std::atomic<bool> isExiting{false};
  /// The main thread calls handlers of signals in the middle of a kernel or a copy that it runs.
  std::atomic<bool> isInsideWork{false};
  std::thread::id exitingThread; ///< the one that ends the interpreter; written before isExiting

  /// Whether Python shuts down and the calling thread is not the one that does it.
  bool isEndedElsewhere() const { return isExiting && std::this_thread::get_id() != exitingThread; }

  static ExitState &instance() {
    static ExitState *const state = new ExitState;
    return *state;
  }

private:
  /// Other threads are not in the child, whose main thread is the one that forked.
  ExitState()
      : atForks(this, {.inChild = [](void *self) {
                  auto &state = *static_cast<ExitState *>(self);
                  state.holding = 0;
                  state.asking = 0;
                  state.exitingThread = std::this_thread::get_id();
                }}) {}
  const AtForks atForks;
};

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
  GilLock() : state(ExitState::instance()) {
    if (state.isExiting.load(std::memory_order_relaxed) || state.isInsideWork.load(std::memory_order_relaxed))
        [[unlikely]]
      refuseIfMust();
    ++state.holding;
  }
  GilLock(const GilLock &) = delete;
  GilLock &operator=(const GilLock &) = delete;
  ~GilLock() {
    acquire();
    --state.holding;
  }

  /// For threads of Treadle's own: does not return on them while Python shuts down.
  static void parkAtExit();

  void release() override;
  void acquire() override {
    if (saved)
      takeBack();
  }
  void becomesLong() override {
    if (!saved)
      release();
  }
  /// Calls Python's handlers of signals, on the main thread. False: one has raised; that error is then set.
  bool goesOn(Activity activity) noexcept override;
  void printed(std::string_view text) override;

private:
  void refuseIfMust() const;
  void takeBack();

  ExitState &state;
  PyThreadState *saved = nullptr;
};

/// The GIL for a call of Python's code, by a thread that may have it or not.
class GilTurn {
public:
  /// Does not return on a thread without the GIL while Python shuts down.
  GilTurn();
  GilTurn(const GilTurn &) = delete;
  GilTurn &operator=(const GilTurn &) = delete;
  ~GilTurn();

private:
  PyGILState_STATE before;
};

/// Sets the error for what was interrupted: what a handler of a signal has raised, or KeyboardInterrupt where it was
/// ended for another thread. Returns nullptr.
PyObject *raiseInterrupted();

/// Registers with Python's atexit. Called once, when the extension is initialised. Throws nanobind::python_error.
void watchForExit();

} // namespace treadle::python

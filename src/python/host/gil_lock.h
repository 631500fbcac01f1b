// GilLock: the GIL as the lock that launches and compilations release; and their end when Python exits.
#pragma once

#include "launch/dispatcher.h"
#include "support/fork_gate.h"

#include <Python.h>

#include <atomic>
#include <string_view>
#include <thread>
#include <utility>

namespace treadle::python {

/// Process-wide, as Python's exit is. Never destroyed.
struct ExitState {
  int holding = 0;                 ///< threads between construction and destruction that hold the GIL, which guards it
  std::atomic<unsigned> asking{0}; ///< threads in `acquire`
  std::atomic<bool> isExiting{false};
  /// The thread that calls signal handlers in the middle of a kernel or a copy that it runs: the main thread, or none.
  std::atomic<std::thread::id> handlingThread{};
  std::thread::id exitingThread; ///< the one that finalises the interpreter; written before isExiting

  /// Whether another thread than the calling one is shutting Python down.
  bool isEndedElsewhere() const { return isExiting && std::this_thread::get_id() != exitingThread; }
  bool isHandling() const { return handlingThread.load(std::memory_order_relaxed) != std::thread::id(); }

  static ExitState &instance() {
    static ExitState *const state = new ExitState;
    return *state;
  }

private:
  /// Other threads do not exist in the child, whose main thread is the forking one.
  ExitState()
      : atForks(this, {.inChild = [](void *self) {
                  auto &state = *static_cast<ExitState *>(self);
                  state.holding = 0;
                  state.asking = 0;
                  const std::thread::id own = std::this_thread::get_id();
                  if (state.handlingThread.load() != own)
                    state.handlingThread = std::thread::id();
                  if (std::exchange(state.exitingThread, own) != own)
                    state.isExiting = false;
                }}) {}
  const AtForks atForks;
};

/// Lives as long as one of our functions runs on a thread. Begins and ends with the GIL held, which can be released in
/// between.
///
/// While the interpreter shuts down, Python 3.12 ends a daemon thread that acquires the GIL by unwinding its stack,
/// which C++ frames that hold Python references do not survive. So at exit the finalising thread first waits until no
/// thread is in here with the GIL or acquiring it; from then on a thread that acquires it is parked, and new calls on
/// other threads are refused.
class GilLock final : public HostLock {
public:
  /// Throws UsageError (Runtime) while Python shuts down, except on the finalising thread; and in a signal handler that
  /// was called in the middle of a kernel or a copy, whose thread cannot start anything else.
  GilLock() : state(ExitState::instance()) {
    if (state.isExiting.load(std::memory_order_relaxed) || state.isHandling()) [[unlikely]]
      refuseIfMust();
    ++state.holding;
  }
  GilLock(const GilLock &) = delete;
  GilLock &operator=(const GilLock &) = delete;
  ~GilLock() {
    acquire();
    --state.holding;
  }

  /// For Treadle's own threads: does not return on them while Python shuts down.
  static void parkAtExit();

  void release() override;
  void acquire() override {
    if (saved)
      takeBack();
  }
  void onLongCall() override {
    if (!saved)
      release();
  }
  /// Calls Python's signal handlers, on the main thread. False: one has raised; that error is then set.
  bool shouldContinue(Activity activity) noexcept override;
  void printed(std::string_view text) override;

private:
  void refuseIfMust() const;
  void takeBack();

  ExitState &state;
  PyThreadState *saved = nullptr;
};

/// The GIL for a call of Python code, on a thread that may hold it or not.
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

/// Sets the error for an interrupted call: what a signal handler has raised, or KeyboardInterrupt if it was cancelled
/// by another thread. Returns nullptr.
PyObject *raiseInterrupted();

/// Registers with Python's atexit. Called once, when the extension is initialised. Throws nanobind::python_error.
void watchForExit();

} // namespace treadle::python

// What happens before and after every API function.
#include "call.h"

#include <cstdlib>
#include <unistd.h>
#include <utility>

/// In the counting library, if it is loaded.
extern "C" __attribute__((weak)) void fakeCudaCountingPause(int delta);

namespace fakecuda {

namespace {

/// Excludes the stand-in's own allocations and locks from the count.
class CountingPause {
public:
  CountingPause() { pause(1); }
  ~CountingPause() { pause(-1); }
  CountingPause(const CountingPause &) = delete;
  CountingPause &operator=(const CountingPause &) = delete;

private:
  static void pause(int delta) {
    if (fakeCudaCountingPause)
      fakeCudaCountingPause(delta);
  }
};

void freshen(Driver &driver, ThreadState &thread) {
  if (thread.epoch == driver.epoch)
    return;
  thread.contexts.clear();
  thread.captureMode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  thread.epoch = driver.epoch;
  if (!thread.number)
    thread.number = driver.newThreadNumber();
}

/// The rules on where and when the driver may be called at all.
CUresult checkPlace(Driver &driver, const ThreadState &thread, unsigned needs) {
  if (thread.inCallback)
    return driver.violate(Rule::InCallback, "called from a host function or stream callback", CUDA_ERROR_NOT_PERMITTED);
  if (needs == NeedsNothing)
    return CUDA_SUCCESS;
  if (getpid() != driver.processId && driver.initialized)
    return driver.violate(Rule::AfterFork, "called in the child of a process that had initialised the driver",
                          CUDA_ERROR_NOT_INITIALIZED);
  if (driver.exiting)
    return driver.violate(Rule::AfterExit, "called after exit began", CUDA_ERROR_DEINITIALIZED);
  if (!driver.initialized)
    return driver.violate(Rule::NotInitialized, "called before cuInit", CUDA_ERROR_NOT_INITIALIZED);
  return CUDA_SUCCESS;
}

CUresult checkContext(Driver &driver, unsigned needs) {
  const std::shared_ptr<Context> context = driver.currentContext();
  if (!context)
    return driver.violate(Rule::NoContext, "the calling thread has no current context", CUDA_ERROR_INVALID_CONTEXT);
  if (!context->alive())
    return driver.violate(Rule::ContextDestroyed, "the current context was ended by " + context->endedBy,
                          CUDA_ERROR_CONTEXT_IS_DESTROYED);
  if (context->lost == CUDA_SUCCESS || (needs & WorksWhenLost))
    return CUDA_SUCCESS;
  if (std::exchange(context->lossTold, true))
    driver.violate(Rule::CallAfterDeviceLost, "its context is lost since " + context->lostBy, context->lost);
  return context->lost;
}

CUresult suffer(Driver &driver, const FakeCudaFault &fault, unsigned needs) {
  const std::shared_ptr<Context> context = driver.currentContext();
  if (fault.mode == FAKE_CUDA_FAULT_ASYNC) {
    threadState().asyncFailure = fault.result;
    return CUDA_SUCCESS;
  }
  driver.ledger.failedFrees += (needs & EndsSomething) != 0;
  if (fault.mode == FAKE_CUDA_FAULT_STICKY && context) {
    context->lost = fault.result;
    context->lostBy = std::string("an injected fault of ") + driver.here();
    context->lossTold = true;
  }
  return fault.result;
}

CUresult checkedCall(Driver &driver, const CallInfo &info, CallBody body, void *data) {
  if (const CUresult result = checkPlace(driver, threadState(), info.needs); result != CUDA_SUCCESS)
    return result;
  if (const auto fault = driver.ledger.takeFault(info.name))
    if (const CUresult result = suffer(driver, *fault, info.needs); result != CUDA_SUCCESS)
      return result;
  if ((info.needs & NeedsContext) == NeedsContext)
    if (const CUresult result = checkContext(driver, info.needs); result != CUDA_SUCCESS)
      return result;
  if (info.needs & UnsafeInCapture)
    if (const CUresult result = driver.checkUnsafeCall(); result != CUDA_SUCCESS)
      return result;
  const CUresult result = body(data, driver);
  const std::shared_ptr<Context> context = driver.currentContext();
  if (!context)
    return result;
  // The call queued nothing that could fail later, so the context fails.
  if (const CUresult failure = std::exchange(threadState().asyncFailure, CUDA_SUCCESS); failure != CUDA_SUCCESS) {
    context->lost = failure;
    context->lostBy = "an injected fault of " + driver.here();
  }
  if (result != CUDA_SUCCESS && result == context->lost)
    context->lossTold = true;
  return result;
}

} // namespace

CUresult enterCall(const CallInfo &info, CallBody body, void *data) {
  const CountingPause pause;
  Driver &driver = fakecuda::driver();
  ThreadState &thread = threadState();
  const std::lock_guard lock(driver.mutex);
  freshen(driver, thread);
  ++driver.lastCall;
  std::string outer = std::exchange(thread.call, info.name);
  const size_t outerIndex = thread.callIndex;
  thread.callIndex =
      driver.ledger.begin({info.name, describe(info.arguments), CUDA_SUCCESS, thread.number, thread.perThreadDefault});
  const size_t index = thread.callIndex;
  const CUresult result = checkedCall(driver, info, body, data);
  if (index < driver.ledger.calls.size())
    driver.ledger.calls[index].result = result;
  thread.call = std::move(outer);
  thread.callIndex = outerIndex;
  return result;
}

} // namespace fakecuda

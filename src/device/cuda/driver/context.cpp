// Primary contexts: retained lazily, lost by fatal errors, void in the children of forks.
#include "device/cuda/driver/context.h"

#include "device/device.h"

#include <fmt/core.h>

namespace treadle::cuda {

DeviceNumber deviceNumber(const DriverTable &driver, int ordinal) {
  DeviceNumber device = 0;
  if (const Result result = driver.deviceGet(&device, ordinal); result != Result::Success)
    throw DeviceError(fmt::format("open CUDA device {}", ordinal), CudaResult(result), driver.describe(result));
  return device;
}

namespace {

/// Sticky errors, after which every call in the context fails until a reset: those caused by kernels and the hardware.
bool endsContext(Result result) {
  switch (result) {
  case Result::EccUncorrectable:
  case Result::NvlinkUncorrectable:
  case Result::IllegalAddress:
  case Result::LaunchTimeout:
  case Result::Assert:
  case Result::HardwareStackError:
  case Result::IllegalInstruction:
  case Result::MisalignedAddress:
  case Result::InvalidAddressSpace:
  case Result::InvalidPc:
  case Result::LaunchFailed:
  case Result::Deinitialized:
  case Result::ContextIsDestroyed:
    return true;
  default:
    return false;
  }
}

std::string adviceOn(Result result) {
  switch (result) {
  case Result::IllegalAddress:
  case Result::MisalignedAddress:
    return "; compile the kernels with debug=True, or run them with TREADLE_DEVICE=cpu, to find the access";
  case Result::LaunchFailed:
  case Result::Assert:
    return "; a kernel has stopped by a trap or a failed check";
  case Result::ContextIsDestroyed:
    return "; other software in this process has reset the device";
  case Result::InvalidContext:
    return "; has other software in this process reset the device?";
  default:
    return "";
  }
}

} // namespace

Context::Context(const DriverTable &driver, int ordinal)
    : driver(driver), ordinal(ordinal), device(deviceNumber(driver, ordinal)),
      atForks(this, {nullptr, nullptr, [](void *self) {
                       auto &context = *static_cast<Context *>(self);
                       context.gate.beginChild();
                       context.state.store(State::Forked);
                     }}) {}

void Context::checkAlive() const {
  const State now = state.load();
  if (now == State::Lost)
    throw DeviceLost(CudaResult(lostResult), lostBy);
  if (now == State::Forked)
    throw CudaSupportError("the CUDA driver does not work in the child of a fork whose parent has used it: start "
                           "processes by multiprocessing's 'spawn' or 'forkserver'");
}

void Context::open() {
  checkAlive();
  const std::lock_guard lock(opening);
  checkAlive();
  if (state.load() == State::Ready)
    return;
  if (const Result result = driver.primaryCtxRetain(&handle, device); result != Result::Success)
    throw DeviceError(fmt::format("open CUDA device {}", ordinal), CudaResult(result), driver.describe(result));
  state.store(State::Ready, std::memory_order_release);
}

void Context::note(Result result, std::string_view operation) {
  if (!endsContext(result))
    return;
  const std::lock_guard lock(opening);
  if (state.load() != State::Ready)
    return;
  lostResult = result;
  lostBy = std::string(operation) + " failed: " + driver.describe(result) + adviceOn(result);
  state.store(State::Lost);
}

void Context::fail(Result result, std::string_view operation) {
  note(result, operation);
  checkAlive();
  throw DeviceError(operation, CudaResult(result), driver.describe(result) + adviceOn(result));
}

void Context::giveHeap(uint64_t bytes) {
  {
    const std::lock_guard lock(opening);
    if (bytes == 0 || bytes == heapBytes)
      return;
  }
  const Result result = driver.ctxSetLimit(ContextLimit::MallocHeapBytes, bytes);
  check(result,
        fmt::format(
            "set aside {} bytes for arrays that kernels make (TREADLE_KERNEL_HEAP: before the first such kernel runs)",
            bytes));
  const std::lock_guard lock(opening);
  heapBytes = bytes;
}

void Context::giveStack(uint64_t bytes) {
  {
    const std::lock_guard lock(opening);
    if (bytes == 0 || bytes == stackBytes)
      return;
  }
  size_t current = 0;
  check(driver.ctxGetLimit(&current, ContextLimit::StackBytes), "ask for the size of threads' stacks");
  if (current < bytes)
    check(driver.ctxSetLimit(ContextLimit::StackBytes, bytes),
          fmt::format("set aside {} bytes of stack for each thread (TREADLE_KERNEL_STACK)", bytes));
  const std::lock_guard lock(opening);
  stackBytes = bytes;
}

void Context::reset() {
  const std::lock_guard lock(opening);
  if (state.load() == State::Forked)
    return;
  if (state.load() == State::Closed)
    return;
  state.store(State::Closed);
  resets.fetch_add(1);
  heapBytes = 0;
  stackBytes = 0;
  // The reset destroys the context for other software, too, which may still retain it.
  const Result released = driver.primaryCtxRelease(device);
  const Result reset = driver.primaryCtxReset(device);
  handle = nullptr;
  for (const Result result : {released, reset})
    if (result != Result::Success && !endsContext(result))
      throw DeviceError(fmt::format("reset CUDA device {}", ordinal), CudaResult(result), driver.describe(result));
}

/// A non-primary context has separate memory, which kernels here cannot use.
void Context::judgeForeign(ContextHandle current) {
  if (knownForeign.load() == current)
    return;
  DeviceNumber owner = 0;
  check(driver.ctxGetDevice(&owner), "ask for the device of the current context");
  ContextHandle primary = nullptr;
  check(driver.primaryCtxRetain(&primary, owner), "ask for a primary context");
  driver.primaryCtxRelease(owner);
  if (primary != current)
    throw UsageError(UsageError::Kind::Runtime,
                     "the thread's CUDA context was made by other software, and is not the device's primary context, "
                     "the only one that libraries can share; with PyCUDA, import pycuda.autoprimaryctx in place of "
                     "pycuda.autoinit");
  knownForeign.store(current);
}

void Current::failReset() {
  throw DeviceError("use the device", CudaResult::ContextIsDestroyed,
                    "another thread has reset it meanwhile: make streams, arrays and events again");
}

void Current::change(ContextHandle current) {
  if (!current)
    return context.check(context.driver.ctxSetCurrent(handle), "make the context current");
  context.judgeForeign(current);
  context.check(context.driver.ctxPushCurrent(handle), "make the context current");
  isPushed = true;
}

} // namespace treadle::cuda

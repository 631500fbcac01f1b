// Status codes and error texts.
#include "capi/api_call.h"

#include "device/device.h"

#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <new>
#include <system_error>

namespace treadle::capi {

namespace {

/// Of a thread: trivially destructible, as threads may end after everything else.
struct LastError {
  int32_t driverResult = 0;
  char text[2048] = {};
};
constinit thread_local LastError lastError;

struct Cause {
  treadle_status status;
  std::string_view text;
  int32_t driverResult = 0;
};

treadle_status statusOf(UsageError::Kind kind) {
  switch (kind) {
  case UsageError::Kind::Type:
    return TREADLE_ERROR_TYPE;
  case UsageError::Kind::NotImplemented:
    return TREADLE_ERROR_UNSUPPORTED;
  case UsageError::Kind::Runtime:
    return TREADLE_ERROR_STATE;
  case UsageError::Kind::Buffer:
    return TREADLE_ERROR_BUFFER;
  case UsageError::Kind::Value:
  case UsageError::Kind::Index:
  case UsageError::Kind::Overflow:
    break;
  }
  return TREADLE_ERROR_ARGUMENT;
}

treadle_status statusOf(CudaResult result) {
  switch (result) {
  case CudaResult::OutOfMemory:
    return TREADLE_ERROR_OUT_OF_MEMORY;
  case CudaResult::NotReady:
    return TREADLE_ERROR_NOT_READY;
  case CudaResult::NoDevice:
  case CudaResult::InvalidDevice:
    return TREADLE_ERROR_NO_DEVICE;
  default:
    return TREADLE_ERROR_DEVICE;
  }
}

void note(const char *function, const Cause &cause) noexcept {
  lastError.driverResult = cause.driverResult;
  std::snprintf(lastError.text, sizeof lastError.text, "%s: %.*s", function, int(cause.text.size()), cause.text.data());
}

/// Calls `take` with the cause while its exception lives. `take` must not throw.
template <typename Take> void withCause(const std::exception_ptr &failure, const Take &take) {
  try {
    std::rethrow_exception(failure);
  } catch (const ApiError &error) {
    take(Cause{error.status, error.what(), error.driverResult});
  } catch (const QueuedFailure &error) {
    // The work's own error says more than the fact that it was queued.
    withCause(error.failure, take);
  } catch (const UsageError &error) {
    take(Cause{statusOf(error.kind()), error.what()});
  } catch (const KernelFault &error) {
    take(Cause{TREADLE_ERROR_KERNEL, error.what()});
  } catch (const DeviceLost &error) {
    take(Cause{TREADLE_ERROR_DEVICE_LOST, error.what(), int32_t(error.result())});
  } catch (const DeviceError &error) {
    take(Cause{statusOf(error.result()), error.what(), int32_t(error.result())});
  } catch (const CudaSupportError &error) {
    take(Cause{TREADLE_ERROR_NO_DEVICE, error.what()});
  } catch (const std::bad_alloc &) {
    take(Cause{TREADLE_ERROR_OUT_OF_MEMORY, "the host has no memory left"});
  } catch (const InternalError &error) {
    take(Cause{TREADLE_ERROR_INTERNAL, error.what()});
  } catch (const Error &error) {
    take(Cause{TREADLE_ERROR_UNSUPPORTED, error.what()});
  } catch (const std::system_error &error) {
    take(Cause{TREADLE_ERROR_UNSUPPORTED, error.what()});
  } catch (const std::exception &error) {
    take(Cause{TREADLE_ERROR_INTERNAL, error.what()});
  } catch (...) {
    take(Cause{TREADLE_ERROR_INTERNAL, "an exception that is none of Treadle's"});
  }
}

std::string nameOf(HandleKind kind) {
  constexpr const char *names[] = {"device", "stream", "event", "memory", "array", "image", "kernel"};
  const size_t index = size_t(kind) - 1;
  return index < std::size(names) ? names[index] : "nothing";
}

} // namespace

ApiError::~ApiError() = default;

void failArgument(const std::string &message) { throw ApiError(TREADLE_ERROR_ARGUMENT, message); }
void failNull(const char *name) { failArgument(std::string(name) + " is NULL"); }

void failSize(const char *name, uint32_t given, size_t least) {
  throw ApiError(TREADLE_ERROR_STRUCT_SIZE,
                 fmt::format("{}: struct_size is {}; set it to sizeof, which is at least {}", name, given, least));
}

void failHandle(const char *name, HandleValue value, HandleKind wanted) {
  if (value == 0)
    failNull(name);
  const HandleKind kind = Handles::kindOf(value);
  const bool isOther = kind != wanted && Handles::instance().find(kind, value);
  throw ApiError(TREADLE_ERROR_HANDLE,
                 std::string(name) +
                     (isOther ? " is the handle of another kind, " + nameOf(kind) : " is no handle, or was freed") +
                     "; expected one of kind " + nameOf(wanted));
}

treadle_status noteFailure(const char *function) noexcept {
  treadle_status status = TREADLE_ERROR_INTERNAL;
  withCause(std::current_exception(), [&](const Cause &cause) {
    status = cause.status;
    note(function, cause);
  });
  return status;
}

treadle_status noteStatus(const char *function, treadle_status status, const char *message) noexcept {
  note(function, {status, message});
  return status;
}

const char *lastErrorText() { return lastError.text; }
int32_t lastDriverResult() { return lastError.driverResult; }

void HostThread::printed(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

} // namespace treadle::capi

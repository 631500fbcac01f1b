// What every function of the C API does: resolves its handles, and turns exceptions into a status.
#pragma once

#include "capi/handles.h"
#include "device/launch_watcher.h"
#include "support/error.h"
#include "treadle/treadle.h"

#include <optional>
#include <string>

namespace treadle::capi {

/// An error of the program that only the C API can make, with its status.
class ApiError : public Error {
public:
  ApiError(treadle_status status, const std::string &message, int32_t driverResult = 0)
      : Error(message), status(status), driverResult(driverResult) {}
  ~ApiError() override;
  const treadle_status status;
  const int32_t driverResult; ///< 0: none
};

[[noreturn]] void failArgument(const std::string &message);
[[noreturn]] void failNull(const char *name);
[[noreturn]] void failSize(const char *name, uint32_t given, size_t least);
[[noreturn]] void failHandle(const char *name, HandleValue value, HandleKind wanted);

/// Throws ApiError (ARGUMENT) for NULL.
template <typename T> T &required(T *pointer, const char *name) {
  if (!pointer) [[unlikely]]
    failNull(name);
  return *pointer;
}

/// Throws ApiError (ARGUMENT) if a nonempty range of host memory is NULL.
inline void checkHost(const void *memory, uint64_t bytes, const char *name) {
  if (!memory && bytes != 0) [[unlikely]]
    failNull(name);
}

/// The object of a handle, which stays alive until the call's Pin ends. Throws ApiError. `T::kind`: of its handles.
template <typename T> T &found(typename T::Handle handle, const char *name) {
  const auto value = reinterpret_cast<HandleValue>(handle);
  Object *const object = Handles::instance().find(T::kind, value);
  if (!object) [[unlikely]]
    failHandle(name, value, T::kind);
  return static_cast<T &>(*object);
}

/// A new handle to an object.
template <typename T> typename T::Handle handleOf(std::unique_ptr<T> object) {
  const HandleValue value = Handles::instance().add(T::kind, object.get());
  object.release();
  return reinterpret_cast<typename T::Handle>(value); // NOLINT(performance-no-int-to-ptr)
}

/// Another handle to an object that has some.
template <typename T> typename T::Handle handleOf(Ref<T> object) {
  const HandleValue value = Handles::instance().add(T::kind, &*object);
  object.give();
  return reinterpret_cast<typename T::Handle>(value); // NOLINT(performance-no-int-to-ptr)
}

template <typename T> void freeHandle(typename T::Handle handle, const char *name) {
  const auto value = reinterpret_cast<HandleValue>(handle);
  if (!Handles::instance().free(T::kind, value))
    failHandle(name, value, T::kind);
}

/// Records the exception that is being handled as the calling thread's last error.
treadle_status noteFailure(const char *function) noexcept;
/// The same without an exception: for a status that need not be a failure.
treadle_status noteStatus(const char *function, treadle_status status, const char *message) noexcept;

const char *lastErrorText();
int32_t lastDriverResult();

/// One API call. No exception leaves it.
template <typename Body> treadle_status call(const char *function, const Body &body) noexcept {
  try {
    const Pin pin;
    body();
    return TREADLE_OK;
  } catch (...) {
    return noteFailure(function);
  }
}

/// One that may block for long: `find` returns Refs, which keep objects alive without a Pin while `wait` runs.
template <typename Find, typename Wait>
treadle_status longCall(const char *function, const Find &find, const Wait &wait) noexcept {
  try {
    const auto kept = [&find] {
      const Pin pin;
      return find();
    }();
    wait(kept);
    return TREADLE_OK;
  } catch (...) {
    return noteFailure(function);
  }
}

/// A thread of a program without a language lock, which is never interrupted. What kernels print goes to stdout.
class HostThread final : public LaunchWatcher {
public:
  void onLongCall() override {}
  bool shouldContinue(Activity) noexcept override { return true; }
  void printed(std::string_view text) override;
};

} // namespace treadle::capi

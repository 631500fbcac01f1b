// JitLog: what the driver's compiler and linker say of code that they do not take.
#pragma once

#include "device/cuda/context.h"

#include <string>
#include <vector>

namespace treadle::cuda {

/// The options of cuModuleLoadDataEx and cuLinkCreate that give the driver a place for its errors. It must outlive the
/// link.
class JitLog {
public:
  JitLog();
  JitLog(const JitLog &) = delete;
  JitLog &operator=(const JitLog &) = delete;

  static constexpr unsigned count = 3;
  JitOption *options() { return names; }
  void **values() { return given; }
  /// Passes Success. Otherwise throws DeviceLost, or DeviceError with the log.
  void check(Context &context, Result result, const std::string &operation) const;

private:
  std::vector<char> text;
  JitOption names[count] = {JitOption::ErrorLogBuffer, JitOption::ErrorLogBufferBytes, JitOption::LogVerbose};
  void *given[count];
};

} // namespace treadle::cuda

// JitLog: options of the driver's compiler and linker, and their messages about rejected code.
#pragma once

#include "device/cuda/driver/context.h"

#include <string>
#include <string_view>
#include <vector>

namespace treadle::cuda {

/// Whether it is machine code rather than PTX.
bool isBinary(std::string_view code);

/// The options of cuModuleLoadDataEx and cuLinkCreate that give the driver a buffer for its errors, and make it keep
/// debugging and profiling information. Must outlive the link.
class JitLog {
public:
  /// `code`: PTX, or a binary, which is loaded unchanged.
  explicit JitLog(std::string_view code);
  JitLog(const JitLog &) = delete;
  JitLog &operator=(const JitLog &) = delete;

  unsigned count() const { return unsigned(names.size()); }
  JitOption *options() { return names.data(); }
  void **values() { return given.data(); }
  /// Passes Success. Otherwise throws DeviceLost, or DeviceError with the log.
  void check(Context &context, Result result, const std::string &operation) const;

private:
  void add(JitOption option, uintptr_t value);

  std::vector<char> text;
  std::vector<JitOption> names;
  std::vector<void *> given; ///< same length as `names`
};

} // namespace treadle::cuda

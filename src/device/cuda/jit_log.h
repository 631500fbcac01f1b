// JitLog: the options of the driver's compiler and linker, and what they say of code that they do not take.
#pragma once

#include "device/cuda/context.h"

#include <string>
#include <string_view>
#include <vector>

namespace treadle::cuda {

/// Whether it is machine code, not PTX.
bool isBinary(std::string_view code);

/// The options of cuModuleLoadDataEx and cuLinkCreate that give the driver a place for its errors, and make it keep
/// what a text tells debuggers and profilers. It must outlive the link.
class JitLog {
public:
  /// `code`: PTX, or a binary, which is as it is.
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
  std::vector<void *> given; ///< as long as `names`
};

} // namespace treadle::cuda

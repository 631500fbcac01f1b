// The log's buffer, and errors with what is in it.
#include "device/cuda/jit_log.h"

#include "support/error.h"
#include "support/settings.h"

#include <algorithm>

namespace treadle::cuda {

JitLog::JitLog()
    : text(size_t(std::max<int64_t>(settingInteger(Setting::CudaLogBytes), 0)) + 1),
      given{text.data(), reinterpret_cast<void *>(text.size() - 1),
            reinterpret_cast<void *>(settingInteger(Setting::CudaVerboseLog) != 0)} {}

void JitLog::check(Context &context, Result result, const std::string &operation) const {
  if (result == Result::Success)
    return;
  context.note(result, operation);
  context.checkAlive();
  std::string said(text.data());
  while (!said.empty() && (said.back() == '\n' || said.back() == ' '))
    said.pop_back();
  const std::string remedy =
      result == Result::UnsupportedPtxVersion ? "; the driver is older than the code: install a newer one" : "";
  throw DeviceError(operation, CudaResult(result),
                    context.driver.describe(result) + remedy + (said.empty() ? "" : ": " + said));
}

} // namespace treadle::cuda

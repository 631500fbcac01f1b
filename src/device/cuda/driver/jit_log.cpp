// The log's buffer, and errors with its content.
#include "device/cuda/driver/jit_log.h"

#include "support/error.h"
#include "support/settings.h"

#include <algorithm>

namespace treadle::cuda {

namespace {

/// The `.target` directive of PTX says whether it has debug sections.
bool hasDebugSections(std::string_view code) {
  const size_t target = code.find("\n.target ");
  const std::string_view line =
      target == code.npos ? "" : code.substr(target + 1, code.find('\n', target + 1) - target);
  return line.find("debug") != line.npos;
}

} // namespace

bool isBinary(std::string_view code) { return code.starts_with("\177ELF"); }

JitLog::JitLog(std::string_view code) : text(size_t(std::max<int64_t>(settingInteger(Setting::CudaLogBytes), 0)) + 1) {
  add(JitOption::ErrorLogBuffer, reinterpret_cast<uintptr_t>(text.data()));
  add(JitOption::ErrorLogBufferBytes, text.size() - 1);
  add(JitOption::LogVerbose, settingInteger(Setting::CudaVerboseLog) != 0);
  if (isBinary(code))
    return;
  if (hasDebugSections(code))
    add(JitOption::DebugInfo, 1);
  if (code.find("\n\t.loc\t") != code.npos)
    add(JitOption::LineInfo, 1);
}

void JitLog::add(JitOption option, uintptr_t value) {
  names.push_back(option);
  given.push_back(reinterpret_cast<void *>(value)); // NOLINT(performance-no-int-to-ptr)
}

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

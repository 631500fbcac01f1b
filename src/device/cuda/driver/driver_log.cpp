// Wrappers of the driver's functions.
#include "device/cuda/driver/driver_log.h"

#include "support/settings.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <fmt/core.h>
#include <string>
#include <type_traits>

namespace treadle::cuda {

namespace {

/// The original functions, and the start time of the log. Lives as long as the process: threads call the driver until
/// the end.
struct DriverLog {
  DriverTable driver;
  std::chrono::steady_clock::time_point start;
  bool hasArguments;

  static DriverLog *&instance() {
    static DriverLog *log = nullptr;
    return log;
  }
};

template <typename Value> std::string textOf(Value value) {
  char text[32];
  if constexpr (std::is_pointer_v<Value>)
    std::snprintf(text, sizeof text, "%p", reinterpret_cast<const void *>(value));
  else if constexpr (std::is_same_v<Value, IpcHandle>)
    return "64 bytes";
  else
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(value));
  return text;
}

/// One write per line, so that the lines of several threads do not interleave.
void write(const char *symbol, const std::string &arguments) {
  const auto since = std::chrono::steady_clock::now() - DriverLog::instance()->start;
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
  const std::string line =
      fmt::format("== CUDA [{}] DEBUG -- call driver api: {}{}\n", milliseconds, symbol, arguments);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

template <auto Member, const char *Symbol> struct Logged;
template <typename... Arguments, Result (*DriverTable::*Member)(Arguments...), const char *Symbol>
struct Logged<Member, Symbol> {
  static Result call(Arguments... arguments) {
    const DriverLog &log = *DriverLog::instance();
    std::string text;
    if (log.hasArguments) {
      ((text += (text.empty() ? "(" : ", ") + textOf(arguments)), ...);
      text += text.empty() ? "()" : ")";
    }
    write(Symbol, text);
    return (log.driver.*Member)(arguments...);
  }
};

// Strings with static storage can be template arguments.
#define TREADLE_SYMBOL(member, symbol, version, parameters) constexpr char member##Symbol[] = symbol;
TREADLE_DRIVER_FUNCTIONS(TREADLE_SYMBOL)
#undef TREADLE_SYMBOL

} // namespace

void logCalls(DriverTable &table) {
  std::string level = settingText(Setting::CudaLog);
  std::ranges::transform(level, level.begin(), [](unsigned char c) { return char(std::toupper(c)); });
  if (level != "DEBUG")
    return;
  DriverLog::instance() =
      new DriverLog{table, std::chrono::steady_clock::now(), settingInteger(Setting::CudaLogArguments) != 0};
#define TREADLE_LOG(member, symbol, version, parameters)                                                               \
  table.member = &Logged<&DriverTable::member, member##Symbol>::call;
  TREADLE_DRIVER_FUNCTIONS(TREADLE_LOG)
#undef TREADLE_LOG
}

} // namespace treadle::cuda

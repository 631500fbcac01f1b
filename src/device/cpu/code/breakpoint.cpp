// breakpoint() in a kernel on the CPU.
#include "border/kernel_abi.h"

#include <fstream>
#include <string>

namespace treadle::cpu {

namespace {

/// Whether this process is being traced. Checked each time, as debuggers attach and detach.
bool hasDebugger() {
  std::ifstream status("/proc/self/status");
  const std::string key = "TracerPid:";
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key))
      return line.find_first_of("123456789", key.size()) != line.npos;
  return false;
}

} // namespace

} // namespace treadle::cpu

/// Without a debugger the signal would kill the process. An int3 instruction, as threads of the runtime block signals
/// sent to them.
extern "C" void treadle_cpu_breakpoint() {
  if (treadle::cpu::hasDebugger())
    asm volatile("int3");
}

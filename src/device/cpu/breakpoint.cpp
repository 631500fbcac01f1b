// What breakpoint() in a kernel does on the CPU.
#include "border/kernel_abi.h"

#include <fstream>
#include <string>

namespace treadle::cpu {

/// Whether some process traces this one. Asked each time, as debuggers come and go.
static bool hasDebugger() {
  std::ifstream status("/proc/self/status");
  const std::string key = "TracerPid:";
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key))
      return line.find_first_of("123456789", key.size()) != line.npos;
  return false;
}

} // namespace treadle::cpu

/// Without a debugger the signal would end the process. An instruction, as threads of the runtime block signals that
/// are sent to them.
extern "C" void treadle_cpu_breakpoint() {
  if (treadle::cpu::hasDebugger())
    asm volatile("int3");
}

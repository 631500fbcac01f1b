// Reads the memory figures of the operating system.
#include "device/cpu/threads/machine_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace treadle::cpu {

namespace {

constexpr size_t unlimited = std::numeric_limits<size_t>::max();

/// MemAvailable: what programs can use without swapping.
size_t availableMemory() {
  std::ifstream file("/proc/meminfo");
  for (std::string name; file >> name;) {
    size_t kibibytes = 0;
    if (name == "MemAvailable:" && file >> kibibytes)
      return kibibytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return unlimited;
}

/// The file contains a number, or "max".
size_t limitIn(const char *path) {
  std::ifstream file(path);
  size_t bytes = 0;
  return file >> bytes ? bytes : unlimited;
}

} // namespace

size_t machineMemory() {
  const size_t found = std::min({availableMemory(), limitIn("/sys/fs/cgroup/memory.max"),
                                 limitIn("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
  constexpr size_t guess = size_t(4) << 30;
  return found == unlimited ? guess : found;
}

} // namespace treadle::cpu

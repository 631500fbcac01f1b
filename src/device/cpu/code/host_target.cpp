// Reads the settings of the CPU device's code.
#include "device/cpu/code/host_target.h"

#include "border/target.h"
#include "device/cpu/code/cpu_features.h"
#include "support/error.h"
#include "support/settings.h"

#include <algorithm>
#include <fmt/core.h>
#include <unistd.h>

namespace treadle::cpu {

namespace {

/// The size from which an array is likely evicted from the caches before it is read: half of the last level.
uint64_t largeArrayBytes() {
  const long lastLevel = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return std::max<uint64_t>(lastLevel > 0 ? uint64_t(lastLevel) / 2 : 0, Target().largeArrayBytes);
}

unsigned lanesWanted() {
  const int64_t lanes = settingInteger(Setting::CpuLanes);
  if (lanes != 0 && lanes != 16 && lanes != 32)
    throw UsageError(UsageError::Kind::Value,
                     fmt::format("TREADLE_CPU_LANES is {}; it must be 16 or 32, or 0 for a choice by kernel", lanes));
  return unsigned(lanes);
}

} // namespace

Target hostTarget(const std::function<std::string(const std::string &here)> &choose) {
  Target target;
  target.kind = Target::Kind::Cpu;
  const bool isChosen = !settingText(Setting::CpuFeatures).empty() || !settingText(Setting::CpuName).empty();
  target.features = isChosen ? choose(hostFeatures()) : hostFeatures();
  target.largeArrayBytes = largeArrayBytes();
  target.lanes = lanesWanted();
  return target;
}

} // namespace treadle::cpu

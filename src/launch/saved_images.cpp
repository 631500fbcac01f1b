// The names of targets, and the checks of kernels that are saved.
#include "launch/saved_images.h"

#include "runtime/runtime.h"
#include "support/error.h"

#include <charconv>

namespace treadle {

namespace {

constexpr std::string_view processorPrefix = "cpu:", capabilityPrefix = "sm_";

Target processor(const std::string &name) {
  Target target;
  target.kind = Target::Kind::Cpu;
  target.features = compiler().processorFeatures(name, "the processor of a target");
  return target;
}

[[noreturn]] void failTarget(const std::string &name) {
  throw UsageError(UsageError::Kind::Value, "there is no target '" + name +
                                                "'; there are cpu, cpu:native, cpu:x86-64-v3 and other processors as "
                                                "LLVM names them, and GPUs by their compute capability, such as sm_80");
}

} // namespace

std::vector<Target> targetsNamed(const std::string &name) {
  if (name == "cpu")
    return {processor("x86-64-v2"), processor("x86-64-v3"), processor("x86-64-v4")};
  if (name == "cpu:native")
    return {cpuTarget()};
  if (name.starts_with(processorPrefix))
    return {processor(name.substr(processorPrefix.size()))};
  if (!name.starts_with(capabilityPrefix))
    failTarget(name);
  Target target;
  target.kind = Target::Kind::Ptx;
  const char *const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + capabilityPrefix.size(), end, target.computeCapability);
  if (error != std::errc() || rest != end)
    failTarget(name);
  return {target};
}

void checkSavable(const Image &image, const std::string &kernel) {
  for (const CapturedDeviceArray &array : image.captured)
    if (!array.name.empty())
      throw UsageError(UsageError::Kind::Value, kernel + " has captured the device array '" + array.name +
                                                    "', which only this process has: make it a parameter");
}

} // namespace treadle

// Records: calls, violations, faults to inject.
#include "ledger.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace fakecuda {

namespace {
/// Beyond it only counts grow: 10^6 launches must not exhaust the machine's memory.
constexpr size_t maxCalls = 400000;

void setListed(Ledger &ledger, const char *rules, bool on) {
  while (rules && *rules) {
    const size_t length = std::strcspn(rules, ",");
    const Rule rule = ruleNamed(rules, length);
    if (rule != Rule::Count)
      ledger.set(rule, on);
    rules += length + (rules[length] == ',');
  }
}
} // namespace

void Ledger::configure(bool abortOnViolation) {
  *this = Ledger();
  aborts = abortOnViolation;
  for (size_t rule = 0; rule < static_cast<size_t>(Rule::Count); ++rule)
    off[rule] = isOptional(static_cast<Rule>(rule));
  setListed(*this, std::getenv("FAKE_CUDA_ALLOW"), false);
  setListed(*this, std::getenv("FAKE_CUDA_REQUIRE"), true);
}

size_t Ledger::begin(CallEntry entry) {
  auto count = counts.find(std::string_view(entry.name));
  if (count == counts.end())
    count = counts.emplace(entry.name, 0).first;
  ++count->second;
  if (calls.size() < maxCalls)
    calls.push_back(std::move(entry));
  return calls.size() - 1;
}

void Ledger::violate(Rule rule, std::string text, std::string call) {
  if (!isOn(rule))
    return;
  if (aborts)
    std::fprintf(stderr, "fakecuda: %s: %s (in %s)\n", ruleName(rule), text.c_str(), call.c_str());
  violations.push_back({rule, std::move(text), std::move(call)});
  if (aborts)
    std::abort();
}

void Ledger::inject(const FakeCudaFault &fault) {
  faults.push_back({fault.function, fault});
  faults.back().what.nth = fault.nth ? fault.nth : 1;
}

std::optional<FakeCudaFault> Ledger::takeFault(const char *name) {
  std::optional<FakeCudaFault> due;
  std::erase_if(faults, [&](Fault &fault) {
    if (due || (fault.function != "*" && fault.function != name) || --fault.what.nth)
      return false;
    due = fault.what;
    due->function = name;
    return true;
  });
  faultsHappened += due.has_value();
  return due;
}

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string describe(std::initializer_list<Argument> arguments) {
  std::string text;
  for (const Argument &argument : arguments) {
    if (!text.empty())
      text += ' ';
    text += argument.name;
    text += '=';
    text += argument.value >> 32 ? hex(argument.value) : std::to_string(argument.value);
  }
  return text;
}

std::vector<CUresult> plausibleErrors(std::string_view name) {
  const auto has = [&](const char *part) { return name.find(part) != name.npos; };
  if (name == "cuGetErrorName" || name == "cuGetErrorString" || name == "cuGetProcAddress")
    return {};
  if (name == "cuInit")
    return {CUDA_ERROR_NO_DEVICE, CUDA_ERROR_SYSTEM_NOT_READY, CUDA_ERROR_UNKNOWN};
  if (name.starts_with("cuDeviceGet") || name == "cuDeviceTotalMem" || name == "cuDriverGetVersion")
    return {CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_UNKNOWN};
  if (has("Alloc") || has("HostRegister") || name == "cuCtxCreate" || has("CtxRetain") || name == "cuGraphInstantiate")
    return {CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_LAUNCH_FAILED};
  if (has("ModuleLoad"))
    return {CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_INVALID_PTX, CUDA_ERROR_NO_BINARY_FOR_GPU};
  if (has("Launch"))
    return {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_ILLEGAL_ADDRESS};
  if (has("Create"))
    return {CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_UNKNOWN};
  if (has("Destroy") || has("Free") || has("Unload") || has("Unregister") || has("Synchronize") || has("Query"))
    return {CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_ILLEGAL_ADDRESS};
  return {CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_UNKNOWN};
}

} // namespace fakecuda

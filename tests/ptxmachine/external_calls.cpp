// Arguments and results of external calls; the heap of threads.
#include "external_calls.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ptxmachine {

ExternalCall findExternal(std::string_view name) {
  if (name == "vprintf")
    return printFormatted;
  if (name == "__assertfail")
    return failAssertion;
  if (name == "malloc")
    return allocateMemory;
  return name == "free" ? freeMemory : nullptr;
}

uint64_t argumentOf(const Step &s, const CallSite &site, size_t at, unsigned lane) {
  uint64_t value = 0;
  std::memcpy(&value, s.frame.params.of(lane) + site.arguments[at].offset,
              std::min<size_t>(site.arguments[at].bytes, 8));
  return value;
}

void giveResult(Step &s, const CallSite &site, unsigned lane, const void *value, size_t bytes) {
  if (site.results.empty())
    return;
  std::memcpy(s.frame.params.of(lane) + site.results[0].offset, value, bytes);
  s.frame.params.mark(lane, site.results[0].offset, bytes, true);
}

void allocateMemory(Step &s, const CallSite &site) {
  forLanes(s.mask, [&](unsigned lane) {
    const uint64_t address = s.warp.launch().memory.allocate(argumentOf(s, site, 0, lane));
    giveResult(s, site, lane, &address, sizeof address);
  });
}

void freeMemory(Step &s, const CallSite &site) {
  forLanes(s.mask, [&](unsigned lane) {
    const uint64_t address = argumentOf(s, site, 0, lane);
    if (address && !s.warp.launch().memory.release(address))
      throw Fault(FaultKind::Freed, "free() of an address that malloc() has not given, or that is free already",
                  static_cast<int>(lane));
  });
}

} // namespace ptxmachine

// The stand-in's own functions.
#include "driver.h"
#include "pools.h"

#include <algorithm>
#include <cstdlib>

using namespace fakecuda;

namespace {

long long environment(const char *name, long long otherwise) {
  const char *text = std::getenv(name);
  return text && *text ? std::strtoll(text, nullptr, 0) : otherwise;
}

/// Calls and violations are read while other threads may add to them.
std::unique_lock<std::mutex> locked() { return std::unique_lock(driver().mutex); }

bool isDefaultPool(const Object &object) {
  return object.kind == Kind::Pool && static_cast<const Pool &>(object).isDefault;
}

std::vector<FakeCudaLive> liveThings(const char *kind) {
  std::vector<FakeCudaLive> result;
  const auto add = [&](const char *name, uint64_t handle, size_t bytes, const std::string &madeBy) {
    if (!kind || std::string_view(kind) == name)
      result.push_back({name, handle, bytes, madeBy.c_str()});
  };
  for (const auto &[value, object] : driver().objects())
    if (object->alive() && object->kind != Kind::Function && !isDefaultPool(*object))
      add(kindName(object->kind), value, 0, object->madeBy);
  for (const auto &[address, allocation] : driver().memory.all())
    if (allocation->kind != MemoryKind::Global)
      add(memoryKindName(allocation->kind), address, allocation->bytes, allocation->madeBy);
  std::sort(result.begin(), result.end(), [](const auto &a, const auto &b) { return a.handle < b.handle; });
  return result;
}

struct RecordedCall {
  std::string name;
  uint64_t nth;
};

/// The calls since `from`, each with its index among the calls of that name.
std::vector<RecordedCall> recordedCalls(size_t from) {
  std::vector<RecordedCall> result;
  std::map<std::string, uint64_t> counts;
  const auto &calls = driver().ledger.calls;
  for (size_t at = from; at < calls.size(); ++at)
    result.push_back({calls[at].name, ++counts[calls[at].name]});
  return result;
}

} // namespace

extern "C" {

void fakeCudaDefaults(FakeCudaConfig *config) {
  *config = {};
  config->deviceCount = static_cast<int>(environment("FAKE_CUDA_DEVICES", 1));
  config->computeCapability = static_cast<int>(environment("FAKE_CUDA_CAPABILITY", 89));
  config->memoryBytes = static_cast<size_t>(environment("FAKE_CUDA_MEMORY", 1ll << 30));
  config->driverVersion = static_cast<int>(environment("FAKE_CUDA_VERSION", 12090));
  config->kernelMs = static_cast<int>(environment("FAKE_CUDA_KERNEL_MS", 60000));
  config->kernelRaces = environment("FAKE_CUDA_KERNEL_RACES", 1) != 0;
  config->seed = static_cast<uint64_t>(environment("FAKE_CUDA_SEED", 1));
  config->eagerness = static_cast<int>(environment("FAKE_CUDA_EAGERNESS", 0));
  config->queryPatience = static_cast<int>(environment("FAKE_CUDA_QUERIES", 2));
  config->queueDepth = static_cast<int>(environment("FAKE_CUDA_QUEUE", 1024));
  config->patienceMs = static_cast<int>(environment("FAKE_CUDA_PATIENCE_MS", 0));
  config->hangMs = static_cast<int>(environment("FAKE_CUDA_HANG_MS", 10000));
  config->abortOnViolation = static_cast<int>(environment("FAKE_CUDA_ABORT", 1));
  config->hostClock = static_cast<int>(environment("FAKE_CUDA_HOST_CLOCK", 0));
  config->reuse = static_cast<int>(environment("FAKE_CUDA_REUSE", 0));
  config->concurrentManagedAccess = static_cast<int>(environment("FAKE_CUDA_CONCURRENT_MANAGED", 1));
  config->peerAccess = static_cast<int>(environment("FAKE_CUDA_PEERS", 1));
  config->multiprocessors = static_cast<int>(environment("FAKE_CUDA_MULTIPROCESSORS", 4));
}

void fakeCudaReset(const FakeCudaConfig *config) {
  const auto lock = locked();
  FakeCudaConfig defaults;
  fakeCudaDefaults(&defaults);
  driver().reset(config ? *config : defaults);
}

size_t fakeCudaCallCount(void) {
  const auto lock = locked();
  return driver().ledger.calls.size();
}

int fakeCudaCallAt(size_t index, FakeCudaCall *call) {
  const auto lock = locked();
  const auto &calls = driver().ledger.calls;
  if (index >= calls.size())
    return 0;
  const CallEntry &entry = calls[index];
  *call = {entry.name, entry.arguments.c_str(), entry.result, entry.thread, entry.perThread};
  return 1;
}

size_t fakeCudaCallsOf(const char *function) {
  const auto lock = locked();
  const auto found = driver().ledger.counts.find(std::string_view(function));
  return found == driver().ledger.counts.end() ? 0 : found->second;
}

void fakeCudaClearTrace(void) {
  const auto lock = locked();
  driver().ledger.calls.clear();
  driver().ledger.counts.clear();
}

size_t fakeCudaViolationCount(void) {
  const auto lock = locked();
  return driver().ledger.violations.size();
}

int fakeCudaViolationAt(size_t index, FakeCudaViolation *violation) {
  const auto lock = locked();
  const auto &violations = driver().ledger.violations;
  if (index >= violations.size())
    return 0;
  const ViolationEntry &entry = violations[index];
  *violation = {ruleName(entry.rule), entry.text.c_str(), entry.call.c_str()};
  return 1;
}

void fakeCudaClearViolations(void) {
  const auto lock = locked();
  driver().ledger.violations.clear();
}

int fakeCudaSetRule(const char *rule, int enabled) {
  const auto lock = locked();
  const Rule found = ruleNamed(rule, std::string_view(rule).size());
  if (found == Rule::Count)
    return 0;
  driver().ledger.set(found, enabled);
  return 1;
}

const char *fakeCudaRuleName(size_t index) { return ruleName(static_cast<Rule>(std::min<size_t>(index, 255))); }

void fakeCudaInjectFault(const FakeCudaFault *fault) {
  const auto lock = locked();
  driver().ledger.inject(*fault);
}

void fakeCudaClearFaults(void) {
  const auto lock = locked();
  driver().ledger.clearFaults();
}

size_t fakeCudaFaultsHappened(void) {
  const auto lock = locked();
  return driver().ledger.faultsHappened;
}

size_t fakeCudaFailedFrees(void) {
  const auto lock = locked();
  return driver().ledger.failedFrees;
}

size_t fakeCudaPlausibleErrors(const char *function, CUresult *results, size_t capacity) {
  const std::vector<CUresult> errors = plausibleErrors(function);
  std::copy_n(errors.begin(), std::min(capacity, errors.size()), results);
  return errors.size();
}

size_t fakeCudaForEachFault(void (*scenario)(void *), void (*prepare)(void *, const FakeCudaFault *),
                            void (*check)(void *, const FakeCudaFault *), void *data) {
  if (prepare)
    prepare(data, nullptr);
  const size_t from = fakeCudaCallCount();
  scenario(data);
  const std::vector<RecordedCall> calls = recordedCalls(from);
  size_t places = 0;
  for (const RecordedCall &call : calls)
    for (const CUresult result : plausibleErrors(call.name)) {
      const FakeCudaFault fault{call.name.c_str(), call.nth, result, FAKE_CUDA_FAULT_PLAIN};
      ++places;
      if (prepare)
        prepare(data, &fault);
      fakeCudaInjectFault(&fault);
      scenario(data);
      fakeCudaClearFaults();
      if (check)
        check(data, &fault);
    }
  return places;
}

size_t fakeCudaLiveCount(const char *kind) {
  const auto lock = locked();
  return liveThings(kind).size();
}

int fakeCudaLiveAt(size_t index, FakeCudaLive *live) {
  const auto lock = locked();
  const std::vector<FakeCudaLive> things = liveThings(nullptr);
  if (index >= things.size())
    return 0;
  *live = things[index];
  return 1;
}

size_t fakeCudaPending(void) {
  const auto lock = locked();
  return driver().pendingCount();
}

size_t fakeCudaStep(size_t count) {
  const auto lock = locked();
  return driver().step(count);
}

int fakeCudaRanAt(size_t index, const char **what) {
  const auto lock = locked();
  if (index >= driver().ran.size())
    return 0;
  *what = driver().ran[index].c_str();
  return 1;
}

const char *fakeCudaLostBy(void) {
  const auto lock = locked();
  const std::shared_ptr<Context> context = driver().currentContext();
  return context && context->lost != CUDA_SUCCESS ? context->lostBy.c_str() : nullptr;
}

void fakeCudaHostAccess(const void *pointer, size_t bytes, int write) {
  const auto lock = locked();
  Driver &d = driver();
  const Access access{reinterpret_cast<uint64_t>(pointer), bytes, write ? AccessKind::Write : AccessKind::Read};
  const std::shared_ptr<Allocation> allocation = d.memory.find(access.address);
  if (!allocation)
    return;
  for (const PastAccess &past : allocation->history) {
    const bool apart =
        past.access.address >= access.address + bytes || access.address >= past.access.address + past.access.bytes;
    const bool harmless = !write && past.access.kind == AccessKind::Read;
    if (!apart && !harmless && !d.hostClock.covers(past.stream, past.tick))
      d.violate(Rule::HostRace,
                std::string("the host ") + (write ? "writes" : "reads") + " bytes that " + *past.what +
                    " uses, without having waited for it",
                CUDA_SUCCESS);
  }
}

void *fakeCudaPeek(CUdeviceptr pointer) {
  const auto lock = locked();
  const std::shared_ptr<Allocation> allocation = driver().memory.find(pointer);
  return allocation ? allocation->view + (pointer - allocation->address) : nullptr;
}

} // extern "C"

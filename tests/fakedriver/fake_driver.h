// The stand-in's own functions: reset, configuration, the trace of calls, violations, faults, progress.
#pragma once

#include "cuda_driver_api.h"

extern "C" {

/// The argument of fakeCudaReset. Zero and negative values mean what each comment says; fakeCudaDefaults fills it from
/// the environment.
typedef struct FakeCudaConfig {
  int deviceCount;
  int computeCapability; ///< 89 for 8.9
  size_t memoryBytes;    ///< per device
  int driverVersion;     ///< 12090 for 12.9
  uint64_t seed;         ///< determines the order of unordered work
  int eagerness;         ///< percent chance, at each step that runs something, that work not waited for runs as well
  int queryPatience;     ///< queries of unfinished work that return "not ready" before it runs
  int queueDepth;        ///< pending pieces of one stream at which the next call blocks until the first has run
  int patienceMs;        ///< milliseconds without a call after which work runs on its own; 0: never
  int hangMs;            ///< milliseconds that forced work may wait for a flag in memory
  int abortOnViolation;
  int reuse;                   ///< freed addresses and destroyed handles are reused at once
  int hostClock;               ///< events have the times at which they ran, not those of the work before them
  int concurrentManagedAccess; ///< 0: managed memory is inaccessible to the host while work is in flight
  int kernelMs;                ///< milliseconds that a kernel may run on the machine before it counts as hanging
  int kernelRaces;             ///< 0: races within kernels are not looked for, which doubles their speed
  int peerAccess;              ///< whether devices can access each other
  int multiprocessors;         ///< of each device
} FakeCudaConfig;

typedef struct FakeCudaCall {
  const char *name; ///< without version suffix
  const char *arguments;
  CUresult result;
  uint64_t thread; ///< a small number
  int perThread;   ///< called as _ptsz or _ptds
} FakeCudaCall;

typedef struct FakeCudaViolation {
  const char *rule;
  const char *text;
  const char *call; ///< the function in which it was detected
} FakeCudaViolation;

typedef struct FakeCudaLive {
  const char *kind; ///< context, stream, event, module, graph, graph-exec, link, pool, device, async, managed, pinned,
                    ///< registered
  uint64_t handle;
  size_t bytes;
  const char *madeBy; ///< call, its index in the trace, its arguments
} FakeCudaLive;

typedef enum FakeCudaFaultMode {
  FAKE_CUDA_FAULT_PLAIN = 0, ///< this call fails, nothing else
  FAKE_CUDA_FAULT_STICKY =
      1, ///< the context is lost: every later call fails the same way until it is reset or destroyed
  FAKE_CUDA_FAULT_ASYNC = 2, ///< the call succeeds; its work fails when it runs, and the context is lost then
} FakeCudaFaultMode;

typedef struct FakeCudaFault {
  const char *function; ///< without version suffix; "*": any
  uint64_t nth;         ///< 1: the next call of it
  CUresult result;
  FakeCudaFaultMode mode;
} FakeCudaFault;

#pragma GCC visibility push(default)

void fakeCudaDefaults(FakeCudaConfig *config);
/// Restores the state of a new process: nothing initialised, no handle valid, trace and counts empty. Null: the
/// defaults. Invalidates memory handed out before. No thread may be inside a driver call.
void fakeCudaReset(const FakeCudaConfig *config);

size_t fakeCudaCallCount(void);
/// An entry of the trace; false past its end. Strings live until the reset.
int fakeCudaCallAt(size_t index, FakeCudaCall *call);
size_t fakeCudaCallsOf(const char *function);
void fakeCudaClearTrace(void);

size_t fakeCudaViolationCount(void);
int fakeCudaViolationAt(size_t index, FakeCudaViolation *violation);
void fakeCudaClearViolations(void);
/// All rules are on except those that rules.h calls optional. A disabled rule does not change what calls return. False
/// if there is no such rule. Lasts until the reset; use FAKE_CUDA_ALLOW=rule,rule for longer.
int fakeCudaSetRule(const char *rule, int enabled);
/// The name of the rule with this index, or null.
const char *fakeCudaRuleName(size_t index);

/// Counted from now. Several may be pending; each occurs once.
void fakeCudaInjectFault(const FakeCudaFault *fault);
void fakeCudaClearFaults(void);
/// Number of injected faults that have occurred.
size_t fakeCudaFaultsHappened(void);
/// Destroying or freeing calls that an injected fault made fail: the object stays alive.
size_t fakeCudaFailedFrees(void);
/// Writes up to `capacity` results with which the function may plausibly fail; returns how many there are.
size_t fakeCudaPlausibleErrors(const char *function, CUresult *results, size_t capacity);
/// Runs the scenario once to record its calls, then once for each call and each plausible error of it, injecting that
/// fault. `prepare` is called before each run (with null before the first), `check` after each run with a fault.
/// Returns the number of runs with a fault. All but the scenario may be null.
size_t fakeCudaForEachFault(void (*scenario)(void *), void (*prepare)(void *, const FakeCudaFault *),
                            void (*check)(void *, const FakeCudaFault *), void *data);

size_t fakeCudaLiveCount(const char *kind); ///< null: of all kinds
int fakeCudaLiveAt(size_t index, FakeCudaLive *live);

/// Number of pending pieces of work.
size_t fakeCudaPending(void);
/// Runs up to `count` ready pieces, in seeded order. Returns how many it ran.
size_t fakeCudaStep(size_t count);
/// The names of what has run so far, in order: "fill", "copy", ...; false past the end.
int fakeCudaRanAt(size_t index, const char **what);
/// What made the current thread's context lost, or null.
const char *fakeCudaLostBy(void);

/// Declares that the host is about to read or write these bytes: violates `host-race` unless all work on them is known
/// to have finished.
void fakeCudaHostAccess(const void *pointer, size_t bytes, int write);
/// The bytes of device memory, for inspection without any synchronisation; null if there are none.
void *fakeCudaPeek(CUdeviceptr pointer);
/// Instructions that the machine has run, each counted once for every thread that it ran for.
uint64_t fakeCudaThreadInstructions(void);
/// The pattern and the operands of a row of the machine's instructions (ptxmachine/row.h); false past the end.
int fakeCudaPtxRow(size_t index, const char **pattern, const char **operands);
/// Whether the machine has an instruction with this opcode: a row may refuse some of its spellings.
int fakeCudaKnowsPtx(const char *opcode);

#pragma GCC visibility pop

} // extern "C"

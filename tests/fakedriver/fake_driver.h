// The stand-in's own functions: a fresh driver, its configuration, what was called, what was broken, faults, progress.
#pragma once

#include "cuda_driver_api.h"

extern "C" {

/// What fakeCudaReset takes. Zero or negative as said beside each; fakeCudaDefaults fills it from the environment.
typedef struct FakeCudaConfig {
  int deviceCount;
  int computeCapability; ///< 89 for 8.9
  size_t memoryBytes;    ///< of each device
  int driverVersion;     ///< 12090 for 12.9
  uint64_t seed;         ///< order among unordered work
  int eagerness;         ///< percent chance that work nobody asked for runs as well, at each step that runs something
  int queryPatience;     ///< queries of unfinished work that say "not ready" before it runs
  int queueDepth;        ///< pending pieces of one stream at which the next call blocks until the first has run
  int patienceMs;        ///< milliseconds without a call after which work runs by itself; 0: never
  int hangMs;            ///< milliseconds that forced work may wait for a flag in memory
  int abortOnViolation;
  int reuse;                   ///< freed addresses and destroyed handles come back at once
  int concurrentManagedAccess; ///< 0: managed memory is unreadable on the host while work is in flight
  int peerAccess;              ///< whether devices can reach each other
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
  const char *call; ///< in which function it was found
} FakeCudaViolation;

typedef struct FakeCudaLive {
  const char *kind; ///< context, stream, event, module, graph, graph-exec, device, async, managed, pinned, registered
  uint64_t handle;
  size_t bytes;
  const char *madeBy; ///< call, its number in the trace, its arguments
} FakeCudaLive;

typedef enum FakeCudaFaultMode {
  FAKE_CUDA_FAULT_PLAIN = 0,  ///< this call fails, nothing else
  FAKE_CUDA_FAULT_STICKY = 1, ///< the context is lost: every later call fails so until it is reset or destroyed
  FAKE_CUDA_FAULT_ASYNC = 2,  ///< the call succeeds; its work fails when it runs, and the context is lost then
} FakeCudaFaultMode;

typedef struct FakeCudaFault {
  const char *function; ///< without version suffix; "*": any
  uint64_t nth;         ///< 1: the next call of it
  CUresult result;
  FakeCudaFaultMode mode;
} FakeCudaFault;

#pragma GCC visibility push(default)

void fakeCudaDefaults(FakeCudaConfig *config);
/// A driver as in a new process: nothing initialised, no handle valid, trace and counts empty. Null: the defaults.
/// Memory that was handed out before is gone. Nothing may be inside a driver call.
void fakeCudaReset(const FakeCudaConfig *config);

size_t fakeCudaCallCount(void);
/// Of the trace; false past its end. Strings live until the reset.
int fakeCudaCallAt(size_t index, FakeCudaCall *call);
size_t fakeCudaCallsOf(const char *function);
void fakeCudaClearTrace(void);

size_t fakeCudaViolationCount(void);
int fakeCudaViolationAt(size_t index, FakeCudaViolation *violation);
void fakeCudaClearViolations(void);
/// All rules are on but those that rules.h calls optional. With a rule off, calls return what they return anyway.
/// False if there is no such rule. Lasts until the reset; FAKE_CUDA_ALLOW=rule,rule for longer.
int fakeCudaSetRule(const char *rule, int enabled);
/// The index-th rule's name, or null.
const char *fakeCudaRuleName(size_t index);

/// Counted from now. Several may wait; each happens once.
void fakeCudaInjectFault(const FakeCudaFault *fault);
void fakeCudaClearFaults(void);
/// Injected faults that have happened.
size_t fakeCudaFaultsHappened(void);
/// Destroying or freeing calls that an injected fault made fail: what they named lives on.
size_t fakeCudaFailedFrees(void);
/// Writes up to `capacity` results which the function may plausibly fail with; returns how many there are.
size_t fakeCudaPlausibleErrors(const char *function, CUresult *results, size_t capacity);
/// Runs the scenario once to record its calls, then once for every call and plausible error of it with that fault
/// injected. `prepare` comes before each run (with null before the first), `check` after each run with a fault.
/// Returns the number of places (calls times errors). All may be null but the scenario.
size_t fakeCudaForEachFault(void (*scenario)(void *), void (*prepare)(void *, const FakeCudaFault *),
                            void (*check)(void *, const FakeCudaFault *), void *data);

size_t fakeCudaLiveCount(const char *kind); ///< null: of all kinds
int fakeCudaLiveAt(size_t index, FakeCudaLive *live);

/// Pieces of work that have not run.
size_t fakeCudaPending(void);
/// Runs up to `count` pieces that may run, in seeded order. Returns how many did.
size_t fakeCudaStep(size_t count);
/// The names of what has run so far, in order: "fill", "copy", ...; false past the end.
int fakeCudaRanAt(size_t index, const char **what);
/// What made the current thread's context lost, or null.
const char *fakeCudaLostBy(void);

/// The host is about to read or write these bytes: breaks `host-race` unless all work on them is known to be done.
void fakeCudaHostAccess(const void *pointer, size_t bytes, int write);
/// The bytes behind device memory, for looking at what has happened without any synchronisation; null if none.
void *fakeCudaPeek(CUdeviceptr pointer);

#pragma GCC visibility pop

} // extern "C"

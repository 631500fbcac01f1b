// The calling convention of generated CPU code, shared by codegen/cpu (which emits it) and device/cpu (which calls it).
#pragma once

#include "border/fault.h"

#include <cstddef>
#include <cstdint>

namespace treadle::cpu {

// Generated code builds and reads the structures below. A change of one requires changes to the assertions after it and
// to the code in codegen/cpu that names it.

/// A launch; constant while it runs.
struct LaunchGeometry {
  uint32_t gridDim[3];
  uint32_t blockDim[3];
  uint32_t dynamicSharedBytes;
  uint32_t clusterStride; ///< bytes from a block's shared memory to that of the next rank in its cluster
  /// 0 while the launch may continue. Generated code never writes it; workers stop between units once it is nonzero.
  const uint32_t *stop;
  uint32_t clusterDim[3]; ///< 1 without clusters
};
static_assert(sizeof(LaunchGeometry) == 56 && offsetof(LaunchGeometry, stop) == 32);

/// The indices of members of LaunchGeometry, read as 32-bit words; those of y and z follow that of x.
constexpr unsigned gridDimWord = 0, blockDimWord = 3, dynamicSharedWord = 6, clusterStrideWord = 7, clusterDimWord = 10;
static_assert(offsetof(LaunchGeometry, gridDim) == 4 * gridDimWord);
static_assert(offsetof(LaunchGeometry, blockDim) == 4 * blockDimWord);
static_assert(offsetof(LaunchGeometry, dynamicSharedBytes) == 4 * dynamicSharedWord);
static_assert(offsetof(LaunchGeometry, clusterStride) == 4 * clusterStrideWord);
static_assert(offsetof(LaunchGeometry, clusterDim) == 4 * clusterDimWord);

/// Bytes of stack reserved for the functions of the runtime and of libraries that generated code calls.
constexpr size_t stackReserve = 128 * 1024;

/// A worker's memory, for generated code to use while it runs a unit of work.
struct WorkerArena {
  char *shared;        ///< shared memory of the block, 128-byte aligned: static part, then dynamic part
  char *context;       ///< values that live across barriers and local arrays, 128-byte aligned
  char *stackLimit;    ///< recursive functions fail below it
  uint64_t stackBytes; ///< CpuCode::stackBytes

  /// Continues on the stack with this lowest address; null: unknown, so that no level is too deep. A level above the
  /// limit must leave room for everything it calls, and for the frame of the next level, which exists before its check.
  void useStack(char *base) { stackLimit = base + (stackReserve + 2 * stackBytes); }
};
static_assert(sizeof(WorkerArena) == 32);

/// The indices of members of WorkerArena, read as an array of pointers.
enum class ArenaPointer : unsigned { Shared = 0, Context = 1, StackLimit = 2 };
static_assert(offsetof(WorkerArena, shared) == 8 * unsigned(ArenaPointer::Shared));
static_assert(offsetof(WorkerArena, context) == 8 * unsigned(ArenaPointer::Context));
static_assert(offsetof(WorkerArena, stackLimit) == 8 * unsigned(ArenaPointer::StackLimit));

/// Runs units [first, last). Image::spansBlocks defines the unit:
/// - false: one block; unit u is block (u % gridDim.x, u / gridDim.x % gridDim.y, u / gridDim.x / gridDim.y);
/// - true: a part of a row of threads. Rows run over y and z of the whole grid; one row holds gridDim.x * blockDim.x
///   threads along x in warps of 32 consecutive ones. To balance short grids of long rows a unit is a chunk of
///   `spanWarps` warps of a row: unit u is chunk u % chunksPerRow of row u / chunksPerRow, with
///   chunksPerRow = ceil(ceil(gridDim.x * blockDim.x / 32) / spanWarps).
using KernelFunction = void (*)(const void *parameters, const LaunchGeometry *geometry, uint64_t first, uint64_t last,
                                WorkerArena *arena);
constexpr uint64_t spanWarps = 64;

/// Safepoints: on back edges generated code reads this 32-bit word, and if it is not 0 calls `void
/// treadle_cpu_safepoint()`, which preserves all registers and may not return.
constexpr const char *pollWordSymbol = "treadle_poll_word";
constexpr const char *safepointSymbol = "treadle_cpu_safepoint";
/// The word's address in this process, for linking images.
uint32_t *pollWord();

/// Failed checks call `void treadle_cpu_fail(const FailureCall *)`. It does not return: it ends the launch, which then
/// raises.
constexpr const char *failSymbol = "treadle_cpu_fail";
struct FailureCall {
  Fault fault;
  FaultPlace place;
  uint32_t hasThread; ///< 1: `thread` is set
  uint64_t thread[3]; ///< position in the grid
};
static_assert(offsetof(FailureCall, place) == 4 && offsetof(FailureCall, hasThread) == 16 &&
              offsetof(FailureCall, thread) == 24);
static_assert(sizeof(FailureCall) == 48);

// Kernels whose barriers (or warp operations, or waiting loops) the lanes of a warp need not reach together: the entry
// passes each block to treadle_cpu_run_block, which runs the warps as fibers.

/// Runs the warp that begins with thread `linear` of the block.
using WarpFunction = void (*)(const void *parameters, const LaunchGeometry *geometry, const uint32_t *block,
                              uint32_t linear, WorkerArena *arena);
/// `void treadle_cpu_run_block(const BlockCall *)`.
struct BlockCall {
  WarpFunction function;
  const void *parameters;
  const LaunchGeometry *geometry;
  const uint32_t *block;
  WorkerArena *arena;
};
static_assert(offsetof(BlockCall, function) == 0 && offsetof(BlockCall, parameters) == 8 &&
              offsetof(BlockCall, geometry) == 16 && offsetof(BlockCall, block) == 24 &&
              offsetof(BlockCall, arena) == 32);
static_assert(sizeof(BlockCall) == 40);
constexpr const char *runBlockSymbol = "treadle_cpu_run_block";

/// `uint64_t treadle_cpu_barrier(uint32_t here, uint32_t alive, const BarrierCall *)`: the high half of the result is
/// the value of the barrier. `here`: lanes that wait; `alive`: all lanes of this fiber that have not exited. If `here`
/// is not all of `alive` the call returns twice, once for the lanes in `here` and once for the others; the low half is
/// the set of lanes for which it returns.
constexpr const char *barrierSymbol = "treadle_cpu_barrier";
struct BarrierCall {
  /// The values of BarrierKind.
  enum Kind : uint32_t { Plain, Count, And, Or, Grid, Cluster, ClusterWait } kind;
  uint32_t votes;
};
static_assert(offsetof(BarrierCall, votes) == 4 && sizeof(BarrierCall) == 8);

/// `uint64_t treadle_cpu_gather(uint32_t here, uint32_t alive, const GatherCall *)`: waits until all lanes of `members`
/// that have not exited have called it; then `values`, 32 elements of `bytes` bytes, holds the values of all of them.
/// The high half of the result: the lanes that participated. If no lane has to wait, all lanes continue together.
constexpr const char *gatherSymbol = "treadle_cpu_gather";
struct GatherCall {
  uint32_t members, bytes;
  char *values;
  FaultPlace place;
};
static_assert(offsetof(GatherCall, bytes) == 4 && offsetof(GatherCall, values) == 8 &&
              offsetof(GatherCall, place) == 16);
static_assert(sizeof(GatherCall) == 32);

/// `uint64_t treadle_cpu_yield(uint32_t here, uint32_t alive)`: lets other fibers run while `here` waits for something.
constexpr const char *yieldSymbol = "treadle_cpu_yield";

/// `void treadle_cpu_print(const PrintCall *)`: prints the items for each lane, in lane order.
constexpr const char *printSymbol = "treadle_cpu_print";
struct PrintItem {
  enum Kind : uint64_t { Text, Signed, Unsigned, Float, Bool } kind;
  const void *data;      ///< Text: NUL-terminated; otherwise 32 values of 64 bits
  const char *directive; ///< the value's printf directive, without a length modifier; null: formatted as by print()
};
struct PrintCall {
  uint32_t lanes, count;
  const PrintItem *items;
  uint64_t block; ///< its index in the grid, x fastest
};
static_assert(offsetof(PrintItem, data) == 8 && offsetof(PrintItem, directive) == 16 && sizeof(PrintItem) == 24);
static_assert(offsetof(PrintCall, count) == 4 && offsetof(PrintCall, items) == 8 && offsetof(PrintCall, block) == 16);
static_assert(sizeof(PrintCall) == 24);

/// `void treadle_cpu_allocate(const HeapCall *)`: memory for one array per lane. Memory that the same warp got at the
/// same place before, or, where blocks do not take turns, that warp of the worker's last block, is reused or freed; all
/// is freed when the worker has run its share of the launch.
constexpr const char *allocateSymbol = "treadle_cpu_allocate";
struct HeapCall {
  uint32_t lanes, place;
  const uint64_t *bytes;      ///< of 32 lanes
  char **addresses;           ///< of 32 lanes; written for those in `lanes`
  uint64_t block, warp;       ///< PrintCall::block; the warp's index in it
  const FailureCall *failure; ///< for treadle_cpu_fail when out of memory
};
static_assert(offsetof(HeapCall, place) == 4 && offsetof(HeapCall, bytes) == 8 && offsetof(HeapCall, addresses) == 16);
static_assert(offsetof(HeapCall, block) == 24 && offsetof(HeapCall, warp) == 32 && offsetof(HeapCall, failure) == 40);
static_assert(sizeof(HeapCall) == 48);

/// `void treadle_cpu_grid_barrier()`, called once per block, by kernels that need fibers for grid barriers only.
constexpr const char *gridBarrierSymbol = "treadle_cpu_grid_barrier";

/// `void treadle_cpu_cluster_barrier()`, the same for the blocks of a cluster.
constexpr const char *clusterBarrierSymbol = "treadle_cpu_cluster_barrier";

/// `void treadle_cpu_breakpoint()`: stops in the debugger, if one is attached.
constexpr const char *breakpointSymbol = "treadle_cpu_breakpoint";

/// `void treadle_cpu_block_yield()`: in such a kernel, lets other blocks run while this one waits for something.
constexpr const char *blockYieldSymbol = "treadle_cpu_block_yield";

/// `uint64_t treadle_cpu_nanoseconds()`: a monotonic clock.
constexpr const char *timerSymbol = "treadle_cpu_nanoseconds";

} // namespace treadle::cpu

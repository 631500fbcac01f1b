// The calling convention of generated CPU code, shared by codegen/cpu (which emits it) and device/cpu (which calls it).
#pragma once

#include "support/export.h"

#include <cstddef>
#include <cstdint>

namespace treadle::cpu {

/// A launch, constant while it runs. Generated code reads it by byte offset: the asserts below must hold.
struct LaunchGeometry {
  uint32_t gridDim[3];
  uint32_t blockDim[3];
  uint32_t dynamicSharedBytes;
  uint32_t reserved;
  /// 0 as long as the launch may continue. Generated code never writes it; workers stop between units if it is not 0.
  const uint32_t *stop;
};
static_assert(sizeof(LaunchGeometry) == 40);

/// Memory that one worker provides to generated code while it runs a unit of work.
struct WorkerArena {
  char *shared;     ///< shared memory of the block, 128-byte aligned: static part, then dynamic part
  char *context;    ///< values that live across barriers and local arrays, 128-byte aligned
  char *stackLimit; ///< recursive functions fail below it
  uint64_t reserved;
};
static_assert(sizeof(WorkerArena) == 32);
/// Bytes of a stack below the limit: more than one level of any recursion, with all it calls, needs.
constexpr size_t stackReserve = 128 * 1024;

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
TREADLE_API uint32_t *pollWord();

/// Failed checks call `void treadle_cpu_fail(const FailureCall *)`. It does not return: it ends the launch, which then
/// raises. Codes: 1 index out of bounds, 2 division by zero, 3 threads of a block wait for each other, 4 out of memory,
/// 5 recursion too deep; codes from 16 on index the image's table of raised errors.
constexpr const char *failSymbol = "treadle_cpu_fail";
struct FailureCall {
  uint32_t code, line, column; ///< line 0: unknown
  uint32_t hasThread;          ///< 1: `thread` is set
  uint64_t thread[3];          ///< position in the grid
};
static_assert(sizeof(FailureCall) == 40);
constexpr uint32_t waitsForeverCode = 3, outOfMemoryCode = 4, stackOverflowCode = 5;

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
static_assert(sizeof(BlockCall) == 40);
constexpr const char *runBlockSymbol = "treadle_cpu_run_block";

/// `uint64_t treadle_cpu_barrier(uint32_t here, uint32_t alive, const BarrierCall *)`: the high half of the result is
/// the value of the barrier. `here`: lanes that wait; `alive`: all lanes of this fiber that have not exited. If `here`
/// is not all of `alive` the call returns twice, once for the lanes in `here` and once for the others; the low half is
/// the set of lanes that it returns with.
constexpr const char *barrierSymbol = "treadle_cpu_barrier";
struct BarrierCall {
  /// The values of BarrierKind.
  enum Kind : uint32_t { Plain, Count, And, Or, Grid } kind;
  uint32_t votes;
  uint64_t place; ///< line and column, for errors
};
static_assert(sizeof(BarrierCall) == 16);

/// `uint64_t treadle_cpu_gather(uint32_t here, uint32_t alive, const GatherCall *)`: waits until all lanes of `members`
/// that have not exited have called it; then `values`, 32 elements of `bytes` bytes, holds the values of all of them.
/// The high half of the result: the lanes that took part. If no lane has to wait, all lanes continue together.
constexpr const char *gatherSymbol = "treadle_cpu_gather";
struct GatherCall {
  uint32_t members, bytes;
  char *values;
  uint64_t place;
};
static_assert(sizeof(GatherCall) == 24);

/// `uint64_t treadle_cpu_yield(uint32_t here, uint32_t alive)`: lets other fibers run while `here` waits for something.
constexpr const char *yieldSymbol = "treadle_cpu_yield";

/// `void treadle_cpu_print(const PrintCall *)`: prints the items for each lane, in lane order.
constexpr const char *printSymbol = "treadle_cpu_print";
struct PrintItem {
  enum Kind : uint64_t { Text, Signed, Unsigned, Float, Bool } kind;
  const void *data; ///< Text: zero-terminated; otherwise 32 values of 64 bits
};
struct PrintCall {
  uint32_t lanes, count;
  const PrintItem *items;
  uint64_t block; ///< its index in the grid, x fastest
};
static_assert(sizeof(PrintCall) == 24);

/// `void treadle_cpu_grid_barrier()`, called once per block, by kernels that need fibers for grid barriers only.
constexpr const char *gridBarrierSymbol = "treadle_cpu_grid_barrier";

/// `void treadle_cpu_block_yield()`: in such a kernel, lets other blocks run while this one waits for something.
constexpr const char *blockYieldSymbol = "treadle_cpu_block_yield";

/// `uint64_t treadle_cpu_nanoseconds()`: a monotonic clock.
constexpr const char *timerSymbol = "treadle_cpu_nanoseconds";

} // namespace treadle::cpu

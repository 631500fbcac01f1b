// The CPU device's attributes that do not depend on the machine.
#include "device/cpu/cpu_attributes.h"

#include "device/cpu/cpu_device.h"
#include "device/device_attribute.h"
#include "support/error.h"

#include <algorithm>
#include <fmt/core.h>

namespace treadle::cpu {

namespace {

struct Row {
  uint16_t number;
  int64_t value;
};

/// All others are 0.
constexpr Row rows[] = {
    {1, cpuLimits.threadsPerBlock}, // MAX_THREADS_PER_BLOCK
    {2, cpuLimits.block[0]},        // MAX_BLOCK_DIM_X
    {3, cpuLimits.block[1]},        // MAX_BLOCK_DIM_Y
    {4, cpuLimits.block[2]},        // MAX_BLOCK_DIM_Z
    {5, cpuLimits.grid[0]},         // MAX_GRID_DIM_X
    {6, cpuLimits.grid[1]},         // MAX_GRID_DIM_Y
    {7, cpuLimits.grid[2]},         // MAX_GRID_DIM_Z
    {8, cpuLimits.staticShared},    // MAX_SHARED_MEMORY_PER_BLOCK
    {9, 64 << 10},                  // TOTAL_CONSTANT_MEMORY
    {10, 32},                       // WARP_SIZE
    {11, 0x7fffffff},               // MAX_PITCH
    {12, 65536},                    // MAX_REGISTERS_PER_BLOCK
    {13, 1'000'000},                // CLOCK_RATE, kHz
    {14, 512},                      // TEXTURE_ALIGNMENT
    {15, 1},                        // GPU_OVERLAP
    {18, 1},                        // INTEGRATED
    {19, 1},                        // CAN_MAP_HOST_MEMORY
    {30, 512},                      // SURFACE_ALIGNMENT
    {31, 1},                        // CONCURRENT_KERNELS
    {36, 1'000'000},                // MEMORY_CLOCK_RATE, kHz
    {37, 128},                      // GLOBAL_MEMORY_BUS_WIDTH
    {38, 1 << 20},                  // L2_CACHE_SIZE
    {39, 2048},                     // MAX_THREADS_PER_MULTIPROCESSOR
    {40, 1},                        // ASYNC_ENGINE_COUNT
    {41, 1},                        // UNIFIED_ADDRESSING
    {51, 32},                       // TEXTURE_PITCH_ALIGNMENT
    {79, 1},                        // GLOBAL_L1_CACHE_SUPPORTED
    {80, 1},                        // LOCAL_L1_CACHE_SUPPORTED
    {81, 228 << 10},                // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
    {82, 65536},                    // MAX_REGISTERS_PER_MULTIPROCESSOR
    {83, 1},                        // MANAGED_MEMORY
    {86, 1},                        // HOST_NATIVE_ATOMIC_SUPPORTED
    {87, 2},                        // SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO
    {88, 1},                        // PAGEABLE_MEMORY_ACCESS
    {89, 1},                        // CONCURRENT_MANAGED_ACCESS
    {90, 1},                        // COMPUTE_PREEMPTION_SUPPORTED
    {91, 1},                        // CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM
    {97, cpuLimits.shared},         // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    {99, 1},                        // HOST_REGISTER_SUPPORTED
    {100, 1},                       // PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES
    {101, 1},                       // DIRECT_MANAGED_MEM_ACCESS_FROM_HOST
    {106, 32},                      // MAX_BLOCKS_PER_MULTIPROCESSOR
    {111, 1024},                    // RESERVED_SHARED_MEMORY_PER_BLOCK
    {113, 1},                       // READ_ONLY_HOST_REGISTER_SUPPORTED
    {126, 1},                       // MEM_SYNC_DOMAIN_COUNT
    {131, -1},                      // NUMA_ID
    {134, -1},                      // HOST_NUMA_ID
};

} // namespace

int64_t constantAttribute(DeviceAttribute attribute) {
  const auto number = uint16_t(attribute);
  if (const Row *row = std::ranges::find(rows, number, &Row::number); row != std::end(rows))
    return row->value;
  if (std::ranges::find(deviceAttributes(), number, &DeviceAttributeRow::number) != deviceAttributes().end())
    return 0;
  throw UsageError(UsageError::Kind::Value, fmt::format("no device attribute has the number {}", number));
}

} // namespace treadle::cpu

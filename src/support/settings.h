// The one table of environment settings. No other code reads the environment.
#pragma once

#include "support/export.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace treadle {

enum class SettingType : uint8_t { Text, Integer, Real };

// X(name, type, default, variable, Numba's name, sentence)
// An empty Numba name: Numba has no such setting. If both variables are set, Treadle's takes precedence.
#define TREADLE_SETTINGS(X)                                                                                            \
  X(Device, Text, "", "TREADLE_DEVICE", "",                                                                            \
    "The devices that kernels run on: cuda, cpu, or cuda,cpu for both, those of CUDA first; unset, CUDA where there "  \
    "is a GPU with a driver, otherwise the CPU.")                                                                      \
  X(Dump, Text, "", "TREADLE_DUMP", "",                                                                                \
    "A folder into which every compilation writes its stages as text; unset, nothing is written.")                     \
  X(CpuThreads, Integer, "0", "TREADLE_CPU_THREADS", "NUMBA_NUM_THREADS",                                              \
    "Threads that run a kernel's blocks on the CPU device; 0: one for each core this process may use.")                \
  X(CpuName, Text, "", "TREADLE_CPU", "NUMBA_CPU_NAME",                                                                \
    "The processor that code for the CPU device is made for, as LLVM names it (x86-64-v3, skylake), or generic; "      \
    "unset, "                                                                                                          \
    "this machine's.")                                                                                                 \
  X(CpuFeatures, Text, "", "TREADLE_CPU_FEATURES", "NUMBA_CPU_FEATURES",                                               \
    "Instruction sets that code for the CPU device may use, as LLVM writes them (+avx2,-avx512f), in place of the "    \
    "processor's.")                                                                                                    \
  X(PerThreadStream, Integer, "0", "TREADLE_PER_THREAD_DEFAULT_STREAM", "NUMBA_CUDA_PER_THREAD_DEFAULT_STREAM",        \
    "1: stream 0 is the calling thread's own default stream, 0: the legacy default stream that all threads share.")    \
  X(CpuDevices, Integer, "1", "TREADLE_CPU_DEVICES", "",                                                               \
    "How many devices the CPU is, each with streams and memory of its own: for tests of programs for several GPUs.")   \
  X(CpuMemory, Integer, "0", "TREADLE_CPU_MEMORY", "",                                                                 \
    "Bytes of memory that each CPU device has; 0: what is available on the machine, or in the process's control "      \
    "group.")                                                                                                          \
  X(PendingCount, Integer, "10", "TREADLE_MAX_PENDING_DEALLOCS_COUNT", "NUMBA_CUDA_MAX_PENDING_DEALLOCS_COUNT",        \
    "How many deallocations may wait for each other before all of them are done.")                                     \
  X(PendingRatio, Real, "0.2", "TREADLE_MAX_PENDING_DEALLOCS_RATIO", "NUMBA_CUDA_MAX_PENDING_DEALLOCS_RATIO",          \
    "The share of a device's memory that may wait for its deallocation before all of it is deallocated.")              \
  X(CacheLimit, Integer, "1073741824", "TREADLE_CACHE_LIMIT", "",                                                      \
    "Bytes of deallocated memory that are kept for each device, to be handed out again.")                              \
  X(ArrayInterface, Text, "3", "TREADLE_CUDA_ARRAY_INTERFACE", "",                                                     \
    "What device arrays show to other libraries as __cuda_array_interface__: its version, 0 to 3; unordered: version " \
    "3 without a stream; off: nothing.")                                                                               \
  X(ArrayInterfaceSync, Integer, "1", "TREADLE_CUDA_ARRAY_INTERFACE_SYNC", "NUMBA_CUDA_ARRAY_INTERFACE_SYNC",          \
    "0: streams that arrays of other libraries name in __cuda_array_interface__ are ignored.")                         \
  X(Libdevice, Text, "", "TREADLE_LIBDEVICE", "NUMBA_CUDA_LIBDEVICE",                                                  \
    "The path of libdevice.10.bc; unset, it is looked for in the CUDA toolkit and in NVIDIA's Python packages.")

enum class Setting : uint8_t {
#define TREADLE_ENUMERATOR(name, type, defaultText, variable, numba, sentence) name,
  TREADLE_SETTINGS(TREADLE_ENUMERATOR)
#undef TREADLE_ENUMERATOR
};

struct SettingRow {
  Setting setting;
  SettingType type;
  std::string_view defaultText;
  std::string_view variable;
  std::string_view numbaVariable;
  std::string_view sentence;
};

/// All settings in the order of the enumeration; the settings page of the documentation is generated from it.
TREADLE_API std::span<const SettingRow> settingRows();

/// The current value: the environment is read at each call, so a program may change os.environ before the setting is
/// used. Callers on hot paths cache it. Throws UsageError (Value) for text that does not parse as the setting's type.
TREADLE_API std::string settingText(Setting setting);
TREADLE_API int64_t settingInteger(Setting setting);
TREADLE_API double settingReal(Setting setting);

} // namespace treadle

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
  X(Override, Text, "", "TREADLE_OVERRIDE", "",                                                                        \
    "A folder with files that TREADLE_DUMP has written: their PTX, or for the CPU their optimised LLVM IR, as edited " \
    "meanwhile, is used in place of what is compiled for the same function, signature, target and facts.")             \
  X(CudaToolkit, Text, "", "TREADLE_CUDA_TOOLKIT", "CUDA_HOME",                                                        \
    "A folder of CUDA's toolkit: ptxas and nvdisasm are looked up in PATH, then in its bin. Machine code is made and " \
    "shown by them; nothing else uses it.")                                                                            \
  X(LeakReport, Integer, "0", "TREADLE_LEAK_REPORT", "",                                                               \
    "1: when the program ends, allocations of device memory that are still alive are listed on stderr, with the "      \
    "lines "                                                                                                           \
    "that made them. Read when the devices are first used.")                                                           \
  X(CodeCacheFolder, Text, "", "TREADLE_CODE_CACHE_DIR", "NUMBA_CACHE_DIR",                                            \
    "The folder in which compiled code is kept for the programs that come later; unset, treadle in the user's folder " \
    "for caches: $XDG_CACHE_HOME, or ~/.cache.")                                                                       \
  X(CodeCacheLimit, Integer, "1073741824", "TREADLE_CODE_CACHE_LIMIT", "",                                             \
    "Bytes that are kept in that folder of each: programs, images, and GPUs' machine code. 0: none is kept, and none " \
    "is looked for.")                                                                                                  \
  X(CodeCacheLog, Integer, "0", "TREADLE_CODE_CACHE_LOG", "NUMBA_DEBUG_CACHE",                                         \
    "1: a line on stderr for each code that a launch needs says whether it was found among what is kept.")             \
  X(CpuThreads, Integer, "0", "TREADLE_CPU_THREADS", "NUMBA_NUM_THREADS",                                              \
    "Threads that run a kernel's blocks on the CPU device; 0: one for each core this process may use.")                \
  X(CpuName, Text, "", "TREADLE_CPU", "NUMBA_CPU_NAME",                                                                \
    "The processor that code for the CPU device is made for, as LLVM names it (x86-64-v3, skylake), or generic; "      \
    "unset, "                                                                                                          \
    "this machine's.")                                                                                                 \
  X(CpuFeatures, Text, "", "TREADLE_CPU_FEATURES", "NUMBA_CPU_FEATURES",                                               \
    "Instruction sets that code for the CPU device may use, as LLVM writes them (+avx2,-avx512f), in place of the "    \
    "processor's.")                                                                                                    \
  X(CpuLanes, Integer, "0", "TREADLE_CPU_LANES", "",                                                                   \
    "How many threads of a warp a vector holds on the CPU device: 32, or 16 in kernels that do not refer to warps; "   \
    "0: chosen for each kernel by the size of its code.")                                                              \
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
  X(MemoryManager, Text, "default", "TREADLE_CUDA_MEMORY_MANAGER", "NUMBA_CUDA_MEMORY_MANAGER",                        \
    "A Python module whose _numba_memory_manager manages the memory of all devices; read at the first use of a "       \
    "device. default: Treadle itself does.")                                                                           \
  X(KernelHeap, Integer, "0", "TREADLE_KERNEL_HEAP", "",                                                               \
    "Bytes that each CUDA device sets aside for arrays whose shapes kernels compute; 0: as the driver does, 8 MiB.")   \
  X(KernelStack, Integer, "8192", "TREADLE_KERNEL_STACK", "",                                                          \
    "Bytes of stack that each thread of a CUDA device has once a kernel with a recursive function is loaded; 0: as "   \
    "the driver does, 1 KiB.")                                                                                         \
  X(ArrayInterface, Text, "3", "TREADLE_CUDA_ARRAY_INTERFACE", "",                                                     \
    "What device arrays show to other libraries as __cuda_array_interface__: its version, 0 to 3; unordered: version " \
    "3 without a stream; off: nothing.")                                                                               \
  X(ArrayInterfaceSync, Integer, "1", "TREADLE_CUDA_ARRAY_INTERFACE_SYNC", "NUMBA_CUDA_ARRAY_INTERFACE_SYNC",          \
    "0: streams that arrays of other libraries name in __cuda_array_interface__ are ignored.")                         \
  X(Libdevice, Text, "", "TREADLE_LIBDEVICE", "NUMBA_CUDA_LIBDEVICE",                                                  \
    "The path of libdevice.10.bc; unset, it is looked for in the CUDA toolkit and in NVIDIA's Python packages.")       \
  X(LowOccupancyWarnings, Integer, "1", "TREADLE_LOW_OCCUPANCY_WARNINGS", "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS",         \
    "0: no NumbaPerformanceWarning for grids of fewer than 128 blocks on a CUDA device.")                              \
  X(ImplicitCopyWarnings, Integer, "1", "TREADLE_WARN_ON_IMPLICIT_COPY", "NUMBA_CUDA_WARN_ON_IMPLICIT_COPY",           \
    "0: no NumbaPerformanceWarning for arrays of the host that a launch copies to a CUDA device and back.")            \
  X(NoPerformanceWarnings, Integer, "0", "TREADLE_DISABLE_PERFORMANCE_WARNINGS", "NUMBA_DISABLE_PERFORMANCE_WARNINGS", \
    "1: no NumbaPerformanceWarning at all.")                                                                           \
  X(NoCuda, Integer, "0", "TREADLE_DISABLE_CUDA", "NUMBA_DISABLE_CUDA",                                                \
    "1: the CUDA driver is not used: kernels run on the CPU device, and TREADLE_DEVICE=cuda is an error.")             \
  X(Simulator, Integer, "0", "TREADLE_ENABLE_CUDASIM", "NUMBA_ENABLE_CUDASIM",                                         \
    "1: kernels run on the CPU device, where TREADLE_DEVICE names no other; there is no simulator besides.")           \
  X(Driver, Text, "", "TREADLE_CUDA_DRIVER", "NUMBA_CUDA_DRIVER",                                                      \
    "The path of the CUDA driver's library; unset, libcuda.so.1 where the system's loader finds it.")                  \
  X(ForcedCapability, Text, "", "TREADLE_FORCE_CC", "NUMBA_FORCE_CUDA_CC",                                             \
    "The compute capability that all PTX is made for, such as 8.0; unset, the device's.")                              \
  X(DefaultCapability, Text, "", "TREADLE_DEFAULT_PTX_CC", "NUMBA_CUDA_DEFAULT_PTX_CC",                                \
    "The compute capability that compile_ptx and compile make PTX for where no cc is given, such as 8.0; unset, 9.0.") \
  X(Optimization, Text, "3", "TREADLE_OPT", "NUMBA_OPT",                                                               \
    "How far code is optimised where cuda.jit is not given opt: 0 to 3, or max.")                                      \
  X(Debug, Integer, "0", "TREADLE_DEBUGINFO", "NUMBA_CUDA_DEBUGINFO",                                                  \
    "1: functions are compiled with debug=True where cuda.jit is not given debug.")                                    \
  X(DumpIr, Integer, "0", "TREADLE_DUMP_IR", "NUMBA_DUMP_IR",                                                          \
    "1: the typed tree of each function that is compiled is printed.")                                                 \
  X(DumpLlvm, Integer, "0", "TREADLE_DUMP_LLVM", "NUMBA_DUMP_LLVM",                                                    \
    "1: the LLVM IR of each function that is compiled is printed, as generated.")                                      \
  X(DumpOptimized, Integer, "0", "TREADLE_DUMP_OPTIMIZED", "NUMBA_DUMP_OPTIMIZED",                                     \
    "1: the LLVM IR of each function that is compiled is printed, as optimised.")                                      \
  X(DumpAssembly, Integer, "0", "TREADLE_DUMP_ASSEMBLY", "NUMBA_DUMP_ASSEMBLY",                                        \
    "1: the PTX or the machine code of each function that is compiled is printed.")                                    \
  X(CudaLog, Text, "", "TREADLE_CUDA_LOG_LEVEL", "NUMBA_CUDA_LOG_LEVEL",                                               \
    "DEBUG: each call of the CUDA driver is written to stderr before it is made, from the driver's first use on.")     \
  X(CudaLogArguments, Integer, "0", "TREADLE_CUDA_LOG_API_ARGS", "NUMBA_CUDA_LOG_API_ARGS",                            \
    "1: with the arguments of each call, where calls of the CUDA driver are written.")                                 \
  X(CudaLogBytes, Integer, "8192", "TREADLE_CUDA_LOG_SIZE", "NUMBA_CUDA_LOG_SIZE",                                     \
    "Bytes that the CUDA driver may say of PTX that it does not take, which the error repeats.")                       \
  X(CudaVerboseLog, Integer, "1", "TREADLE_CUDA_VERBOSE_JIT_LOG", "NUMBA_CUDA_VERBOSE_JIT_LOG",                        \
    "0: the CUDA driver says less of PTX that it does not take.")

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

/// The current value: what the program has set, or what the environment says, or a file, or the default. The
/// environment is read at each call, so a program may change os.environ before the setting is used. Callers on hot
/// paths cache it. Throws UsageError (Value) for text that does not parse as the setting's type.
TREADLE_API std::string settingText(Setting setting);
TREADLE_API int64_t settingInteger(Setting setting);
TREADLE_API double settingReal(Setting setting);
/// The user's cache folder according to the XDG base directory specification; empty: there is none.
TREADLE_API std::string userCacheFolder();
/// Of a text such as 8.0: the number times ten; 0 if it is empty.
TREADLE_API unsigned settingCapability(Setting setting);

/// Where a value that is not from the environment comes from: the program, which takes precedence over the environment,
/// or a file, over which the environment takes precedence.
enum class SettingSource : uint8_t { Program, File };

/// A value as text, and its source.
struct SettingState {
  enum class Origin : uint8_t { Default, Program, Environment, File } origin;
  std::string_view variable; ///< Environment: the variable that is set
  std::string text;
};
TREADLE_API SettingState settingState(Setting setting);

/// Empty: unset, as in the environment.
TREADLE_API void setSetting(Setting setting, SettingSource source, std::string text);

/// The number of calls of `setSetting`: settings read at an earlier version may be stale.
TREADLE_API uint64_t settingsVersion();

} // namespace treadle

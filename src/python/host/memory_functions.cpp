// Functions over contexts and their memory managers.
#include "python/host/memory_functions.h"

#include "launch/runtime.h"
#include "python/host/gil_lock.h"
#include "python/host/held_reference.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>

namespace nb = nanobind;

namespace treadle::python {

namespace {

DeviceContext &at(int64_t ordinal) { return Runtime::instance().contextAt(ordinal); }
MemoryManager &memoryOf(int64_t ordinal) { return at(ordinal).memory; }

nb::dict figuresOf(int64_t ordinal) {
  const MemoryFigures figures = memoryOf(ordinal).figures();
  nb::dict result;
  result["capacity"] = figures.capacity;
  result["free"] = figures.freeBytes();
  result["live_bytes"] = figures.liveBytes;
  result["live_count"] = figures.liveCount;
  result["pending_bytes"] = figures.pendingBytes;
  result["pending_count"] = figures.pendingCount;
  result["cached_bytes"] = figures.cachedBytes;
  result["cached_count"] = figures.cachedCount;
  return result;
}

nb::tuple limitsOf(int64_t ordinal) {
  const MemoryLimits limits = memoryOf(ordinal).limits();
  return nb::make_tuple(limits.pendingCount, limits.pendingRatio, limits.cacheBytes);
}

/// Without the GIL: giving memory back takes as long as the device needs, and dropping a stream waits for its work.
template <typename Function> void changeMemory(int64_t ordinal, Function change) {
  MemoryManager &memory = memoryOf(ordinal);
  GilLock gil;
  gil.becomesLong();
  change(memory);
}

void setLimits(int64_t ordinal, size_t pendingCount, double pendingRatio, size_t cacheBytes) {
  const MemoryLimits limits{pendingCount, pendingRatio, cacheBytes};
  changeMemory(ordinal, [&](MemoryManager &memory) { memory.setLimits(limits); });
}

void reset(int64_t ordinal) {
  releaseFinished();
  DeviceContext &context = at(ordinal);
  GilLock gil;
  // The reset itself waits, too, but cannot be interrupted.
  awaitPoints(context.memory.device().unfinished(), gil);
  gil.acquire();
  gil.becomesLong();
  context.reset();
}

} // namespace

void addMemoryFunctions(nb::module_ &module) {
  module.def("device_count", [] { return Runtime::instance().deviceCount(); });
  module.def("current_device", [] { return Runtime::instance().context().ordinal; });
  module.def("select_device", [](int64_t ordinal) { Runtime::instance().select(at(ordinal)); });
  module.def("device_generation", [](int64_t ordinal) { return at(ordinal).generation(); });
  module.def("reset_device", &reset);
  module.def("memory_figures", &figuresOf);
  module.def("memory_limits", &limitsOf);
  module.def("set_memory_limits", &setLimits);
  module.def("clear_pending", [](int64_t ordinal) { changeMemory(ordinal, std::mem_fn(&MemoryManager::clear)); });
  module.def("trim_memory", [](int64_t ordinal) { changeMemory(ordinal, std::mem_fn(&MemoryManager::trim)); });
  module.def("defer_deallocations", [](int64_t ordinal) { changeMemory(ordinal, std::mem_fn(&MemoryManager::defer)); });
  module.def("end_deferral", [](int64_t ordinal) { changeMemory(ordinal, std::mem_fn(&MemoryManager::endDeferral)); });
  module.def("defers_deallocations", [](int64_t ordinal) { return memoryOf(ordinal).isDeferred(); });
}

} // namespace treadle::python

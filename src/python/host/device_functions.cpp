// Devices and their memory for Python: attributes, selection, resets, deallocation queue, cache, statistics, pinning.
#include "device/device_attribute.h"
#include "python/host/gil_lock.h"
#include "python/host/held_reference.h"
#include "python/host/module_parts.h"
#include "python/host/object_access.h"
#include "python/host/source_place.h"
#include "runtime/build_facts.h"
#include "runtime/code_cache.h"
#include "runtime/notebook_cells.h"
#include "runtime/runtime.h"
#include "support/error.h"
#include "support/files/disk_store.h"
#include "support/files/owned_file.h"
#include "support/settings.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <utility>

namespace nb = nanobind;

namespace treadle::python {

namespace {

DeviceContext &at(int64_t ordinal) { return Runtime::instance().contextAt(ordinal); }
MemoryManager &memoryOf(int64_t ordinal) { return at(ordinal).memory; }

/// {name: number} of all attributes that a device has.
nb::dict attributeNumbers() {
  nb::dict numbers;
  for (const DeviceAttributeRow &row : deviceAttributes())
    numbers[nb::str(row.name.data(), row.name.size())] = row.number;
  return numbers;
}

Device &deviceAt(int64_t ordinal) { return *at(ordinal).device; }

nb::dict figuresOf(int64_t ordinal) {
  MemoryManager &memory = memoryOf(ordinal);
  const MemoryFigures figures = memory.figures();
  // Pending and cached memory counts as free.
  const std::optional<size_t> free = memory.device().memory().freeMemory();
  nb::dict result;
  result["capacity"] = figures.capacity;
  result["free"] = free ? *free + figures.pendingBytes + figures.cachedBytes : figures.freeBytes();
  result["live_bytes"] = figures.liveBytes;
  result["live_count"] = figures.liveCount;
  result["pending_bytes"] = figures.pendingBytes;
  result["pending_count"] = figures.pendingCount;
  result["cached_bytes"] = figures.cachedBytes;
  result["cached_count"] = figures.cachedCount;
  result["peak_bytes"] = figures.peakBytes;
  result["allocations"] = figures.askedCount;
  result["cache_hits"] = figures.servedCount;
  return result;
}

nb::list liveAllocations() {
  nb::list list;
  Runtime::instance().visitOpen([&list](DeviceContext &context) {
    for (const MemoryManager::Live &one : context.memory.liveAllocations())
      list.append(nb::make_tuple(context.ordinal, context.device->kind(), one.bytes, decodedText(one.place)));
  });
  return list;
}

nb::tuple limitsOf(int64_t ordinal) {
  const MemoryLimits limits = memoryOf(ordinal).limits();
  return nb::make_tuple(limits.pendingCount, limits.pendingRatio, limits.cacheBytes);
}

/// Without the GIL: freeing memory takes as long as the device needs, and dropping a stream waits for its work.
template <typename Function> void changeMemory(int64_t ordinal, Function change) {
  MemoryManager &memory = memoryOf(ordinal);
  GilLock gil;
  gil.release();
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
  try {
    awaitPoints(context.device->unfinished(), gil);
  } catch (const DeviceLost &) {
    // The reset is the recovery.
  }
  try {
    awaitPoints(context.device->unfinishedOfUsers(), gil);
  } catch (const DeviceError &) { // NOLINT(bugprone-empty-catch): of another device
  }
  gil.acquire();
  // Threads read arguments, and queue launches with them, under the GIL.
  if (!context.device->resetsMemory())
    gil.release();
  context.reset();
}

/// The owner must call `release` exactly once.
struct PinnedRange {
  DeviceContext &context;
  std::span<char> memory;
  nb::object owner; ///< of the memory

  static PinnedRange pin(nb::object owner, uintptr_t address, size_t bytes) {
    DeviceContext &context = Runtime::instance().context();
    const std::span<char> memory(reinterpret_cast<char *>(address), bytes);
    context.pinned.pin(memory);
    return {context, memory, std::move(owner)};
  }

  /// Without the GIL: it waits for the device if work on the memory may be in progress. If it throws, the memory is
  /// never freed: it may still be registered, and the driver would mistake another array there for it.
  void release() {
    GilLock gil;
    PyObject *const kept = owner.release().ptr();
    gil.release();
    context.pinned.unpin(memory);
    gil.acquire();
    Py_DECREF(kept);
  }
};

nb::dict keptFigures(const DiskStore &store) {
  const auto [found, missed, written, refused, failed] = store.counts();
  const auto [entries, bytes, trouble] = store.content();
  nb::dict about;
  about["folder"] = store.place.folder;
  about["limit_bytes"] = store.place.limitBytes;
  about["entries"] = entries;
  about["bytes"] = bytes;
  about["trouble"] = trouble;
  about["found"] = found;
  about["missed"] = missed;
  about["written"] = written;
  about["refused"] = refused;
  about["failed"] = failed;
  return about;
}

/// None: the device caches no machine code.
nb::object codeCache(int64_t ordinal) {
  const DiskStore *const store = deviceAt(ordinal).code().codeCache();
  return store && store->isUsed() ? nb::object(keptFigures(*store)) : nb::none();
}

/// None: the cache is disabled.
nb::object codeCacheCounts() {
  const CodeCache &cache = Runtime::instance().codeCache();
  if (!cache.isUsed())
    return nb::none();
  nb::dict kinds;
  kinds["programs"] = keptFigures(cache.programs);
  kinds["images"] = keptFigures(cache.images);
  return kinds;
}

void addDevices(nb::module_ &module) {
  module.def("device_attribute_numbers", &attributeNumbers);
  module.def("device_attribute",
             [](int64_t ordinal, unsigned number) { return deviceAt(ordinal).attribute(DeviceAttribute(number)); });
  module.def("device_kind", [](int64_t ordinal) { return deviceAt(ordinal).kind(); });
  module.def("runs_foreign_code", [](int64_t ordinal) { return deviceAt(ordinal).parts.foreignCode != nullptr; });
  module.def("has_occupancy", [](int64_t ordinal) { return deviceAt(ordinal).parts.occupancy != nullptr; });
  module.def("uses_host_arrays", [](int64_t ordinal) { return deviceAt(ordinal).hostArrays() == HostArrays::InPlace; });
  module.def("device_details", [](int64_t ordinal) { return deviceAt(ordinal).details(); });
  module.def("code_cache", &codeCache,
             "The folder where machine code for a device is kept, what is in it, and what this process has found and "
             "written there; None: none is kept.");
  module.def("can_access_peer",
             [](int64_t ordinal, int64_t peer) { return deviceAt(ordinal).canAccess(deviceAt(peer)); });
  module.def("enable_peer", [](int64_t ordinal, int64_t peer) { deviceAt(ordinal).enablePeer(deviceAt(peer)); });
  module.def("device_name", [](int64_t ordinal) { return deviceAt(ordinal).name(); });
  module.def("device_uuid", [](int64_t ordinal) { return deviceAt(ordinal).uuid(); });
  module.def("device_compute_capability", [](int64_t ordinal) { return deviceAt(ordinal).computeCapability(); });
  module.def("record_profile", [](bool isWanted) {
    Device &device = Runtime::instance().device();
    GilLock gil;
    gil.release();
    if (DeviceProfiling *const part = device.parts.profiling)
      part->record(isWanted);
  });
  module.def("cell_folder", &cellFolder, "What the file names of notebooks' cells have in this process alone.");
  module.def("code_cache_counts", &codeCacheCounts,
             "The same of what was inferred, \"programs\", and of code as it was generated, \"images\".");
  module.def(
      "assemble",
      [](int64_t ordinal, const std::string &ptx, const std::string &name) {
        Device &device = deviceAt(ordinal);
        std::string code;
        {
          GilLock gil;
          gil.release();
          code = foreignCodeOf(device).assemble(ptx, name);
        }
        return nb::bytes(code.data(), code.size());
      },
      "Machine code of PTX for a device.");
  module.def("synchronize", [] {
    {
      GilLock gil;
      Runtime::instance().device().synchronize(gil);
    }
    releaseFinished();
  });
  module.def(
      "fallbacks", [] { return Runtime::instance().fallbacks(); },
      "How many kernels were compiled for launches, and how many of them have each of the fallbacks.");
  module.def(
      "cpu_wake_ups", [] { return Runtime::instance().device().figures()["woken workers"]; },
      "How many workers launches on the CPU device have woken.");
}

void addMemory(nb::module_ &module) {
  module.def("device_count", [] { return Runtime::instance().deviceCount(); });
  module.def("current_device", [] { return Runtime::instance().context().ordinal; });
  module.def("select_device", [](int64_t ordinal) { Runtime::instance().select(at(ordinal)); });
  module.def("device_generation", [](int64_t ordinal) { return at(ordinal).generation(); });
  module.def("reset_device", &reset);
  module.def("memory_figures", &figuresOf);
  module.def("reset_peak", [](int64_t ordinal) { memoryOf(ordinal).resetPeak(); });
  module.def("live_allocations", &liveAllocations,
             "[(number of a device, its kind, bytes, place)] of all devices that were opened; place: file:line, or an "
             "empty text.");
  module.def("memory_limits", &limitsOf);
  module.def("set_memory_limits", &setLimits);
  module.def("clear_pending", [](int64_t ordinal) { changeMemory(ordinal, std::mem_fn(&MemoryManager::clear)); });
  module.def("trim_memory", [](int64_t ordinal) { changeMemory(ordinal, std::mem_fn(&MemoryManager::trim)); });
  module.def("defer_deallocations", [](int64_t ordinal) { changeMemory(ordinal, std::mem_fn(&MemoryManager::defer)); });
  module.def("end_deferral", [](int64_t ordinal) { changeMemory(ordinal, std::mem_fn(&MemoryManager::endDeferral)); });
  module.def("defers_deallocations", [](int64_t ordinal) { return memoryOf(ordinal).isDeferred(); });
}

const SettingRow &settingNamed(std::string_view variable) {
  for (const SettingRow &row : settingRows())
    if (row.variable == variable)
      return row;
  throw UsageError(UsageError::Kind::Value, "there is no setting " + std::string(variable));
}

nb::object settingValue(std::string_view variable) {
  const SettingRow &row = settingNamed(variable);
  switch (row.type) {
  case SettingType::Text:
    return nb::cast(settingText(row.setting));
  case SettingType::Integer:
    return nb::cast(settingInteger(row.setting));
  case SettingType::Real:
    return nb::cast(settingReal(row.setting));
  }
  return nb::none();
}

/// [(variable, value as text, "program", "environment", "file" or "default", the variable that is set)] for all
/// settings.
nb::list settingStates() {
  constexpr const char *origins[] = {"default", "program", "environment", "file"};
  nb::list list;
  for (const SettingRow &row : settingRows()) {
    const SettingState state = settingState(row.setting);
    list.append(nb::make_tuple(nb::cast(row.variable), decodedText(state.text), origins[size_t(state.origin)],
                               nb::cast(state.variable)));
  }
  return list;
}

/// Without the GIL, as `changeMemory`.
void setSettingNamed(std::string_view variable, std::string text, bool isFromFile) {
  const SettingRow &row = settingNamed(variable);
  GilLock gil;
  gil.release();
  Runtime::instance().set(row.setting, isFromFile ? SettingSource::File : SettingSource::Program, std::move(text));
}

/// {"build", "llvm", "library", "compiler"}, and "features": those of the processor that code for the CPU device uses.
/// Loads the compiler library; if that fails, "failure" says why, in place of "features".
nb::dict factsOfBuild() {
  const BuildFacts facts = buildFacts();
  nb::dict result;
  result["build"] = facts.build;
  result["llvm"] = facts.llvm;
  result["library"] = decodedText(facts.library);
  result["compiler"] = decodedText(facts.compiler);
  result[facts.failure.empty() ? "features" : "failure"] =
      decodedText(facts.failure.empty() ? facts.features : facts.failure);
  return result;
}

void addSettings(nb::module_ &module) {
  module.def("build_facts", &factsOfBuild);
  module.def(
      "setting_names",
      [] {
        nb::dict names;
        for (const SettingRow &row : settingRows())
          names[nb::cast(row.numbaVariable.empty() ? row.variable : row.numbaVariable)] = nb::cast(row.variable);
        return names;
      },
      "{Numba's variable, or Treadle's where Numba has none: Treadle's variable} of all settings.");
  module.def(
      "why_not_trusted", &whyNotTrusted, nb::arg("descriptor"), nb::arg("name"),
      "Why the contents of an open file or folder are not trusted: others can have written them. Empty: they cannot.");
  module.def("setting", &settingValue, "The value of a setting by its variable: a str, an int or a float.");
  module.def("setting_states", &settingStates);
  module.def("set_setting", &setSettingNamed, nb::arg("variable"), nb::arg("text"), nb::arg("is_from_file") = false,
             "Sets it for this process. An empty text: as the environment says.");
}

} // namespace

void addDeviceFunctions(nb::module_ &module) {
  Runtime::instance().setPlaceSource(&placeInProgram);
  addDevices(module);
  addMemory(module);
  addSettings(module);
  nb::class_<PinnedRange>(module, "PinnedRange", "Memory of the host that the selected device knows as page-locked.")
      .def("__init__", [](PinnedRange *self, nb::object owner, uintptr_t address,
                          size_t bytes) { new (self) PinnedRange(PinnedRange::pin(std::move(owner), address, bytes)); })
      .def("release", &PinnedRange::release);
}

} // namespace treadle::python

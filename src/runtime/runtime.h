// Runtime: the singleton that holds process-wide state.
#pragma once

#include "device/device.h"
#include "memory/host_memory.h"
#include "memory/memory_manager.h"
#include "runtime/claims.h"
#include "runtime/open_devices.h"
#include "support/export.h"
#include "support/settings.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace treadle {

class CodeCache;
class Compiler;
struct Image;

/// A device with its memory. Lives as long as the process.
class TREADLE_API DeviceContext {
public:
  DeviceContext(unsigned ordinal, std::unique_ptr<Device> device, const MemoryLimits &limits);
  ~DeviceContext();

  const unsigned ordinal;
  const std::unique_ptr<Device> device;
  MemoryManager memory;
  PinnedRanges pinned;

  /// The number of resets so far: objects made in an earlier generation are unusable.
  uint64_t generation() const { return device->generation(); }
  /// Runs the queued work; then all memory and all streams except the default ones are lost. Throws the device's error.
  void reset();
};

/// The devices and the compiler of this process. Created on first use and never destroyed, as threads may use it at
/// exit.
class TREADLE_API Runtime {
public:
  static Runtime &instance();

  /// The device that kernels of the calling thread run on: the thread's selection, or the first of those that
  /// TREADLE_DEVICE names. Throws UsageError or DeviceError.
  DeviceContext &context();
  Device &device() {
    Device *const only = onlyDevice.load(std::memory_order_acquire);
    return only ? *only : chosenDevice();
  }
  /// `device`: one of this process's.
  DeviceContext &contextOf(const Device &device);
  unsigned deviceCount();
  /// Throws DeviceError (InvalidDevice) if there is no such device.
  DeviceContext &contextAt(int64_t ordinal);
  /// The unfinished work on the streams of all devices used so far.
  std::vector<StreamPoint> unfinished();
  /// The unreported failures on streams of all devices, as QueuedFailures; each is returned once.
  std::vector<std::exception_ptr> takeFailures();
  /// Calls `visit` for each device, if they are open.
  template <typename Visit> void visitOpen(const Visit &visit) {
    if (areOpen.load(std::memory_order_acquire))
      for (const std::unique_ptr<DeviceContext> &one : contexts)
        visit(*one);
  }
  /// MemoryManager::returnLent of all devices.
  void returnLent() noexcept;
  /// Selects the calling thread's device.
  void select(DeviceContext &context);
  /// Whether stream 0 is the per-thread default stream. Read from the settings once.
  bool usesThreadStreams() {
    const int known = threadStreams.load(std::memory_order_relaxed);
    return known < 0 ? readThreadStreams() : known != 0;
  }
  /// `setSetting`, also for devices that are already open.
  void set(Setting setting, SettingSource source, std::string text);
  /// Loads the compiler library on first use.
  Compiler &compiler();
  /// Of the compiler library: next to this library, or, if a program has installed this library alone, in the offered
  /// folder.
  std::string compilerPath();
  /// The ids of the libraries that infer and generate (support/files/library_id), loaded or not. Empty: one of them has
  /// none, or tests have replaced the compiler. After this call, `compiler()` refuses a library that has been replaced
  /// meanwhile.
  std::string codeMakers();
  /// `folder` ends with a slash. Called before the compiler library is loaded.
  void offerCompiler(const std::string &folder);
  /// An external library to allocate device memory, used if the settings name one or `useExternal` says so. Called
  /// once, before devices are opened.
  void offerExternal(std::unique_ptr<ExternalMemory> library) { offered = std::move(library); }
  /// Overrides the settings on whether it is used.
  void useExternal(bool isUsed);
  bool usesExternal() const;
  /// Whether any memory allocated from a device has not been returned.
  bool holdsMemory() const;
  /// The place in the program of each allocation, with TREADLE_LEAK_REPORT. Called before devices are opened.
  void setPlaceSource(MemoryManager::PlaceSource source) { placeSource.store(source); }
  /// For tests: a kind of device that TREADLE_DEVICE can name. Called before devices are opened.
  void addDeviceKind(const std::string &name, DeviceOpener opener);
  /// For tests: replaces the compiler that `compiler()` returns; nullptr: the library's.
  void replaceCompiler(Compiler *replacement);

  /// In the folder that the settings have at its first use.
  CodeCache &codeCache();

  /// The compilations in progress.
  Claims &claims() { return compilations; }

  void noteGenerated(const Image &image);
  /// How many kernels were compiled for launches ("kernels"), how many of them have each of CpuCode::fallbacks, and
  /// how often warps diverged.
  std::map<std::string, uint64_t> fallbacks() const;

private:
  Runtime();
  void openDevices();
  Device &chosenDevice();
  bool readThreadStreams();
  std::string chosenCompiler() const;
  Compiler *openCompiler(const std::string &path);

  std::mutex opening;
  std::string offeredCompiler;               ///< guarded by `opening`
  std::optional<std::string> compilerId;     ///< as first seen; guarded by `opening`
  std::map<std::string, DeviceOpener> kinds; ///< guarded by `opening`
  Claims compilations;
  std::atomic<Compiler *> opened{nullptr};
  std::atomic<Compiler *> replaced{nullptr};
  std::unique_ptr<CodeCache> cache; ///< constant once made
  std::once_flag makingCache;
  std::vector<std::unique_ptr<DeviceContext>> contexts; ///< constant once `areOpen`
  std::atomic<bool> areOpen{false};
  std::unique_ptr<ExternalMemory> offered;
  std::atomic<int> externalUse{-1}; ///< -1: as the settings say
  std::atomic<MemoryManager::PlaceSource> placeSource{nullptr};
  std::atomic<Device *> onlyDevice{nullptr}; ///< if there is only one device
  std::atomic<int> threadStreams{-1};        ///< -1: not read yet
  mutable std::mutex counting;
  std::map<std::string, uint64_t> counts; ///< guarded by `counting`
};

/// Runtime::compiler. Throws Error if the compiler library is missing or of another build.
TREADLE_API Compiler &compiler();

} // namespace treadle

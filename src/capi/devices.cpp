// Devices.
#include "capi/kernel_code.h"
#include "capi/objects.h"
#include "capi/sized_struct.h"
#include "device/device_attribute.h"
#include "runtime/runtime.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <fmt/core.h>
#include <vector>

using namespace treadle;
using namespace treadle::capi;

static_assert(sizeof(treadle_device_info) == 312 && offsetof(treadle_device_info, memory_bytes) == 16 &&
              offsetof(treadle_device_info, kind) == 40 && offsetof(treadle_device_info, name) == 56);

namespace treadle::capi {

namespace {

/// The devices' handles, in the order of the devices. They live as long as the process. Lock-free, as a fork would have
/// to wait for a lock.
class DeviceHandles {
public:
  static DeviceHandles &instance() {
    static DeviceHandles *const all = new DeviceHandles;
    return *all;
  }

  treadle_device of(DeviceContext &context) {
    TREADLE_CHECK(context.ordinal < handles.size());
    std::atomic<treadle_device> &place = handles[context.ordinal];
    treadle_device known = place.load();
    if (known) [[likely]]
      return known;
    const treadle_device made = handleOf(std::make_unique<DeviceObject>(context));
    if (place.compare_exchange_strong(known, made))
      return made;
    freeHandle<DeviceObject>(made, "device"); // another thread was first
    return known;
  }

private:
  std::array<std::atomic<treadle_device>, 256>
      handles{}; ///< more than the CUDA driver or the number of CPU devices allows
};

/// The kind's public name, "CUDA".
std::string kindOf(const Device &device) {
  std::string kind = device.kind();
  std::ranges::transform(kind, kind.begin(),
                         [](char letter) { return letter >= 'A' && letter <= 'Z' ? char(letter + 32) : letter; });
  return kind;
}

std::vector<DeviceContext *> devicesOf(const char *kind) {
  Runtime &runtime = Runtime::instance();
  std::vector<DeviceContext *> found;
  for (unsigned i = 0; i < runtime.deviceCount(); ++i)
    if (DeviceContext &context = runtime.contextAt(i); !kind || kindOf(*context.device) == kind)
      found.push_back(&context);
  return found;
}

void checkKind(const char *kind) {
  if (kind && std::string_view(kind) != "cuda" && std::string_view(kind) != "cpu")
    failArgument("kind is '" + std::string(kind).substr(0, 64) + "'; it must be cuda, cpu or NULL");
}

void useDevices(const char *kinds) {
  const std::string_view wanted = &required(kinds, "kinds");
  if (wanted != "cuda" && wanted != "cpu" && wanted != "cuda,cpu" && wanted != "cpu,cuda")
    failArgument("kinds is '" + std::string(wanted.substr(0, 64)) + "'; it must be cuda, cpu, or cuda,cpu for both");
  bool areOpen = false;
  Runtime::instance().visitOpen([&](const DeviceContext &) { areOpen = true; });
  if (areOpen)
    throw ApiError(TREADLE_ERROR_STATE, "the process's devices are open already: choose them before the first call "
                                        "that asks for one");
  Runtime::instance().set(Setting::Device, SettingSource::Program, std::string(wanted));
}

treadle_device_info infoOf(const DeviceContext &context) {
  const Device &device = *context.device;
  treadle_device_info info{};
  info.compute_capability = device.computeCapability();
  if (const std::optional<dlpack::Device> place = device.memory().exchangePlace(MemoryKind::Device)) {
    info.dlpack_type = place->type;
    info.dlpack_id = place->id;
  }
  info.memory_bytes = device.memory().memoryCapacity();
  info.threads_per_block = device.limits().threadsPerBlock;
  info.shared_bytes = device.limits().shared;
  info.multiprocessors = uint32_t(device.attribute(DeviceAttribute::MultiprocessorCount));
  std::snprintf(info.kind, sizeof info.kind, "%s", kindOf(device).c_str());
  std::snprintf(info.name, sizeof info.name, "%s", device.name().c_str());
  return info;
}

} // namespace

treadle_device handleOf(DeviceContext &context) { return DeviceHandles::instance().of(context); }

} // namespace treadle::capi

treadle_status treadle_use_devices(const char *kinds) {
  return call(__func__, [&] { useDevices(kinds); });
}

treadle_status treadle_device_count(const char *kind, int32_t *count) {
  return call(__func__, [&] {
    int32_t &to = required(count, "count");
    checkKind(kind);
    to = int32_t(devicesOf(kind).size());
  });
}

treadle_status treadle_device_open(const char *kind, int32_t ordinal, treadle_device *device) {
  return call(__func__, [&] {
    treadle_device &to = required(device, "device");
    checkKind(kind);
    const std::vector<DeviceContext *> known = devicesOf(kind);
    if (ordinal < 0 || size_t(ordinal) >= known.size())
      throw ApiError(TREADLE_ERROR_NO_DEVICE,
                     fmt::format("there is no device {}{}: there are {}, counted from 0; treadle_use_devices and "
                                 "TREADLE_DEVICE choose them",
                                 ordinal, kind ? " of kind " + std::string(kind) : "", known.size()));
    to = handleOf(*known[size_t(ordinal)]);
  });
}

treadle_status treadle_device_get_info(treadle_device device, treadle_device_info *info) {
  return call(__func__, [&] {
    DeviceContext &context = found<DeviceObject>(device, "device").context;
    checkedSize(info, "info");
    writeStruct(info, infoOf(context));
  });
}

treadle_status treadle_device_attribute(treadle_device device, int32_t attribute, int64_t *value) {
  return call(__func__, [&] {
    const Device &known = *found<DeviceObject>(device, "device").context.device;
    int64_t &to = required(value, "value");
    const auto rows = deviceAttributes();
    if (std::ranges::none_of(rows, [&](const DeviceAttributeRow &row) { return row.number == attribute; }))
      failArgument(fmt::format("attribute is {}, which is no CUdevice_attribute", attribute));
    to = known.attribute(DeviceAttribute(attribute));
  });
}

treadle_status treadle_device_synchronize(treadle_device device) {
  return longCall(
      __func__, [&] { return Ref(found<DeviceObject>(device, "device")); },
      [](const Ref<DeviceObject> &known) {
        HostThread host;
        known->context.device->synchronize(host);
        known->context.memory.returnLent();
        UnfinishedKernels::instance().drop();
      });
}

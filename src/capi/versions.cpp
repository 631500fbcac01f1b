// Version, features and the texts of errors.
#include "border/image_file.h"
#include "capi/api_call.h"
#include "support/files/build_id.h"

#include <algorithm>
#include <string_view>

using namespace treadle;

namespace {

constexpr std::string_view features[] = {"devices", "streams",          "events", "memory", "arrays", "array_exchange",
                                         "dlpack",  "dlpack_versioned", "images", "ptx",    "launch"};

constexpr const char *statusNames[] = {
    "TREADLE_OK",
    "TREADLE_ERROR_ARGUMENT",
    "TREADLE_ERROR_HANDLE",
    "TREADLE_ERROR_STRUCT_SIZE",
    "TREADLE_ERROR_TYPE",
    "TREADLE_ERROR_UNSUPPORTED",
    "TREADLE_ERROR_BUFFER",
    "TREADLE_ERROR_STATE",
    "TREADLE_ERROR_OUT_OF_MEMORY",
    "TREADLE_ERROR_NOT_READY",
    "TREADLE_ERROR_DEVICE",
    "TREADLE_ERROR_DEVICE_LOST",
    "TREADLE_ERROR_NO_DEVICE",
    "TREADLE_ERROR_KERNEL",
    "TREADLE_ERROR_IMAGE",
    "TREADLE_ERROR_FACT",
    "TREADLE_ERROR_NOT_FOUND",
    "TREADLE_ERROR_INTERNAL",
};
static_assert(std::size(statusNames) == TREADLE_ERROR_INTERNAL + 1);

} // namespace

const char *treadle_status_name(treadle_status status) {
  return status >= 0 && size_t(status) < std::size(statusNames) ? statusNames[status] : "unknown status";
}

const char *treadle_last_error() { return capi::lastErrorText(); }
int32_t treadle_last_driver_result() { return capi::lastDriverResult(); }
uint32_t treadle_version() { return TREADLE_VERSION_MAJOR << 16 | TREADLE_VERSION_MINOR; }
const char *treadle_build_id() { return buildId(); }
uint32_t treadle_image_interface() { return imageInterface; }

int32_t treadle_has(const char *feature) {
  return feature && std::ranges::find(features, std::string_view(feature)) != std::end(features);
}

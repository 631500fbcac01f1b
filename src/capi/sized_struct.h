// Structs that grow with versions: reads and writes the part that both sides know.
#pragma once

#include "capi/api_call.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace treadle::capi {

/// Bytes of a struct in version 1.0, the minimum for all programs: constant, though structs grow.
template <typename T> constexpr size_t firstSize = 0;
template <> inline constexpr size_t firstSize<treadle_device_info> = 312;
template <> inline constexpr size_t firstSize<treadle_memory_info> = 40;
template <> inline constexpr size_t firstSize<treadle_array_desc> = 128;
template <> inline constexpr size_t firstSize<treadle_image_source> = 32;
template <> inline constexpr size_t firstSize<treadle_kernel_info> = 64;
template <> inline constexpr size_t firstSize<treadle_parameter_info> = 40;
template <> inline constexpr size_t firstSize<treadle_launch_config> = 56;

/// The size limit for structs of all versions.
constexpr uint32_t largestStruct = 4096;

/// Throws ApiError if the program's struct is smaller than version 1.0's, or is NULL.
template <typename T> uint32_t checkedSize(const T *given, const char *name) {
  const uint32_t size = required(given, name).struct_size;
  if (size < firstSize<T> || size > largestStruct) [[unlikely]]
    failSize(name, size, firstSize<T>);
  return size;
}

/// The fields that the program has set, as far as the library knows them; the rest is zero. Throws ApiError as
/// checkedSize, and if bytes that the library does not know are nonzero.
template <typename T> T readStruct(const T *given, const char *name) {
  const uint32_t size = checkedSize(given, name);
  if (size == sizeof(T)) [[likely]]
    return *given;
  T known{};
  std::memcpy(&known, given, std::min(size_t(size), sizeof known));
  const char *const bytes = reinterpret_cast<const char *>(given);
  for (size_t i = sizeof known; i < size; ++i)
    if (bytes[i] != 0) [[unlikely]]
      throw ApiError(TREADLE_ERROR_UNSUPPORTED, std::string(name) + ": the program was built for a later version, and "
                                                                    "sets fields that this one does not know");
  return known;
}

/// Writes as much as fits the program's struct, whose size checkedSize has returned; `struct_size` is unchanged.
template <typename T> void writeStruct(T *to, T filled) {
  const uint32_t size = to->struct_size;
  filled.struct_size = size;
  if (size == sizeof(T)) [[likely]] {
    *to = filled;
    return;
  }
  std::memcpy(to, &filled, std::min(size_t(size), sizeof filled));
}

} // namespace treadle::capi

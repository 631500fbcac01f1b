// Structs that grow with versions: reads and writes as much of them as both sides know.
#pragma once

#include "capi/api_call.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace treadle::capi {

/// No struct of any version is as large as `largestStruct`.
constexpr uint32_t largestStruct = 4096;

/// Throws ApiError where the program's struct is smaller than version 1's.
inline void checkSize(const char *name, uint32_t given, size_t least) {
  if (given < least || given > largestStruct) [[unlikely]]
    throw ApiError(TREADLE_ERROR_STRUCT_SIZE, std::string(name) + ": struct_size is " + std::to_string(given) +
                                                  "; set it to sizeof, which is at least " + std::to_string(least) +
                                                  " and at most " + std::to_string(largestStruct));
}

/// What the program has written, as far as the library knows it; the rest is zero. `size`: its struct_size. Throws
/// ApiError where it is too small, and where bytes that the library does not know ask for something.
template <typename T> T readStruct(const T *given, uint32_t size, size_t least, const char *name) {
  checkSize(name, size, least);
  T known{};
  std::memcpy(&known, given, std::min(size_t(size), sizeof known));
  const char *const bytes = reinterpret_cast<const char *>(given);
  for (size_t i = sizeof known; i < size; ++i)
    if (bytes[i] != 0) [[unlikely]]
      throw ApiError(TREADLE_ERROR_UNSUPPORTED, std::string(name) + ": the program was built for a later version, and "
                                                                    "sets fields that this one does not know");
  return known;
}

/// Writes as much as the program's struct has room for; `struct_size` stays as it is.
template <typename T> void writeStruct(T *to, T filled, size_t least, const char *name) {
  const uint32_t size = to->struct_size;
  checkSize(name, size, least);
  filled.struct_size = size;
  std::memcpy(to, &filled, std::min(size_t(size), sizeof filled));
}

} // namespace treadle::capi

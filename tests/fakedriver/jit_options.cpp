// The options of loading and linking.
#include "jit_options.h"

#include <algorithm>
#include <cstring>

namespace fakecuda {

namespace {
constexpr unsigned optionCount = 40; ///< no more than that are known to drivers of today

uintptr_t number(void *const *value) { return reinterpret_cast<uintptr_t>(*value); }
} // namespace

uint64_t givenOption(unsigned count, const CUjit_option *options, void *const *values, CUjit_option wanted) {
  for (unsigned at = 0; options && values && at < count; ++at)
    if (options[at] == wanted)
      return reinterpret_cast<uint64_t>(values[at]);
  return 0;
}

JitOptions::JitOptions(unsigned count, const CUjit_option *options, void **values) {
  if (count && (!options || !values)) {
    wrong = "no list of options, or of their values";
    return;
  }
  for (unsigned at = 0; at < count; ++at)
    read(options[at], values + at);
}

void JitOptions::read(CUjit_option option, void **value) {
  switch (option) {
  case CU_JIT_INFO_LOG_BUFFER:
    info.buffer = static_cast<char *>(*value);
    break;
  case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
    info.bytes = value;
    break;
  case CU_JIT_ERROR_LOG_BUFFER:
    error.buffer = static_cast<char *>(*value);
    break;
  case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
    error.bytes = value;
    break;
  case CU_JIT_LOG_VERBOSE:
    verbose = number(value) != 0;
    break;
  case CU_JIT_WALL_TIME:
    wallTime = value;
    break;
  case CU_JIT_TARGET:
    chosenTarget = static_cast<int>(number(value));
    break;
  case CU_JIT_OPTIMIZATION_LEVEL:
    if (number(value) > 4)
      wrong = "an optimization level of " + std::to_string(number(value));
    break;
  default:
    if (option >= optionCount)
      wrong = "the option " + std::to_string(option) + " is not known";
  }
}

void JitOptions::Log::write() {
  if (!buffer || !bytes)
    return;
  const size_t room = std::min<size_t>(number(bytes), text.empty() ? 0 : text.size() + 1);
  std::memcpy(buffer, text.c_str(), room);
  if (room)
    buffer[room - 1] = 0;
  *bytes = reinterpret_cast<void *>(room);
}

void JitOptions::finish() {
  info.write();
  error.write();
  const float milliseconds = 1;
  if (wallTime)
    std::memcpy(wallTime, &milliseconds, sizeof milliseconds);
}

} // namespace fakecuda

// Loads CPU images: from their bytes to functions of this process.
#pragma once

#include "device/cpu/native_linker.h"
#include "support/export.h"

#include <cstdint>
#include <span>

namespace treadle::cpu {

/// `captured`: the addresses of Image::captured, which the code may read as long as it is loaded. Throws Error where
/// the image cannot run here: this processor lacks a feature, or the system forbids code that a process has made.
/// Whatever bytes the image was read from, nothing outside of its own memory is written.
TREADLE_API NativeCode loadCode(const Image &image, std::span<const uint64_t> captured);

} // namespace treadle::cpu

// Loads CPU images: from bytes to callable functions.
#pragma once

#include "device/cpu/code/native_linker.h"
#include "support/export.h"

#include <cstdint>
#include <span>

namespace treadle::cpu {

/// `captured`: the addresses of Image::captured, which the code may read while it is loaded. Throws Error if the image
/// cannot run here: this processor lacks a feature, or the system forbids code generated at run time. The image is
/// untrusted: nothing outside of its own memory is written.
TREADLE_API NativeCode loadCode(const Image &image, std::span<const uint64_t> captured);

} // namespace treadle::cpu

// SavedImages: what a file of images for other programs has of a kernel.
#pragma once

#include "border/image_file.h"
#include "launch/dispatcher.h"
#include "support/export.h"

#include <string>
#include <vector>

namespace treadle {

/// The targets that a name stands for. "cpu": x86-64-v2, x86-64-v3 and x86-64-v4, of which a program takes the last one
/// that its machine runs; "cpu:native": this machine; "cpu:" and a processor as LLVM names it; "sm_80". Throws
/// UsageError (Value) for others.
TREADLE_API std::vector<Target> targetsNamed(const std::string &name);

/// Throws UsageError (Value) where other processes cannot run the kernel: what only this one has is named.
TREADLE_API void checkSavable(const Image &image, const std::string &kernel);

} // namespace treadle

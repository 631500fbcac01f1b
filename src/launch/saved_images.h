// SavedImages: the entries of an image file for other programs.
#pragma once

#include "border/image_file.h"
#include "launch/dispatcher.h"
#include "support/export.h"

#include <string>
#include <vector>

namespace treadle {

/// The targets that a name stands for. "cpu": x86-64-v2, x86-64-v3 and x86-64-v4, of which a program uses the last one
/// that its machine supports; "cpu:native": this machine; "cpu:" and LLVM's name of a processor; "sm_80". Throws
/// UsageError (Value) for others.
TREADLE_API std::vector<Target> targetsNamed(const std::string &name);

/// Throws UsageError (Value) if other processes cannot run the kernel, naming what is process-local.
TREADLE_API void checkSavable(const Image &image, const std::string &kernel);

} // namespace treadle

// Of the images in a file, those that a device runs.
#pragma once

#include "border/image_file.h"
#include "support/export.h"

#include <memory>
#include <string>
#include <vector>

namespace treadle {

struct ChosenKernel {
  std::string name;
  std::vector<std::string> parameters; ///< FiledImage::parameters
  /// For one target, those that assume most of launches first. At least one.
  std::vector<std::shared_ptr<const Image>> images;
};

/// For each kernel the images of the target that uses most of what the device has. Throws UsageError (Value) where a
/// kernel has none that the device runs, naming what is missing. `own`: the device's.
TREADLE_API std::vector<ChosenKernel> chosenKernels(std::vector<FiledImage> images, const Target &own);

/// "sm_90", "cpu +avx,+avx2".
TREADLE_API std::string targetText(const Target &target);

} // namespace treadle

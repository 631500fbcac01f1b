// Selects from the images in a file those that a device can run.
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
  /// For one target, the most specialised first. At least one.
  std::vector<std::shared_ptr<const Image>> images;
};

/// For each kernel, the images of the best target that the device can run. Throws UsageError (Value) if there is none
/// for a kernel, naming what is missing. `own`: the device's target.
TREADLE_API std::vector<ChosenKernel> chosenKernels(std::vector<FiledImage> images, const Target &own);

/// "sm_90", "cpu +avx,+avx2".
TREADLE_API std::string targetText(const Target &target);

} // namespace treadle

// Images as bytes, so that another process can load what this one has compiled.
#pragma once

#include "border/image.h"
#include "support/export.h"

#include <string>
#include <string_view>

namespace treadle {

/// All of an image but its stages, and the handles of its exceptions. Equal images have equal bytes in every process.
TREADLE_API std::string imageBytes(const Image &image);

/// The same, for processes that know the image's exceptions by RaisedError::qualifiedClass alone. Throws UsageError
/// (Value) where that does not name a class.
TREADLE_API std::string writeImage(const Image &image);

/// Throws UsageError (Value) if the bytes are not an image, are damaged, or were written by another build, whose
/// generated code may rely on another runtime interface.
TREADLE_API Image readImage(std::string_view bytes);

} // namespace treadle

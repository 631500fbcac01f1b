// Images as bytes, so that another process can load what this one has compiled.
#pragma once

#include "border/image.h"
#include "support/export.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// What an image means to the library that loads it: the format of files, the calling conventions of generated code
/// (border/kernel_abi.h, error_record.h, fault.h), the symbols that it names (border/code_symbols.h), facts and layouts
/// of parameters. Files of another number are refused, whichever build has written them. tests/layout says when the
/// number has to grow.
constexpr uint32_t imageInterface = 1;

/// One kernel of a file, for one target and under some facts: a file may have several for each kernel.
struct FiledImage {
  std::string kernel;                  ///< as programs ask for it
  std::vector<std::string> parameters; ///< their names, as far as they are known
  Image image;
};

/// All of the images but their stages, and the handles of their exceptions, which other processes know by
/// RaisedError::qualifiedClass alone. Equal images have equal bytes in every process. Throws UsageError (Value) where
/// that does not name a class.
TREADLE_API std::string writeImages(const std::vector<FiledImage> &images);

/// Throws UsageError (Value) if the bytes are not such a file, are damaged, or are of another interface.
TREADLE_API std::vector<FiledImage> readImages(std::string_view bytes);

/// A file of one image, called by its entry.
TREADLE_API std::string writeImage(const Image &image);
/// The same, whatever it raises.
TREADLE_API std::string imageBytes(const Image &image);
/// Throws UsageError (Value) also if there are more.
TREADLE_API Image readImage(std::string_view bytes);

} // namespace treadle

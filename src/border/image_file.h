// Images as bytes, for other processes to load.
#pragma once

#include "border/image.h"
#include "support/export.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// The version of everything that an image shares with the library that loads it: the file format, the calling
/// conventions of generated code (border/kernel_abi.h, error_record.h, fault.h), the symbols that it names
/// (border/code_symbols.h), facts and parameter layouts. Files with another number are rejected, whichever build wrote
/// them. tests/layout checks when the number must be incremented.
constexpr uint32_t imageInterface = 3;

/// One kernel of a file, for one target and under some facts: a file may have several for each kernel.
struct FiledImage {
  std::string kernel;                  ///< as programs ask for it
  std::vector<std::string> parameters; ///< their names, if known
  Image image;
};

/// All of the images except for their stages and the handles of their exceptions, which other processes identify by
/// RaisedError::qualifiedClass. Equal images have equal bytes in every process. Throws UsageError (Value) where that
/// does not name a class.
TREADLE_API std::string writeImages(const std::vector<FiledImage> &images);

/// Throws UsageError (Value) if the bytes are not such a file, are damaged, or are of another interface.
TREADLE_API std::vector<FiledImage> readImages(std::string_view bytes);

/// A file of one image, called by its entry.
TREADLE_API std::string writeImage(const Image &image);
/// The same, without checking what it raises.
TREADLE_API std::string imageBytes(const Image &image);
/// Throws UsageError (Value) also if there is more than one.
TREADLE_API Image readImage(std::string_view bytes);

} // namespace treadle

// Native code: the target of CPU images on this machine, and how images become functions of this process.
#pragma once

#include "border/image.h"

#include <cstdint>
#include <memory>
#include <span>

namespace treadle {

/// Machine code of an image in this process.
struct NativeCode {
  void *entry = nullptr;      ///< address of Image::entry
  std::shared_ptr<void> keep; ///< the code stays loaded as long as this lives
};

/// Makes functions of images. Implemented by the compiler, which devices do not depend on. Thread-safe.
class NativeLinker {
public:
  virtual ~NativeLinker() = default;
  /// The target that images must be made for. Always the same.
  virtual Target target() = 0;
  /// `captured`: the addresses of Image::captured.
  virtual NativeCode link(const Image &image, std::span<const uint64_t> captured) = 0;
};

} // namespace treadle

// NativeLinker: the target of CPU images on this machine, and how images become functions of this process.
#pragma once

#include "border/image.h"

#include <cstdint>
#include <memory>
#include <span>

namespace treadle::cpu {

/// Machine code of an image in this process.
struct NativeCode {
  void *entry = nullptr;      ///< address of Image::entry
  std::shared_ptr<void> keep; ///< the code stays loaded as long as this lives
};

/// What a CPU device must be told: tests answer with functions of their own. Thread-safe.
class NativeLinker {
public:
  virtual ~NativeLinker() = default;
  /// The target that images must be made for. Always the same.
  virtual Target target() = 0;
  /// `captured`: the addresses of Image::captured.
  virtual NativeCode link(const Image &image, std::span<const uint64_t> captured) = 0;
};

} // namespace treadle::cpu

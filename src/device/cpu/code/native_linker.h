// NativeLinker: the target of CPU images on this machine, and the linking of images into this process.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace treadle {
struct Image;
struct Target;
} // namespace treadle

namespace treadle::cpu {

/// Machine code of an image in this process.
struct NativeCode {
  void *entry = nullptr;      ///< address of Image::entry
  std::shared_ptr<void> keep; ///< the code stays loaded as long as this lives
};

/// The compiler's side of a CPU device; tests substitute their own. Thread-safe.
class NativeLinker {
public:
  virtual ~NativeLinker() = default;
  /// The target that images must be compiled for. Constant.
  virtual Target target() = 0;
  /// `captured`: the addresses of Image::captured.
  virtual NativeCode link(const Image &image, std::span<const uint64_t> captured) = 0;
};

} // namespace treadle::cpu

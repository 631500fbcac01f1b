// Math for PTX: libdevice if it is found, else our own functions of the same names.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace llvm {
class MemoryBuffer;
class Module;
class StringRef;
} // namespace llvm

namespace treadle::codegen::ptx {

/// The source of __nv_ functions: libdevice's bitcode, and ours where that is missing or not accurate enough.
/// Thread-safe: any number of compilations may link from it at once, each in its own context.
class DeviceMath {
public:
  /// Tries TREADLE_LIBDEVICE, then a CUDA toolkit, then NVIDIA's Python packages next to this one; takes our own
  /// bitcode if there is none. Throws Error if TREADLE_LIBDEVICE names a file that cannot be read.
  DeviceMath();
  ~DeviceMath();
  DeviceMath(const DeviceMath &) = delete;
  DeviceMath &operator=(const DeviceMath &) = delete;

  /// Path of libdevice, or empty if our own functions are used.
  const std::string &path() const { return libdevice; }
  /// Hash of libdevice's bytes; 0 if our own functions are used.
  uint64_t libdeviceHash() const { return hash; }

  /// Defines the __nv_ functions that `module` declares and uses, and their callees, as internal functions; does
  /// nothing, and costs nothing, if it uses none. The module must have its triple and data layout. `fastMath`
  /// flushes subnormal float32 numbers (libdevice queries it by __nvvm_reflect). Throws InternalError for a
  /// function that is in neither.
  void link(llvm::Module &module, bool fastMath) const;

private:
  std::string_view slice(llvm::StringRef name) const;
  std::string cut(llvm::StringRef name) const;

  void read();

  std::string libdevice;
  uint64_t hash = 0;
  std::unique_ptr<llvm::MemoryBuffer> bitcode;
  /// Bitcode of single functions with their callees: parsing the whole takes 1 ms and more, a slice 0.1 ms.
  struct Slices;
  std::unique_ptr<Slices> slices;
};

} // namespace treadle::codegen::ptx

// Math for PTX: libdevice where it is found, else our own functions of the same names.
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

namespace treadle::ptx {

/// The bitcode that __nv_ functions come from. Thread-safe: any number of compilations may link from it at once, each
/// in its own context.
class DeviceMath {
public:
  /// Looks at TREADLE_LIBDEVICE, then for a CUDA toolkit, then for NVIDIA's Python packages beside this one; takes our
  /// own bitcode when there is none. Throws Error when TREADLE_LIBDEVICE names what cannot be read.
  DeviceMath();
  ~DeviceMath();
  DeviceMath(const DeviceMath &) = delete;
  DeviceMath &operator=(const DeviceMath &) = delete;

  /// Path of libdevice, or empty when our own functions serve.
  const std::string &path() const { return libdevicePath; }
  /// Of libdevice's bytes; 0 when our own functions serve.
  uint64_t libdeviceHash() const { return hash; }

  /// Defines the __nv_ functions that `module` declares and uses, and what they call, as internal functions; does
  /// nothing, and costs nothing, where it uses none. The module must have its triple and data layout. `fastMath`
  /// flushes subnormal float32 numbers (libdevice asks for it through __nvvm_reflect). Throws InternalError for a
  /// function that is in neither.
  void link(llvm::Module &module, bool fastMath) const;

private:
  std::string_view slice(llvm::StringRef name) const;
  std::string cut(llvm::StringRef name) const;

  void read();

  std::string libdevicePath;
  uint64_t hash = 0;
  std::unique_ptr<llvm::MemoryBuffer> bitcode;
  /// Bitcode of single functions with all they call: reading the whole takes 1 ms and more, a slice 0.1.
  struct Slices;
  std::unique_ptr<Slices> slices;
};

} // namespace treadle::ptx

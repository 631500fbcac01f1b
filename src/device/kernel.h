// Kernels and modules as a device has loaded them, and how a kernel fails.
#pragma once

#include "border/fault.h"
#include "support/error.h"
#include "support/export.h"

#include <cstdint>
#include <memory>
#include <string>

namespace treadle {

struct ErrorRecord;
struct Image;

/// What a loaded kernel uses, as far as its device knows; 0 where it does not. Bytes of a block, or of a thread.
struct KernelAttributes {
  uint32_t registers = 0; ///< of a thread
  uint32_t sharedBytes = 0;
  uint32_t constBytes = 0;
  uint32_t localBytes = 0; ///< of a thread
  uint32_t maxThreads = 0; ///< of a block
};

/// An entry of an image loaded on one device; keeps its module loaded.
class TREADLE_API Kernel {
public:
  virtual ~Kernel();
  virtual const Image &image() const = 0;
  /// By default what the image says.
  virtual KernelAttributes attributes() const;

  std::string title; ///< the function's name, for traces; written before the kernel is launched
};

/// An image loaded on one device; its code stays loaded as long as one of its kernels lives.
class TREADLE_API Module {
public:
  virtual ~Module();
  virtual std::shared_ptr<Kernel> kernel() = 0;
};

/// A check in a kernel compiled with debug has failed; the rest of the launch was stopped.
class TREADLE_API KernelFault : public Error {
public:
  /// `image`: what failed; says what it raises, and which functions are in it.
  KernelFault(Fault fault, const FaultPlace &place, const Image &image);
  ~KernelFault() override;

  const Fault fault;
  bool hasThread = false;
  uint32_t thread[3] = {}, block[3] = {}; ///< which thread failed, if known
  RaisedError raised;                     ///< what the kernel raised, if its class has a name
};

/// Throws what the kernel recorded, if it recorded anything. Of `image`, which says what it raises.
TREADLE_API void throwFault(const ErrorRecord &record, const Image &image);

} // namespace treadle

// LoadedCode: foreign code, PTX or a binary, loaded as it is.
#pragma once

#include "device/launch_config.h"
#include "support/export.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace treadle {

/// Loaded until `unload`, or until the device is reset. All calls throw DeviceError.
class TREADLE_API LoadedCode {
public:
  virtual ~LoadedCode();

  struct Variable {
    uint64_t address;
    size_t bytes;
  };
  struct Launch {
    uint64_t function; ///< what `function` has returned
    LaunchConfig config;
    uint64_t stream;                   ///< the driver's handle
    std::span<void *const> parameters; ///< the addresses of their values
    bool isCooperative;
  };

  /// The driver's handle of the module.
  virtual uint64_t handle() const = 0;
  /// The driver's handle of a kernel.
  virtual uint64_t function(const std::string &name) = 0;
  virtual Variable variable(const std::string &name) = 0;
  /// Returns when the kernel has run, as its uses of memory are unknown.
  virtual void launch(const Launch &launch) = 0;
  /// Waits for the device's work. No other call is allowed afterwards.
  virtual void unload() = 0;
};

} // namespace treadle

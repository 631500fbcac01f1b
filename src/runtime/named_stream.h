// NamedStream: a stream as a program names it; default streams depend on the calling thread.
#pragma once

#include "device/stream.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace treadle {

class DeviceContext;

struct TREADLE_API NamedStream {
  std::shared_ptr<Stream> stream; ///< null: a default stream
  bool isOfThread = false;        ///< the calling thread's default stream, resolved at each use
  uint64_t handle = 0;

  /// 0 (the default stream), 1 and 2 (CUDA's handles of the legacy default stream and of the per-thread one), or the
  /// handle of a stream of the selected device; nothing if no live stream has it.
  static std::optional<NamedStream> ofHandle(uint64_t handle);
  /// The same for a stream of that device.
  static std::optional<NamedStream> ofHandle(Device &device, uint64_t handle);
  static NamedStream ofDefault();
  /// The default stream, as configured, of that device.
  static Stream &defaultOn(Device &device);
  /// By kind: "default", "legacy", "thread", or a new one: "blocking", "nonblocking".
  static NamedStream ofKind(std::string_view kind);
  /// A new one. When dropped, it joins the device's deallocation queue, as memory does.
  static NamedStream made(DeviceContext &context, bool isBlocking);

  /// On the selected device. Valid as long as this name, or for the thread's default stream, the calling thread.
  Stream &here() const;
  /// The same for work on memory of that device. Throws UsageError (Value) if the stream belongs to another.
  Stream &on(Device &device) const;
};

} // namespace treadle

// NamedStream: a stream as a program names it, which for default streams depends on who asks.
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
  bool isOfThread = false;        ///< the default stream of the thread that uses it, found out at each use
  uint64_t handle = 0;

  /// 0 (the default stream), 1 and 2 (CUDA's handles of the legacy default stream and of the thread's), or the handle
  /// of a stream of the selected device; nothing where none that is alive has it.
  static std::optional<NamedStream> ofHandle(uint64_t handle);
  /// The same for a stream of that device.
  static std::optional<NamedStream> ofHandle(Device &device, uint64_t handle);
  static NamedStream ofDefault();
  /// What the default stream's name means on that device.
  static Stream &defaultOn(Device &device);
  /// By what it is: "default", "legacy", "thread", or a new one: "blocking", "nonblocking".
  static NamedStream ofKind(std::string_view kind);
  /// A new one. Dropped, it waits in the device's queue of deallocations, as memory does.
  static NamedStream made(DeviceContext &context, bool isBlocking);

  /// On the selected device. As long as this name lives, or the calling thread for its default stream.
  Stream &here() const;
  /// The same for work on memory of that device. Throws UsageError (Value) where the stream is one of another.
  Stream &on(Device &device) const;
};

} // namespace treadle

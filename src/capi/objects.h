// The objects of handles. An object keeps alive what it needs; none of them knows its handle.
#pragma once

#include "border/dlpack_abi.h"
#include "capi/api_call.h"
#include "memory/array_view.h"
#include "memory/buffer.h"
#include "runtime/event.h"
#include "runtime/named_stream.h"
#include "types/names/number_code.h"

#include <string>

namespace treadle::capi {

/// Never freed.
struct DeviceObject final : Object {
  static constexpr HandleKind kind = HandleKind::Device;
  using Handle = treadle_device;
  explicit DeviceObject(DeviceContext &context) : context(context) {}
  DeviceContext &context;
};

struct StreamObject final : Object {
  static constexpr HandleKind kind = HandleKind::Stream;
  using Handle = treadle_stream;
  StreamObject(DeviceContext &context, NamedStream named) : context(context), named(std::move(named)) {}
  /// On the calling thread.
  Stream &stream() const { return named.on(*context.device); }
  DeviceContext &context;
  const NamedStream named;
};

struct EventObject final : Object {
  static constexpr HandleKind kind = HandleKind::Event;
  using Handle = treadle_event;
  EventObject(DeviceContext &context, bool measuresTime) : context(context), event(context, measuresTime) {}
  DeviceContext &context;
  Event event;
};

struct MemoryObject final : Object {
  static constexpr HandleKind kind = HandleKind::Memory;
  using Handle = treadle_memory;
  explicit MemoryObject(ArrayView view) : view(std::move(view)) {}
  const ArrayView view; ///< bytes, with one axis
};

struct ArrayObject final : Object {
  static constexpr HandleKind kind = HandleKind::Array;
  using Handle = treadle_array;
  ArrayObject(ArrayView view, const Type *element, bool isReadOnly);
  /// To be called before a write. Throws ApiError (ARGUMENT) if it is read-only.
  void checkWritable(const char *name) const;

  const ArrayView view;
  const Type *const element;
  const NumberCode number; ///< of the elements; Other: they are not numbers
  const Layout layout;
  const bool isReadOnly;
  const bool isEmpty;
  // As exported: code 255 if DLPack has no such type, device type 0 if the memory is not accessible to other libraries.
  const dlpack::DataType tensorType;
  const dlpack::Device place;
  const std::string typestr;
};

/// The stream that a call names for work on that device, within its Pin. NULL: its default one. Throws ApiError for one
/// of another device.
class CallStream {
public:
  CallStream(treadle_stream handle, Device &device, const char *name)
      : CallStream(handle ? &namedFor(handle, device, name) : nullptr, device) {}

private:
  CallStream(const NamedStream *named, Device &device)
      : stream(named ? named->on(device) : NamedStream::defaultOn(device)), isNamed(named && named->stream) {}
  static const NamedStream &namedFor(treadle_stream handle, const Device &device, const char *name);

public:
  Stream &stream;
  const bool isNamed; ///< its work is queued, and the call returns at once
};

/// The handle of one of the process's devices.
treadle_device handleOf(DeviceContext &context);

/// Waits for the points, on behalf of a call that needs memory.
void awaitForMemory(std::span<const StreamPoint> points);
/// Before the host accesses the memory: waits until all work that uses it has run. Throws the failures of that work.
void awaitUses(const Buffer &buffer);

} // namespace treadle::capi

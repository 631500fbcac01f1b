// Resolves handles and kinds of streams on the selected device.
#include "runtime/named_stream.h"

#include "runtime/runtime.h"

#include <fmt/core.h>

namespace treadle {

namespace {

NamedStream defaultStream(uint64_t handle) {
  return {nullptr, handle == 2 || (handle == 0 && Runtime::instance().usesThreadStreams()), handle};
}

} // namespace

NamedStream NamedStream::ofDefault() { return defaultStream(0); }

std::optional<NamedStream> NamedStream::ofHandle(uint64_t handle) {
  return handle <= 2 ? defaultStream(handle) : ofHandle(Runtime::instance().device(), handle);
}

std::optional<NamedStream> NamedStream::ofHandle(Device &device, uint64_t handle) {
  if (handle <= 2)
    return defaultStream(handle);
  std::shared_ptr<Stream> known = device.streamOf(handle);
  if (!known)
    return std::nullopt;
  return NamedStream{std::move(known), false, handle};
}

NamedStream NamedStream::ofKind(std::string_view kind) {
  if (kind != "blocking" && kind != "nonblocking")
    return defaultStream(kind == "thread" ? 2 : kind == "legacy" ? 1 : 0);
  return made(Runtime::instance().context(), kind == "blocking");
}

NamedStream NamedStream::made(DeviceContext &context, bool isBlocking) {
  std::shared_ptr<Stream> made = context.memory.device().makeStream(isBlocking);
  Stream *const stream = made.get();
  auto queued = std::make_unique<QueuedResource>(QueuedResource{std::move(made)});
  auto end = [queued = std::move(queued), &context](Stream *) mutable {
    context.memory.releaseLater(std::move(queued));
  };
  return {std::shared_ptr<Stream>(stream, std::move(end)), false, stream->handle()};
}

Stream &NamedStream::here() const { return stream ? *stream : on(Runtime::instance().device()); }

namespace {

Stream &defaultOf(Device &device, bool isOfThread) {
  if (Stream *const captureStream = device.captureStream()) [[unlikely]]
    return *captureStream;
  return isOfThread ? *device.threadStream() : device.defaultStream();
}

} // namespace

Stream &NamedStream::defaultOn(Device &device) { return defaultOf(device, Runtime::instance().usesThreadStreams()); }

Stream &NamedStream::on(Device &device) const {
  if (!stream) [[likely]]
    return defaultOf(device, isOfThread);
  if (&stream->device() != &device)
    throw UsageError(UsageError::Kind::Value,
                     fmt::format("the stream is one of another device, device {}, than the array, which is one of "
                                 "device {}: use a stream that was made while the array's device was selected",
                                 Runtime::instance().contextOf(stream->device()).ordinal,
                                 Runtime::instance().contextOf(device).ordinal));
  return *stream;
}

} // namespace treadle

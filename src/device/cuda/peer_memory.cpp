// Memory of other GPUs: access to it, and copies from it.
#include "device/cuda/peer_memory.h"

#include "device/cuda/cuda_device.h"
#include "support/error.h"

#include <fmt/core.h>

namespace treadle::cuda {

namespace {

/// Within a Current of another device, whose generation the caller has checked.
ContextHandle handleOf(Context &context, uint64_t generation) {
  const ContextHandle handle = context.heldBeside(generation);
  if (!handle)
    throw DeviceError("use the memory of another device", CudaResult::ContextIsDestroyed,
                      "another thread resets that device: make the array again");
  return handle;
}

} // namespace

bool CudaDevice::canAccess(const Device &other) const {
  const auto *const peer = dynamic_cast<const CudaDevice *>(&other);
  if (!peer || peer == this)
    return false;
  int can = 0;
  context.check(context.driver.deviceCanAccessPeer(&can, context.device, peer->context.device),
                "ask whether devices can access each other");
  return can != 0;
}

/// Opens the peer's context if it has not been used yet.
bool CudaDevice::openPeer(Device &peer) {
  Context &theirs = static_cast<CudaDevice &>(peer).context;
  const Current current(context);
  const Result result = context.driver.ctxEnablePeerAccess(handleOf(theirs, theirs.generation()), 0);
  if (result == Result::PeerAccessAlreadyEnabled)
    return false;
  context.check(result, fmt::format("enable peer access to CUDA device {}", theirs.ordinal));
  return true;
}

/// Row by row: the caller ensures that there are few.
void copyFromPeer(const CopyQueue &queue, const CopyShape &shape) {
  Context &own = queue.context, &theirs = static_cast<const CudaDevice *>(shape.fromDevice)->context;
  const ContextHandle current = own.currentHandle(), peer = handleOf(theirs, theirs.generation());
  forEachPlace(shape.axes, shape.to, shape.from, [&](char *to, const char *from) {
    own.check(own.driver.memcpyPeerAsync(reinterpret_cast<uintptr_t>(to), current, reinterpret_cast<uintptr_t>(from),
                                         peer, size_t(shape.rowBytes), queue.stream),
              "copy from CUDA device " + std::to_string(theirs.ordinal));
  });
}

} // namespace treadle::cuda

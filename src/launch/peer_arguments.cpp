// Arrays in the memory of other devices: accepted from peers, otherwise rejected with the argument's name.
#include "launch/arg_pack.h"
#include "launch/array_alignment.h"
#include "launch/dispatcher.h"
#include "support/error.h"

#include <fmt/core.h>

namespace treadle {

namespace {

std::string numberOf(const Device &device) {
  return fmt::format("device {}", Runtime::instance().contextOf(device).ordinal);
}

/// The remedy.
std::string adviceFor(const Device &device, const Device &owner) {
  const std::string copy = "copy the array to this device (copy_to_device), or select " + numberOf(owner);
  if (!device.canAccess(owner))
    return copy;
  const auto ordinalOf = [](const Device &one) { return Runtime::instance().contextOf(one).ordinal; };
  return fmt::format("call cuda.gpus[{}].get_primary_context().enable_peer_access({}) once, or {}", ordinalOf(device),
                     ordinalOf(owner), copy);
}

/// The leaf of the n-th buffer: each array in device memory has one.
size_t leafOf(const ArgumentList &arguments, size_t buffer) {
  const std::span<const ArgumentLeaf> leaves = arguments.leaves.view();
  size_t leaf = 0;
  for (size_t found = 0; leaf < leaves.size(); ++leaf)
    if (leaves[leaf].kind == ArgumentLeaf::Kind::Array && !leaves[leaf].isOnHost && found++ == buffer)
      break;
  return leaf;
}

/// The argument that the leaf belongs to.
unsigned argumentOf(const ArgumentList &arguments, size_t leaf) {
  unsigned place = 0;
  size_t seen = 0;
  for (const Type *type : typesOf(arguments.tokens.view())) {
    std::vector<const Type *> own;
    appendLeaves(type, own);
    seen += own.size();
    if (leaf < seen)
      break;
    ++place;
  }
  return place;
}

} // namespace

std::string Dispatcher::named(unsigned place) const {
  return fmt::format("{}: argument {} ('{}')", settings.name, place + 1, program->parameterName(place));
}

/// For devices whose kernels require aligned elements. Host arrays are copied to aligned memory there anyway
/// (HostStaging).
void Dispatcher::checkAligned(const ArgumentList &arguments, const Image &image) const {
  const std::span<const ArgumentLeaf> leaves = arguments.leaves.view();
  if (areAllAligned(leaves)) [[likely]]
    return;
  const std::vector<uint64_t> alignments = alignmentsOf(image.signature);
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].kind != ArgumentLeaf::Kind::Array || leaves[i].isOnHost)
      continue;
    const StridedExtents extents = extentsOf(leaves[i]);
    if (elementCount(extents.shape) == 0 || areAligned(leaves[i].data, extents, alignments[i]))
      continue;
    throw UsageError(UsageError::Kind::Buffer,
                     fmt::format("{} has elements at addresses that are no multiples of {} bytes, where kernels on "
                                 "this device cannot load them: copy the array, or pass records whole",
                                 named(argumentOf(arguments, i)), alignments[i]));
  }
}

/// `isNamed`: the launch names the stream.
void Dispatcher::checkPeers(const ArgumentList &arguments, const Stream &stream, bool isNamed) const {
  const Device &device = stream.device();
  const auto buffers = arguments.buffers.view();
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer &buffer = **buffers[i];
    buffer.checkAlive();
    if (device.reaches(buffer.device(), buffer.kind()))
      continue;
    throw UsageError(UsageError::Kind::Value,
                     named(argumentOf(arguments, leafOf(arguments, i))) + " lies in the memory of another device, " +
                         numberOf(buffer.device()) + ", and the launch runs on " + numberOf(device) +
                         (isNamed ? ", whose stream it names" : "") + ": " + adviceFor(device, buffer.device()));
  }
}

void Dispatcher::checkCaptured(std::span<const std::shared_ptr<Buffer>> captured, const Device &device) const {
  for (const std::shared_ptr<Buffer> &buffer : captured) {
    if (buffer->isLost()) {
      const CudaResult result = buffer->lostError().result();
      throw DeviceError("launch " + settings.name, result,
                        result == CudaResult::ContextIsDestroyed
                            ? "the device of an array that it captured was reset after that was made: make the array "
                              "again, and have the kernel compiled again, by recompile()"
                            : "the memory of an array that it captured was closed: open it again, and have the kernel "
                              "compiled again, by recompile()");
    }
    if (!device.reaches(buffer->device(), buffer->kind()))
      throw UsageError(UsageError::Kind::Value,
                       settings.name + ": an array that it captured lies in the memory of another device, " +
                           numberOf(buffer->device()) + ", and the launch runs on " + numberOf(device) + ": " +
                           adviceFor(device, buffer->device()));
  }
}

} // namespace treadle

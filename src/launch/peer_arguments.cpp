// Arrays in the memory of other devices than the launch runs on: accepted from peers, or refused by name.
#include "launch/arg_pack.h"
#include "launch/dispatcher.h"
#include "support/error.h"

namespace treadle {

namespace {

std::string numberOf(const Device &device) {
  return "device " + std::to_string(Runtime::instance().contextOf(device).ordinal);
}

/// What to do about it.
std::string adviceFor(const Device &device, const Device &owner) {
  const std::string copy = "copy the array to this device (copy_to_device), or select " + numberOf(owner);
  if (!device.canAccess(owner))
    return copy;
  const auto ordinalOf = [](const Device &one) { return std::to_string(Runtime::instance().contextOf(one).ordinal); };
  return "call cuda.gpus[" + ordinalOf(device) + "].get_primary_context().enable_peer_access(" + ordinalOf(owner) +
         ") once, or " + copy;
}

/// The argument that the n-th of the buffers belongs to: each array in memory of a device has one.
unsigned argumentOf(const ArgumentList &arguments, size_t buffer) {
  const std::span<const ArgumentLeaf> leaves = arguments.leaves.view();
  size_t leaf = 0;
  for (size_t found = 0; leaf < leaves.size(); ++leaf)
    if (leaves[leaf].kind == ArgumentLeaf::Kind::Array && !leaves[leaf].isOnHost && found++ == buffer)
      break;
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

/// `isNamed`: the launch names the stream.
void Dispatcher::checkPeers(const ArgumentList &arguments, const Stream &stream, bool isNamed) const {
  const Device &device = stream.device();
  const auto buffers = arguments.buffers.view();
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer &buffer = **buffers[i];
    buffer.checkAlive();
    if (device.reaches(buffer.device(), buffer.kind()))
      continue;
    const unsigned place = argumentOf(arguments, i);
    throw UsageError(UsageError::Kind::Value,
                     settings.name + ": argument " + std::to_string(place + 1) + " ('" + program->parameterName(place) +
                         "') lies in the memory of another device, " + numberOf(buffer.device()) +
                         ", and the launch runs on " + numberOf(device) + (isNamed ? ", whose stream it names" : "") +
                         ": " + adviceFor(device, buffer.device()));
  }
}

void Dispatcher::checkCaptured(std::span<const std::shared_ptr<Buffer>> captured, const Device &device) const {
  for (const std::shared_ptr<Buffer> &buffer : captured) {
    if (buffer->isLost())
      throw DeviceError(
          "launch " + settings.name, CudaResult::ContextIsDestroyed,
          "the device of an array that it captured was reset after that was made: make the array again, and "
          "have the kernel compiled again, by recompile()");
    if (!device.reaches(buffer->device(), buffer->kind()))
      throw UsageError(UsageError::Kind::Value,
                       settings.name + ": an array that it captured lies in the memory of another device, " +
                           numberOf(buffer->device()) + ", and the launch runs on " + numberOf(device) + ": " +
                           adviceFor(device, buffer->device()));
  }
}

} // namespace treadle

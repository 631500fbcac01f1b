// Devices that use each other's memory: enabled access, and the users to wait for and to poll.
#include "device/peers.h"

#include "device/device.h"

#include <algorithm>
#include <iterator>
#include <mutex>

namespace treadle {

bool Peers::holds(const Enabled &one) const {
  return one.ownGeneration == owner.generation() && one.generation == one.peer->generation();
}

bool Peers::areEnabled(const Device &peer) const {
  const std::lock_guard lock(mutex);
  return std::ranges::any_of(enabled, [&](const Enabled &one) { return one.peer == &peer && holds(one); });
}

void Peers::enable(const Device &peer) {
  const std::lock_guard lock(mutex);
  std::erase_if(enabled, [&](const Enabled &one) { return one.peer == &peer || !holds(one); });
  enabled.push_back({&peer, owner.generation(), peer.generation()});
}

void Peers::noteUser(Device &user) {
  const std::lock_guard lock(mutex);
  if (std::ranges::find(known, &user) == known.end())
    known.push_back(&user);
  areUsers.store(true);
}

std::vector<Device *> Peers::users() const {
  if (!areUsers.load()) [[likely]]
    return {};
  const std::lock_guard lock(mutex);
  return known;
}

void Device::enablePeer(Device &peer) {
  constexpr std::string_view operation = "enable peer access";
  if (!canAccess(peer))
    throw DeviceError(operation, CudaResult::PeerAccessUnsupported,
                      "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED: kernels of this device cannot access that device's memory: "
                      "copy arrays from one to the other");
  const bool wasEnabled = peers.areEnabled(peer) || !parts.peers->openPeer(peer);
  peers.enable(peer);
  if (wasEnabled)
    throw DeviceError(operation, CudaResult::PeerAccessAlreadyEnabled,
                      "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED: it was enabled before, so nothing is left to do");
}

void Device::lookAtUses() noexcept {
  noteProgress();
  for (Device *const user : peers.users())
    user->noteProgress();
}

std::vector<StreamPoint> Device::unfinishedOfUsers() {
  std::vector<StreamPoint> points;
  for (Device *const user : peers.users())
    std::ranges::move(user->unfinished(), std::back_inserter(points));
  return points;
}

/// A user that is lost has no uses left.
void Device::awaitUsers() {
  for (Device *const user : peers.users())
    try {
      for (const StreamPoint &point : user->unfinished())
        point.wait();
    } catch (const Error &) { // NOLINT(bugprone-empty-catch): reported at the next use of that device
    }
}

} // namespace treadle

// Peers: which devices' memory the kernels of a device may use, and which devices use its own.
#pragma once

#include "device/stream.h"
#include "support/fork_gate.h"

#include <atomic>
#include <cstdint>
#include <vector>

namespace treadle {

/// Of one device. Thread-safe.
class TREADLE_API Peers {
public:
  explicit Peers(const Device &owner) : owner(owner) {}

  /// Whether access to that device's memory was enabled, and neither of the two was reset since.
  bool areEnabled(const Device &peer) const;
  void enable(const Device &peer);

  /// Work of that device uses memory of this one.
  void noteUser(Device &user);
  std::vector<Device *> users() const;

private:
  struct Enabled {
    const Device *peer;
    uint64_t ownGeneration, generation; ///< of both devices
  };
  bool holds(const Enabled &one) const;

  const Device &owner;
  std::atomic<bool> areUsers{false}; ///< fast path, read without the lock
  mutable ForkMutex mutex;
  std::vector<Enabled> enabled; ///< guarded by mutex, as the next
  std::vector<Device *> known;  ///< the users
};

} // namespace treadle

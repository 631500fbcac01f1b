// RepeatedLaunch: a launch packed for its repetition with the same arrays; RepeatedLaunches: a table that finds it.
#pragma once

#include "launch/submission.h"
#include "memory/memory_block.h"
#include "support/export.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace treadle {

/// Valid while its variant, stream, maker and arrays live. Its user must know that they do.
class TREADLE_API RepeatedLaunch final : public LaunchOwners {
public:
  /// The largest parameter block that is kept.
  static constexpr size_t maxBytes = 1024;

  /// Of a launch that has just been made. Null: its repetitions must be ordered or staged, too.
  static std::unique_ptr<RepeatedLaunch> of(const Submission &made, const ArgumentList &arguments, LaunchMaker &maker);

  /// Repetitions give that number anew.
  void addNumber(unsigned index, NumberCode code);
  /// The parameters with these numbers: `block`, or a copy of it in `room`, which has maxBytes. `values`: per argument,
  /// the bytes of a number.
  const char *parameters(const void *const *values, char *room) const {
    return numbers.empty() ? block.data() : withNumbers(values, room);
  }

  LaunchOutcome launch(const char *parameters, LaunchWatcher &watcher) const {
    return stream.launch({variant.kernel, config, parameters, this}, watcher);
  }
  /// The device was not reset since.
  bool isOfPresent() const { return generation == device.generation(); }
  /// Another stream may have come to the address.
  bool isOn(const Stream &other) const { return &stream == &other && use.timeline().get() == other.timeline(); }

  LaunchOrigin *origin() const override;
  void queued(const std::shared_ptr<StreamTimeline> &timeline, uint64_t position) const override;

  const Variant &variant;
  const LaunchConfig config;
  Stream &stream;
  Device &device;            ///< the stream's
  const uint64_t generation; ///< of the device
  uint64_t clears = 0;       ///< of the dispatcher, if there is one
  std::vector<char> block;   ///< the parameters

private:
  struct Number {
    uint16_t index, offset; ///< among the arguments; in the block
    NumberCode code;
    uint8_t bytes; ///< 0: it is converted
  };

  RepeatedLaunch(const Submission &made, LaunchMaker &maker);
  const char *withNumbers(const void *const *values, char *room) const;

  LaunchMaker &maker;
  /// The uses of all the arrays' memory: a launch notes its position once, however many arrays it has.
  const UseNotes use;
  std::vector<Number> numbers;
};

/// Of a multiple of 8 bytes. For so few, a call of memcmp costs more than the comparison; those of constant sizes are
/// inlined.
inline bool areEqual(const void *left, const void *right, size_t bytes) {
  const auto *const a = static_cast<const char *>(left), *const b = static_cast<const char *>(right);
  size_t at = 0;
  for (; at + 32 <= bytes; at += 32)
    if (std::memcmp(a + at, b + at, 32) != 0)
      return false;
  for (; at < bytes; at += 8)
    if (std::memcmp(a + at, b + at, 8) != 0)
      return false;
  return true;
}

/// What identifies the arguments of a launch, in words of 8 bytes: equal keys mean the same arrays, and numbers that
/// are equal or given anew.
using LaunchKey = std::span<const std::byte>;

/// The recent launches of one kernel with one configuration, as one user makes them. Not thread-safe.
class TREADLE_API RepeatedLaunches {
public:
  /// One launch, during which no entry is evicted. In the middle of it, other launches may be made: by threads that get
  /// the host's lock meanwhile, and by destructors.
  class Use {
  public:
    explicit Use(RepeatedLaunches &launches) : launches(launches) { ++launches.inUse; }
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;
    ~Use() { --launches.inUse; }

  private:
    RepeatedLaunches &launches;
  };

  bool isEmpty() const { return filled == 0; }
  bool isInUse() const { return inUse != 0; }
  /// Null: none, or no usable one.
  template <typename Usable> const RepeatedLaunch *find(LaunchKey key, const Usable &isUsable) {
    // Programs that cycle through several sets of arrays find one of the others.
    for (unsigned turn = 0, place = latest; turn < filled; ++turn, place = place + 1 == filled ? 0 : place + 1)
      if (const Entry &entry = entries[place]; entry.isOf(key) && isUsable(*entry.launch)) {
        latest = place;
        return entry.launch.get();
      }
    return nullptr;
  }
  /// The last result of `find`, for a caller that repeats that launch.
  const std::shared_ptr<const RepeatedLaunch> &latestFound() const { return entries[latest].launch; }
  /// After a launch that was not found, within its Use: adds the result of `make`, unless that is null, or the launch
  /// is the first with that key.
  template <typename Make> void consider(LaunchKey key, const Make &make) {
    if (inUse > 1 || !recurs(key))
      return;
    if (std::unique_ptr<RepeatedLaunch> made = make())
      add(key, std::move(made));
  }

private:
  struct Entry {
    std::shared_ptr<const RepeatedLaunch> launch;
    std::vector<std::byte> key;

    bool isOf(LaunchKey other) const {
      return key.size() == other.size() && areEqual(key.data(), other.data(), key.size());
    }
  };
  bool recurs(LaunchKey key);
  void add(LaunchKey key, std::shared_ptr<const RepeatedLaunch> launch);

  static constexpr unsigned size = 16;
  std::array<Entry, size> entries;
  /// Hashes of the keys of the last launches that were not found. As many as there are entries: of more launches in
  /// rotation, each would evict another one before that recurs.
  std::array<uint64_t, size> seen{};
  unsigned filled = 0; ///< entries; the others are empty
  unsigned next = 0, nextSeen = 0, latest = 0;
  unsigned inUse = 0;
};

} // namespace treadle

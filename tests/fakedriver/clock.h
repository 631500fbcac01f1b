// Vector clocks over streams: what is known to have happened before.
#pragma once

#include <cstdint>
#include <map>

namespace fakecuda {

/// The known progress of each stream, by stream number. A missing entry is 0: nothing of that stream is known.
class Clock {
public:
  bool covers(uint64_t stream, uint64_t tick) const {
    const auto found = ticks.find(stream);
    return found != ticks.end() && found->second >= tick;
  }
  void advance(uint64_t stream, uint64_t tick) {
    uint64_t &known = ticks[stream];
    known = known < tick ? tick : known;
  }
  void join(const Clock &other) {
    for (const auto &[stream, tick] : other.ticks)
      advance(stream, tick);
  }
  /// Drops what `base` covers: clocks are compared together with the host's, which all later work follows.
  void forget(const Clock &base) {
    std::erase_if(ticks, [&](const auto &entry) { return base.covers(entry.first, entry.second); });
  }

private:
  std::map<uint64_t, uint64_t> ticks;
};

} // namespace fakecuda

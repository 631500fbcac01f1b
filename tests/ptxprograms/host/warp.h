// Warp functions: lanes of one mask put down a value each, wait for one another, and look at all of them.
#pragma once

namespace host {

template <class T> uint64_t toWord(T value) {
  uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}
template <class T> T fromWord(uint64_t word) {
  T value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

struct Gathered {
  const uint64_t *values;
  uint32_t members;
};

inline Gathered gather(uint32_t mask, uint64_t value) {
  WarpState &state = warp();
  Exchange &exchange = state.exchanges[mask];
  const unsigned phase = exchange.phase, half = phase & 1;
  exchange.values[half][lane()] = value;
  exchange.arrived |= uint32_t{1} << lane();
  while (exchange.phase == phase) {
    if (exchange.arrived != (mask & state.alive)) {
      yield();
      continue;
    }
    exchange.members[half] = exchange.arrived;
    exchange.arrived = 0;
    exchange.phase++;
  }
  return {exchange.values[half], exchange.members[half]};
}

template <class T, class F> T reduce(uint32_t mask, T value, F f) {
  const Gathered all = gather(mask, toWord(value));
  T result{};
  bool isFirst = true;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (all.members >> lane & 1) {
      const T next = fromWord<T>(all.values[lane]);
      result = isFirst ? next : f(result, next);
      isFirst = false;
    }
  return result;
}

} // namespace host

inline void __syncwarp(unsigned mask = 0xFFFFFFFF) { host::gather(mask, 0); }
inline unsigned __activemask() { return host::warp().alive; }

inline unsigned __ballot_sync(unsigned mask, int predicate) {
  const host::Gathered all = host::gather(mask, predicate != 0);
  unsigned result = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    result |= (all.members >> lane & 1 && all.values[lane]) ? 1u << lane : 0u;
  return result;
}
inline int __all_sync(unsigned mask, int predicate) {
  return host::reduce(mask, predicate != 0, [](bool a, bool b) { return a && b; });
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }

template <class T> T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  const host::Gathered all = host::gather(mask, host::toWord(value));
  const int base = static_cast<int>(host::lane()) & ~(width - 1);
  return host::fromWord<T>(all.values[base | (from & (width - 1))]);
}
template <class T> T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const host::Gathered all = host::gather(mask, host::toWord(value));
  const int self = static_cast<int>(host::lane()), base = self & ~(width - 1), from = self - static_cast<int>(by);
  return host::fromWord<T>(all.values[from < base ? self : from]);
}
template <class T> T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const host::Gathered all = host::gather(mask, host::toWord(value));
  const int self = static_cast<int>(host::lane()), base = self & ~(width - 1), from = self + static_cast<int>(by);
  return host::fromWord<T>(all.values[from >= base + width ? self : from]);
}
template <class T> T __shfl_xor_sync(unsigned mask, T value, int by, int width = 32) {
  const host::Gathered all = host::gather(mask, host::toWord(value));
  const int self = static_cast<int>(host::lane()), base = self & ~(width - 1), from = self ^ by;
  return host::fromWord<T>(all.values[from >= base + width ? self : from]);
}

template <class T> unsigned __match_any_sync(unsigned mask, T value) {
  const host::Gathered all = host::gather(mask, host::toWord(value));
  unsigned result = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    result |= (all.members >> lane & 1 && all.values[lane] == host::toWord(value)) ? 1u << lane : 0u;
  return result;
}
template <class T> unsigned __match_all_sync(unsigned mask, T value, int *isEqual) {
  const host::Gathered all = host::gather(mask, host::toWord(value));
  *isEqual = 1;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (all.members >> lane & 1 && all.values[lane] != host::toWord(value))
      *isEqual = 0;
  return *isEqual ? all.members : 0;
}

template <class T> T __reduce_add_sync(unsigned mask, T value) {
  return host::reduce(mask, value, [](T a, T b) { return static_cast<T>(unsigned(a) + unsigned(b)); });
}
template <class T> T __reduce_min_sync(unsigned mask, T value) {
  return host::reduce(mask, value, [](T a, T b) { return std::min(a, b); });
}
template <class T> T __reduce_max_sync(unsigned mask, T value) {
  return host::reduce(mask, value, [](T a, T b) { return std::max(a, b); });
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value) {
  return host::reduce(mask, value, [](unsigned a, unsigned b) { return a & b; });
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  return host::reduce(mask, value, [](unsigned a, unsigned b) { return a | b; });
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value) {
  return host::reduce(mask, value, [](unsigned a, unsigned b) { return a ^ b; });
}

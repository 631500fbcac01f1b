// Keeps failures in the order in which they occurred.
#include "device/cpu/stream_failures.h"

#include <algorithm>
#include <new>
#include <utility>

namespace treadle::cpu {

void StreamFailures::add(uint64_t stream, uint64_t position, std::exception_ptr failure) {
  const std::lock_guard lock(mutex);
  untold.push_back({stream, position, std::move(failure)});
  count.store(untold.size());
}

template <typename Predicate> std::exception_ptr StreamFailures::takeWhere(Predicate isWanted) {
  std::vector<std::exception_ptr> taken;
  {
    const std::lock_guard lock(mutex);
    for (Untold &one : untold)
      if (isWanted(one))
        taken.push_back(std::exchange(one.failure, nullptr));
    std::erase_if(untold, [](const Untold &one) { return !one.failure; });
    count.store(untold.size());
  }
  return QueuedFailure::together(std::move(taken));
}

std::exception_ptr StreamFailures::take(uint64_t stream, uint64_t position) {
  if (areNone())
    return nullptr;
  return takeWhere([=](const Untold &one) { return one.stream == stream && one.position <= position; });
}

std::exception_ptr StreamFailures::takeOf(const std::vector<uint64_t> &streams) {
  if (areNone())
    return nullptr;
  return takeWhere([&](const Untold &one) { return std::ranges::find(streams, one.stream) != streams.end(); });
}

std::exception_ptr StreamFailures::takeAll() {
  if (areNone())
    return nullptr;
  return takeWhere([](const Untold &) { return true; });
}

void StreamFailures::beginChild() {
  new (&mutex) std::mutex;
  new (&untold) std::vector<Untold>; // what kept them for the parent is left behind with them
  count.store(0);
}

} // namespace treadle::cpu

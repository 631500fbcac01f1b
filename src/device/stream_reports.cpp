// Stores failures in the order in which they occurred.
#include "device/stream_reports.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

namespace treadle {

void StreamReports::addFailure(uint64_t stream, uint64_t position, LaunchOrigin *origin) {
  const std::shared_ptr<const LaunchOrigin> held = origin ? origin->hold() : nullptr;
  std::exception_ptr failure = std::make_exception_ptr(QueuedFailure(std::current_exception(), held));
  const std::lock_guard lock(mutex);
  failures.push_back({stream, position, std::move(failure)});
  count.store(failures.size());
}

template <typename Predicate> std::exception_ptr StreamReports::takeWhere(Predicate isWanted) {
  if (!haveFailures())
    return nullptr;
  std::vector<std::exception_ptr> taken;
  {
    const std::lock_guard lock(mutex);
    for (Failure &one : failures)
      if (isWanted(one))
        taken.push_back(std::exchange(one.failure, nullptr));
    std::erase_if(failures, [](const Failure &one) { return !one.failure; });
    count.store(failures.size());
  }
  return QueuedFailure::together(std::move(taken));
}

std::exception_ptr StreamReports::takeFailure(uint64_t stream, uint64_t position) {
  return takeWhere([=](const Failure &one) { return one.stream == stream && one.position <= position; });
}

std::exception_ptr StreamReports::takeFailures() {
  return takeWhere([](const Failure &) { return true; });
}

void StreamReports::throwFailures(std::span<const uint64_t> streams) {
  auto isWanted = [&](const Failure &one) { return std::ranges::find(streams, one.stream) != streams.end(); };
  if (const std::exception_ptr failure = takeWhere(isWanted))
    std::rethrow_exception(failure);
}

void StreamReports::print(std::string_view text) {
  const std::lock_guard lock(mutex);
  printed += text;
}

void StreamReports::tellPrinted(LaunchWatcher &watcher) {
  std::string text;
  {
    const std::lock_guard lock(mutex);
    text.swap(printed);
  }
  if (!text.empty())
    watcher.printed(text);
}

void StreamReports::clear() {
  takeFailures();
  const std::lock_guard lock(mutex);
  printed.clear();
}

void StreamReports::beginChild() {
  new (&failures) std::vector<Failure>; // what kept them alive for the parent is leaked with them
  printed.clear();
  count.store(0);
}

} // namespace treadle

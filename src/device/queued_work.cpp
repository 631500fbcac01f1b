// Failures together, and uses of recorded work.
#include "device/queued_work.h"

#include <algorithm>
#include <utility>

namespace treadle {

CapturedMemory::~CapturedMemory() = default;

QueuedFailure::QueuedFailure(std::exception_ptr failure, std::shared_ptr<const LaunchOrigin> origin)
    : Error("something that was put on a stream failed when it ran"), failure(std::move(failure)),
      origin(std::move(origin)) {}
QueuedFailure::~QueuedFailure() = default;

std::exception_ptr QueuedFailure::together(std::vector<std::exception_ptr> failures) {
  if (failures.size() <= 1)
    return failures.empty() ? nullptr : failures.front();
  try {
    std::rethrow_exception(failures.front());
  } catch (const QueuedFailure &first) {
    QueuedFailure all = first;
    for (size_t i = 1; i < failures.size(); ++i) {
      all.others.push_back(failures[i]);
    }
    return std::make_exception_ptr(all);
  }
}

void CapturedUses::add(const CapturedUses &more) {
  owners.insert(owners.end(), more.owners.begin(), more.owners.end());
  memory.insert(memory.end(), more.memory.begin(), more.memory.end());
  for (const auto &peer : more.peers)
    if (std::ranges::find(peers, peer) == peers.end())
      peers.push_back(peer);
}

} // namespace treadle

// Ownership of compilations in progress, and waiting for them.
#include "runtime/claims.h"

#include <algorithm>
#include <new>

namespace treadle {

Claims::Claims()
    : atForks(this, {[](void *self) { static_cast<Claims *>(self)->mutex.lock(); },
                     [](void *self) { static_cast<Claims *>(self)->mutex.unlock(); },
                     [](void *object) {
                       auto &self = *static_cast<Claims *>(object);
                       new (&self.mutex) std::mutex;
                       new (&self.givenBack) std::condition_variable;
                       self.taken.clear();
                     }}) {}

bool Claims::isTaken(const Work &work) const { return std::ranges::find(taken, work, &Taken::work) != taken.end(); }

bool Claims::isOwn(const Work &work) {
  const std::lock_guard lock(mutex);
  const auto found = std::ranges::find(taken, work, &Taken::work);
  return found != taken.end() && found->by == std::this_thread::get_id();
}

bool Claims::tryTake(const Work &work) {
  const std::lock_guard lock(mutex);
  if (isTaken(work))
    return false;
  taken.push_back({work, std::this_thread::get_id()});
  return true;
}

void Claims::giveBack(const Work &work) {
  {
    const std::lock_guard lock(mutex);
    std::erase_if(taken, [&](const Taken &one) { return one.work == work; });
  }
  givenBack.notify_all();
}

bool Claims::waitFor(const Work &work, std::chrono::milliseconds time) {
  std::unique_lock lock(mutex);
  return givenBack.wait_for(lock, time, [&] { return !isTaken(work); });
}

} // namespace treadle

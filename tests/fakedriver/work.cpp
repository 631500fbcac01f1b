// Queued work: what it waits for, when it runs, in which order.
#include "driver.h"

#include <algorithm>
#include <chrono>
#include <unordered_set>
#include <utility>

namespace fakecuda {

namespace {
std::string streamName(const Stream &stream) {
  switch (stream.role) {
  case Stream::Role::Legacy:
    return "the legacy default stream";
  case Stream::Role::PerThread:
    return "a per-thread default stream";
  default:
    return "stream " + hex(stream.handle) + ((stream.flags & CU_STREAM_NON_BLOCKING) ? " (non-blocking)" : "");
  }
}
} // namespace

Enqueued Driver::enqueue(const std::shared_ptr<Stream> &stream, std::shared_ptr<Work> work) {
  return enqueueAfter(stream, std::move(work), {}, Clock());
}

Enqueued Driver::enqueueAfter(const std::shared_ptr<Stream> &stream, std::shared_ptr<Work> work,
                              std::vector<uint64_t> waits, const Clock &known) {
  work->failure = std::exchange(threadState().asyncFailure, CUDA_SUCCESS);
  if (stream->capture)
    return {addNode(stream, std::move(work)), 0};
  if (const CUresult result = checkImplicit(*stream); result != CUDA_SUCCESS)
    return {result, 0};
  waitForQueueSpace(stream);
  Context &context = *stream->context;
  if (context.lost != CUDA_SUCCESS)
    return {context.lost, 0};

  // The legacy stream follows all blocking ones, which follow it; a non-blocking one follows only itself.
  Clock clock = stream->clock;
  clock.join(known);
  waits.push_back(stream->last);
  const auto follow = [&](const Stream &other) {
    waits.push_back(other.last);
    clock.join(other.clock);
  };
  if (stream->role == Stream::Role::Legacy) {
    for (const auto &[number, other] : context.streams)
      if (other->isBlocking())
        follow(*other);
  } else if (stream->isBlocking()) {
    follow(*context.legacy);
  }
  std::erase_if(waits, [&](uint64_t id) { return !queue.contains(id); });

  const uint64_t tick = ++stream->tick;
  Clock before = clock;
  before.join(hostClock);
  clock.forget(hostClock);
  clock.advance(stream->number, tick);
  stream->clock = std::move(clock);
  stream->last = ++workSerial;
  stream->queries = 0;
  ++stream->pending;
  for (const Access &access : work->accesses)
    if (const auto allocation = memory.find(access.address))
      ++allocation->pendingUses;
  const auto piece = std::make_shared<Queued>();
  piece->id = workSerial;
  piece->work = std::move(work);
  piece->stream = stream;
  piece->waits = std::move(waits);
  piece->known = std::make_shared<const Clock>(std::move(before));
  piece->tick = tick;
  piece->calledBy = here();
  checkRaces(*piece->work, piece->work->accesses, *piece);
  queue[workSerial] = piece;
  watchManaged(true);
  return {CUDA_SUCCESS, workSerial};
}

/// A real queue has limited space: a launch after a host function that needs the launching thread deadlocks there, too.
void Driver::waitForQueueSpace(const std::shared_ptr<Stream> &stream) {
  while (stream->pending >= static_cast<size_t>(std::max(config.queueDepth, 1))) {
    const auto oldest =
        std::find_if(queue.begin(), queue.end(), [&](const auto &entry) { return entry.second->stream == stream; });
    if (oldest == queue.end())
      return;
    force({oldest->first});
  }
}

size_t Driver::pick(size_t count) { return count < 2 ? 0 : random() % count; }

bool Driver::runWork(Queued &piece, CUresult &result) {
  const Work &work = *piece.work;
  result = work.failure;
  if (result != CUDA_SUCCESS)
    return true;
  if (!piece.active) {
    ran.push_back(work.name);
    checkWatches(work);
  }
  if (!work.begin) {
    piece.running = true; // host functions of a graph run without the lock
    result = work.run ? work.run(*this) : CUDA_SUCCESS;
    return true;
  }
  if (!piece.active)
    piece.active = work.begin(*this);
  if (!piece.active->step(*this, result))
    return false;
  if (result == CUDA_SUCCESS)
    checkRaces(work, piece.active->accesses(), piece);
  return true;
}

bool Driver::run(const std::shared_ptr<Queued> &piece) {
  const Work &work = *piece->work;
  Context &context = *piece->stream->context;
  if (context.lost == CUDA_SUCCESS) {
    CUresult result = CUDA_SUCCESS;
    if (!runWork(*piece, result))
      return false;
    nanoseconds += work.nanoseconds;
    const auto countWrites = [&](const std::vector<Access> &accesses) {
      for (const Access &access : accesses)
        if (const auto allocation = memory.find(access.address); allocation && access.kind != AccessKind::Read)
          ++allocation->workWrites;
    };
    countWrites(work.accesses);
    if (piece->active)
      countWrites(piece->active->accesses());
    piece->active.reset();
    if (result != CUDA_SUCCESS) {
      context.lost = result;
      context.lostBy = work.name + " on " + streamName(*piece->stream);
    }
  }
  // Host functions run on a lost context, too: their owners wait for them.
  piece->running = true;
  if (work.host) {
    runOnCallbackThread(work.host);
    ++hostFunctions;
  }
  finish(piece);
  return true;
}

/// Kernels wait for what the host's other threads do.
void Driver::letOthersCall() {
  mutex.unlock();
  std::this_thread::yield();
  mutex.lock();
}

void Driver::finish(const std::shared_ptr<Queued> &piece) {
  if (!queue.erase(piece->id))
    return; // the driver was reset, or the context destroyed, while its host function ran
  for (const Access &access : piece->work->accesses)
    if (const auto allocation = memory.find(access.address); allocation && allocation->pendingUses)
      --allocation->pendingUses;
  --piece->stream->pending;
  retire(piece->stream);
  if (queue.empty())
    watchManaged(false);
  progress.notify_all();
}

namespace {
/// The wanted pieces and everything before them that has not run.
class Required {
public:
  Required(const std::map<uint64_t, std::shared_ptr<Queued>> &queue, const std::vector<uint64_t> &wanted) {
    std::vector<uint64_t> open = wanted;
    while (!open.empty()) {
      const uint64_t id = open.back();
      open.pop_back();
      const auto found = queue.find(id);
      if (found == queue.end() || !missing.emplace(id, 0).second)
        continue;
      for (const uint64_t before : found->second->waits)
        if (queue.contains(before)) {
          ++missing[id];
          followers[before].push_back(id);
          open.push_back(before);
        }
      if (!missing[id])
        ready.push_back(id);
    }
  }

  void done(uint64_t id) {
    for (const uint64_t follower : followers[id])
      if (!--missing[follower])
        ready.push_back(follower);
  }

  std::vector<uint64_t> ready;

private:
  std::unordered_map<uint64_t, size_t> missing;
  std::unordered_map<uint64_t, std::vector<uint64_t>> followers;
};
} // namespace

bool Driver::force(const std::vector<uint64_t> &wanted, std::chrono::milliseconds limit) {
  const auto start = std::chrono::steady_clock::now();
  Required required(queue, wanted);
  std::vector<uint64_t> parked; // ready in order, but waiting for a flag in memory
  const std::chrono::milliseconds hangLimit(config.hangMs);
  auto patience = std::chrono::steady_clock::now() + hangLimit;
  while (!required.ready.empty() || !parked.empty()) {
    if (required.ready.empty()) {
      required.ready.swap(parked);
      const auto now = std::chrono::steady_clock::now();
      if (now > patience) {
        violate(Rule::Hang, queue.contains(required.ready[0]) ? queue[required.ready[0]]->work->name : "work",
                CUDA_ERROR_LAUNCH_TIMEOUT);
        return true;
      }
      if (limit.count() && now - start > limit)
        return false;
      // The flag may be set by work not ordered before it, or by the host.
      if (!step(1)) {
        std::unique_lock lock(mutex, std::adopt_lock);
        progress.wait_for(lock, std::chrono::milliseconds(1));
        lock.release();
      }
    }
    const size_t chosen = pick(required.ready.size());
    const uint64_t id = required.ready[chosen];
    required.ready.erase(required.ready.begin() + static_cast<ptrdiff_t>(chosen));
    const auto found = queue.find(id);
    if (found != queue.end()) {
      const std::shared_ptr<Queued> piece = found->second;
      if (piece->running) {
        std::unique_lock lock(mutex, std::adopt_lock);
        progress.wait(lock, [&] { return !queue.contains(id); });
        lock.release();
      } else if (piece->work->ready && !piece->work->ready(*this)) {
        parked.push_back(id);
        continue;
      } else if (!run(piece)) {
        parked.push_back(id);
        patience = std::chrono::steady_clock::now() + hangLimit;
        letOthersCall();
        continue;
      } else {
        patience = std::chrono::steady_clock::now() + hangLimit;
        if (config.eagerness && pick(100) < static_cast<size_t>(config.eagerness))
          step(1);
      }
    }
    required.done(id);
  }
  return true;
}

size_t Driver::step(size_t count) {
  for (size_t steps = 0; steps < count; ++steps) {
    std::vector<std::shared_ptr<Queued>> free;
    std::unordered_set<uint64_t> seen; // only the front of each stream can be ready
    for (const auto &[id, piece] : queue)
      if (seen.insert(piece->stream->number).second && !piece->running &&
          std::none_of(piece->waits.begin(), piece->waits.end(), [&](uint64_t before) { return isPending(before); }) &&
          (!piece->work->ready || piece->work->ready(*this)))
        free.push_back(piece);
    if (free.empty())
      return steps;
    if (!run(free[pick(free.size())]))
      letOthersCall();
  }
  return count;
}

std::vector<uint64_t> Driver::pendingOf(const Context &context) const {
  std::vector<uint64_t> result;
  for (const auto &[number, stream] : context.streams)
    if (stream->pending)
      result.push_back(stream->last);
  return result;
}

CUresult Driver::synchronize(const std::shared_ptr<Context> &context) {
  std::vector<Clock> known;
  for (const auto &[number, stream] : context->streams)
    known.push_back(stream->clock);
  force(pendingOf(*context));
  for (const Clock &clock : known)
    hostClock.join(clock);
  trimPools(context->device);
  return context->lost;
}

CUresult Driver::synchronize(const std::shared_ptr<Stream> &stream) {
  const Clock known = stream->clock;
  force({stream->last});
  hostClock.join(known);
  trimPools(stream->context->device);
  return stream->context->lost;
}

/// Long enough for most kernels; those that wait for the host must not keep it in a query.
constexpr std::chrono::milliseconds queryLimit{20};

bool Driver::runForQuery(uint64_t id) { return force({id}, queryLimit); }

bool Driver::outlasts(uint64_t id, int &queries) const {
  const auto found = queue.find(id);
  return found != queue.end() && ++queries <= config.queryPatience + found->second->work->extraQueries;
}

/// Discards the work of a context that is being destroyed.
void Driver::drop(const Context &context) {
  std::vector<std::shared_ptr<Queued>> pieces;
  for (const auto &[id, piece] : queue)
    if (piece->stream->context.get() == &context)
      pieces.push_back(piece);
  for (const std::shared_ptr<Queued> &piece : pieces)
    finish(piece);
}

} // namespace fakecuda

// Joins of vector clocks, and what fences publish.
#include "knowledge.h"

#include <algorithm>

namespace ptxmachine {

namespace {
using Entry = Knowledge::Entry;

void put(std::vector<Entry> &list, Entry entry) {
  const auto at = std::lower_bound(list.begin(), list.end(), entry, [](Entry a, Entry b) { return a.who < b.who; });
  if (at == list.end() || at->who != entry.who)
    list.insert(at, entry);
  else
    at->until = std::max(at->until, entry.until);
}

std::vector<Entry> merged(const std::vector<Entry> &a, const std::vector<Entry> &b) {
  std::vector<Entry> result;
  result.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result),
             [](Entry x, Entry y) { return x.who < y.who; });
  size_t kept = 0;
  for (const Entry entry : result)
    if (kept && result[kept - 1].who == entry.who)
      result[kept - 1].until = std::max(result[kept - 1].until, entry.until);
    else
      result[kept++] = entry;
  result.resize(kept);
  return result;
}

bool covers(const std::vector<Entry> &all, const std::vector<Entry> &part) {
  return all.size() >= part.size() &&
         std::all_of(part.begin(), part.end(), [&](Entry e) { return Knowledge::find(all, e.who) >= e.until; });
}
} // namespace

uint32_t Knowledge::find(const std::vector<Entry> &list, uint32_t who) {
  const auto at = std::lower_bound(list.begin(), list.end(), who, [](Entry a, uint32_t b) { return a.who < b; });
  return at != list.end() && at->who == who ? at->until : 0;
}

SharedKnowledge join(const SharedKnowledge &a, const SharedKnowledge &b) {
  if (!a || !b || a == b)
    return a ? a : b;
  if (covers(a->blocks, b->blocks) && covers(a->threads, b->threads))
    return a;
  return std::make_shared<const Knowledge>(Knowledge{merged(a->blocks, b->blocks), merged(a->threads, b->threads)});
}

bool WarpClock::knows(const Epoch &past, unsigned lane, uint32_t round, unsigned warpsPerBlock) const {
  LaneMask others = past.lanes;
  if (past.warp == warp)
    others &= ~(LaneMask{1} << lane);
  const uint32_t pastBlock = past.warp / warpsPerBlock;
  if (!others || (pastBlock == block && past.round < round))
    return true;
  const Knowledge *outside = external[lane].get();
  if (outside && Knowledge::find(outside->blocks, pastBlock) > past.round)
    return true;
  for (LaneMask rest = others; rest; rest &= rest - 1) {
    const auto other = static_cast<unsigned>(std::countr_zero(rest));
    const bool bySelf = past.warp == warp && !rows.empty() && rows[lane * warpSize + other] > past.time;
    if (!bySelf && !(outside && Knowledge::find(outside->threads, past.warp * warpSize + other) > past.time))
      return false;
  }
  return true;
}

void WarpClock::fence(unsigned lane, uint32_t round) {
  learn(lane, pending[lane]);
  pending[lane] = nullptr;
  fences[lane] = {true, ++time, round, external[lane]};
}

void WarpClock::meet(LaneMask lanes) {
  if (rows.empty())
    rows.assign(size_t{warpSize} * warpSize, 0);
  ++time;
  uint32_t all[warpSize] = {};
  SharedKnowledge known;
  forLanes(lanes, [&](unsigned lane) {
    for (unsigned other = 0; other < warpSize; ++other)
      all[other] = std::max(all[other], rows[lane * warpSize + other]);
    all[lane] = time;
    known = join(known, external[lane]);
  });
  forLanes(lanes, [&](unsigned lane) {
    std::copy(std::begin(all), std::end(all), rows.begin() + lane * warpSize);
    external[lane] = known;
  });
}

SharedKnowledge WarpClock::snapshot(unsigned lane, const Fence &fence) const {
  Knowledge result = fence.external ? *fence.external : Knowledge{};
  if (fence.round)
    put(result.blocks, {block, fence.round});
  put(result.threads, {warp * warpSize + lane, fence.time});
  if (!rows.empty())
    for (unsigned other = 0; other < warpSize; ++other)
      if (const uint32_t until = std::min(rows[lane * warpSize + other], fence.time); until && other != lane)
        put(result.threads, {warp * warpSize + other, until});
  return std::make_shared<const Knowledge>(std::move(result));
}

SharedKnowledge WarpClock::released(unsigned lane) const {
  return fences[lane].happened ? snapshot(lane, fences[lane]) : nullptr;
}

SharedKnowledge WarpClock::all(unsigned lane, uint32_t round) {
  return snapshot(lane, {true, ++time, round, external[lane]});
}

} // namespace ptxmachine

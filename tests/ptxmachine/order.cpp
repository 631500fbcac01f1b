// Release sequences by location. Scopes narrower than the grid count like wider ones.
#include "order.h"

namespace ptxmachine {

namespace {

const SharedKnowledge *find(const Step &s, const Target &target) {
  if (target.region)
    return s.warp.launch().findReleased(target.region->address + target.offset);
  return target.block ? target.block->findReleased(target.offset) : nullptr;
}

SharedKnowledge &at(const Step &s, const Target &target) {
  return target.region ? s.warp.launch().released(target.region->address + target.offset)
                       : target.block->released(target.offset);
}

} // namespace

void fence(Step &s, LaneMask lanes) {
  forLanes(lanes, [&](unsigned lane) { s.warp.clock.fence(lane, s.warp.block.round); });
}

void noteStrongRead(Step &s, const Instruction &, unsigned lane, const Target &target, bool acquires) {
  if (const SharedKnowledge *released = find(s, target); released && *released)
    s.warp.clock.acquire(lane, *released);
  if (acquires)
    s.warp.clock.fence(lane, s.warp.block.round);
}

void noteStrongStore(Step &s, const Instruction &, unsigned lane, const Target &target) {
  if (!target.shadow)
    return;
  const SharedKnowledge released = s.warp.clock.released(lane);
  if (released || find(s, target))
    at(s, target) = released;
}

void noteStrongUpdate(Step &s, unsigned lane, const Target &target) {
  if (!target.shadow)
    return;
  if (const SharedKnowledge released = s.warp.clock.released(lane)) {
    SharedKnowledge &location = at(s, target);
    location = join(location, released);
  }
}

} // namespace ptxmachine

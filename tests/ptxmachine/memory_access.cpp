// From an address to bytes: windows of shared, local and param memory, regions of the device; bounds, alignment, races.
#include "cluster.h"
#include "launch.h"

#include <algorithm>
#include <cstring>

namespace ptxmachine {

namespace {

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

[[noreturn]] void outOfBounds(unsigned lane, const MemoryAccess &access, const std::string &where) {
  const char *verb = access.kind == AccessKind::Read ? "reads " : "writes ";
  throw Fault(FaultKind::OutOfBounds, verb + std::to_string(access.bytes) + " bytes at " + where,
              static_cast<int>(lane));
}

uint64_t sharedOffset(uint64_t address) {
  return (address >> peerShift & 0xFF) ? address & peerOffsets : address & 0xFFFFFFFF;
}

/// `found`: at which offset.
Target inSharedOf(Block &block, Target found) {
  found.data = block.shared.data() + found.offset;
  found.written = &block.sharedWritten;
  found.shadow = block.sharedShadow.get();
  found.block = &block;
  return found;
}

} // namespace

uint64_t Warp::addressOf(Step &s, const Instruction &i, unsigned lane) const {
  return s.source(i, 0).at[lane] + static_cast<uint64_t>(i.offset) +
         (i.addressBase == AddressBase::LocalFrame ? s.frame.localBase : 0);
}

Target Warp::locate(Step &s, const Instruction &i, unsigned lane, uint64_t address, const MemoryAccess &access) {
  if (address % access.bytes)
    throw Fault(FaultKind::Misaligned,
                "the address " + hex(address) + " is no multiple of " + std::to_string(access.bytes),
                static_cast<int>(lane));
  const uint64_t window = address & windowMask;
  if (i.space == Space::Shared || (i.space == Space::Generic && window == sharedWindow))
    return inSharedOf(sharedOf(i, lane, address),
                      locateShared(lane, sharedOffset(address), s.tag(i.sources[0]), access));
  if (i.space == Space::Local || (i.space == Space::Generic && window == localWindow))
    return locateLocal(s, lane, address & ~windowMask, access);
  if (i.space == Space::Param)
    return locateParam(s, i, lane, address, access);
  if (i.space == Space::Const)
    return locateDevice(lane, (address & 0xFFFFFFFF) + launch().program->constBase(), 0, access);
  return locateDevice(lane, address, s.tag(i.sources[0]), access);
}

/// The block whose shared memory an address is in. Only generic ones, and those of shared::cluster, lead to others.
Block &Warp::sharedOf(const Instruction &i, unsigned lane, uint64_t address) {
  const uint64_t peer = address >> peerShift & 0xFF;
  if (!peer)
    return block;
  if (i.space == Space::Shared && i.opcode->find("shared::cluster") == std::string::npos)
    throw Fault(FaultKind::OutOfBounds, "uses an address of another block's shared memory as one of its own",
                static_cast<int>(lane));
  return block.cluster->peer(peer - 1, lane);
}

/// Static variables have gaps between them; the dynamic ones are one piece after them. Compilers widen loads beyond the
/// end of a variable, which an aligned vector in hardware allows: what is there is undefined.
Target Warp::locateShared(unsigned lane, uint64_t offset, uint32_t tag, const MemoryAccess &access) {
  const Program &program = *launch().program;
  const std::vector<Place> &places = program.sharedPlaces();
  const uint64_t end = offset + (access.certain ? access.certain : access.bytes);
  const auto isInside = [&](size_t at) {
    if (at == places.size())
      return offset >= program.sharedBytes() && end <= program.sharedBytes() + launch().shape.dynamicShared;
    return offset >= places[at].offset && end <= places[at].offset + places[at].bytes;
  };
  size_t found = 0;
  if (tag >= sharedTags) {
    found = tag - sharedTags;
    if (!isInside(found))
      outOfBounds(lane, access,
                  "offset " +
                      std::to_string(static_cast<int64_t>(
                          offset - (found < places.size() ? places[found].offset : program.sharedBytes()))) +
                      " of the shared variable " +
                      (found < places.size()
                           ? places[found].name + " of " + std::to_string(places[found].bytes) + " bytes"
                           : "of dynamic size"));
  }
  while (found <= places.size() && !isInside(found))
    ++found;
  if (found > places.size())
    outOfBounds(lane, access, "offset " + std::to_string(offset) + " of shared memory, where no variable is");
  Target target;
  target.offset = offset;
  return target;
}

Target Warp::locateLocal(Step &s, unsigned lane, uint64_t offset, const MemoryAccess &access) {
  Frame *frame = &s.frame;
  while (frame && offset < frame->localBase)
    frame = frame->caller.get();
  const uint64_t inner = frame ? offset - frame->localBase : 0;
  const auto isInside = [&](size_t first, size_t bytes) {
    return inner >= first && inner + access.bytes <= first + bytes;
  };
  if (frame && (std::any_of(frame->code.locals.begin(), frame->code.locals.end(),
                            [&](const Place &place) { return isInside(place.offset, place.bytes); }) ||
                std::any_of(frame->pieces.begin(), frame->pieces.end(), [&](const StackPiece &piece) {
                  return piece.lane == lane && isInside(piece.offset, piece.bytes);
                })))
    return {frame->local.of(lane) + inner, nullptr, &frame->local, inner, nullptr, nullptr, false};
  outOfBounds(lane, access, "offset " + std::to_string(offset) + " of local memory, where no variable is");
}

Target Warp::locateParam(Step &s, const Instruction &i, unsigned lane, uint64_t offset, const MemoryAccess &access) {
  const bool isEntry = s.frame.code.function->isEntry;
  for (size_t at = 0; at < s.frame.code.params.size(); ++at) {
    const Place &place = s.frame.code.params[at];
    if (offset < place.offset || offset + access.bytes > place.offset + place.bytes)
      continue;
    if (!isEntry || at >= s.frame.code.parameterCount)
      return {s.frame.params.of(lane) + offset, nullptr, &s.frame.params, offset, nullptr, nullptr, false};
    if (access.kind != AccessKind::Read)
      break;
    const auto &parameters = launch().parameters;
    return {const_cast<std::byte *>(parameters.data()) + offset, nullptr, nullptr, offset, nullptr, nullptr, true};
  }
  (void)i;
  outOfBounds(lane, access, "offset " + std::to_string(offset) + " of parameters");
}

Target Warp::locateDevice(unsigned lane, uint64_t address, uint32_t tag, const MemoryAccess &access) {
  Region *region = lastRegion;
  if (!region || address < region->address || address - region->address >= region->bytes) {
    region = launch().memory.find(address);
    if (!region)
      outOfBounds(lane, access, hex(address) + ": " + launch().memory.describe(address));
    lastRegion = region;
    lastShadow = launch().shadowOf(*region);
  }
  const uint64_t offset = address - region->address;
  const Region *meant = tag && tag < sharedTags ? launch().regionOf(tag) : nullptr;
  if (meant && meant != region)
    outOfBounds(lane, access,
                "byte " + std::to_string(static_cast<int64_t>(address - meant->address)) + " of " +
                    std::to_string(meant->bytes) + " bytes, " + meant->name + "; that is in " + region->name);
  if (offset + access.bytes > region->bytes)
    outOfBounds(lane, access,
                "byte " + std::to_string(offset) + " of " + std::to_string(region->bytes) + " bytes, " + region->name);
  if (region->isConstant && access.kind != AccessKind::Read)
    outOfBounds(lane, access, hex(address) + ", which is constant: " + region->name);
  return {region->data + offset, &region->written, nullptr, offset, lastShadow, region, false};
}

/// The first of the lanes that does not know of the access; 0 if all do.
LaneMask Warp::laneThatMisses(const Epoch &past, LaneMask lanes) const {
  for (LaneMask rest = lanes; rest; rest &= rest - 1)
    if (!clock.knows(past, static_cast<unsigned>(std::countr_zero(rest)), block.round, launch().warpsPerBlock))
      return rest & -rest;
  return 0;
}

void Warp::note(const Instruction &i, LaneMask lanes, const Target &target, const MemoryAccess &access) {
  if (!target.shadow || !launch().options.findsRaces)
    return;
  struct Threads {
    const Warp *warp;
    LaneMask lanes;
    bool isReadOnly;
  } threads{this, lanes, access.isReadOnly};
  const Knows knows = [](const void *who, const Epoch &past) {
    const auto &[warp, lanes, isReadOnly] = *static_cast<const Threads *>(who);
    return !isReadOnly && !past.isReadOnly && !warp->laneThatMisses(past, lanes);
  };
  Epoch now = clock.now(lanes, block.round, i.source.line, access.isStrong);
  now.isReadOnly = access.isReadOnly;
  // What is read as memory that nobody writes is ordered with nothing: no warp is near.
  const uint32_t near = access.isReadOnly ? 0 : launch().warpsPerBlock;
  const Asker asker{&threads, knows, clock.ownWarp() - index, near, block.round};
  const Epoch *past = target.shadow->access(target.offset, access.bytes, access.kind, now, asker);
  if (!past)
    return;
  const LaneMask missing = laneThatMisses(*past, lanes);
  const int lane = std::countr_zero(missing ? missing : lanes);
  const std::string what = std::string(access.kind == AccessKind::Read ? "reads " : "writes ") +
                           std::to_string(access.bytes) + " bytes at byte " + std::to_string(target.offset) + " of " +
                           (target.region ? target.region->name : "shared memory");
  const std::string other = std::string(target.shadow->isPastWrite() ? "written" : "read") + " by " + placeOf(*past);
  if (access.isReadOnly || past->isReadOnly)
    throw Fault(FaultKind::ReadOnlyWritten, what + " as memory that nobody writes, and it is " + other, lane);
  throw Fault(FaultKind::Race, what + ", " + other + ", and nothing orders the two", lane);
}

} // namespace ptxmachine

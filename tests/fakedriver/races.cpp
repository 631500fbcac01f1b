// The race checker: two accesses to the same bytes must be ordered if one of them is a write.
#include "driver.h"

#include <algorithm>

namespace fakecuda {

namespace {
/// Per allocation. Beyond it the oldest is dropped, which is the least likely to be still unordered.
constexpr size_t maxHistory = 4096;
constexpr size_t maxHashed = size_t{4} << 20;

bool overlap(const Access &a, const Access &b) {
  return a.address < b.address + b.bytes && b.address < a.address + a.bytes;
}

bool contains(const Access &outer, const Access &inner) {
  return outer.address <= inner.address && inner.address + inner.bytes <= outer.address + outer.bytes;
}

const char *verb(AccessKind kind) {
  static constexpr const char *verbs[] = {"reads", "writes", "allocates", "frees"};
  return verbs[static_cast<size_t>(kind)];
}
} // namespace

/// FNV-1a over words.
uint64_t hashBytes(const std::byte *bytes, size_t size) {
  uint64_t hash = 14695981039346656037ull;
  for (size_t at = 0; at < std::min(size, maxHashed); ++at)
    hash = (hash ^ static_cast<uint64_t>(bytes[at])) * 1099511628211ull;
  return hash;
}

/// A use must follow the queued allocation and precede the queued free of its memory.
void Driver::checkLife(const Access &access, const Queued &piece) {
  const std::shared_ptr<Allocation> allocation = memory.find(access.address);
  if (!allocation)
    return; // reported when it runs, as are bounds
  for (const PastAccess &past : allocation->history) {
    const bool known =
        past.stream == piece.stream->number ? past.tick < piece.tick : piece.known->covers(past.stream, past.tick);
    if (past.access.kind == AccessKind::Free && known)
      violate(Rule::UseAfterFree,
              piece.work->name + " uses memory made by " + allocation->madeBy + " after " + *past.what +
                  " freed it in stream order",
              CUDA_ERROR_INVALID_VALUE);
  }
}

/// Accesses of kernels are known when they have run, others at their call: either of two may be the earlier one.
void Driver::checkRaces(const Work &work, const std::vector<Access> &accesses, const Queued &piece) {
  const auto what = std::make_shared<const std::string>(work.name + " (" + piece.calledBy + ")");
  const uint64_t stream = piece.stream->number;
  for (const Access &access : accesses) {
    const std::shared_ptr<Allocation> allocation = memory.find(access.address);
    if (!allocation)
      continue;
    checkLife(access, piece);
    std::erase_if(allocation->history, [&](const PastAccess &past) {
      const bool isEarlier =
          past.stream == stream ? past.tick < piece.tick : piece.known->covers(past.stream, past.tick);
      const bool isOrdered = isEarlier || past.stream == stream || past.known->covers(stream, piece.tick);
      const bool harmless = past.access.kind == AccessKind::Read && access.kind == AccessKind::Read;
      if (!isOrdered && !harmless && overlap(past.access, access))
        violate(Rule::Race,
                *what + " " + verb(access.kind) + " bytes from " + hex(std::max(access.address, past.access.address)) +
                    " that " + *past.what + " " + verb(past.access.kind) +
                    ", and nothing orders the two; memory made by " + allocation->madeBy,
                CUDA_SUCCESS);
      // Anything ordered after this access is also ordered after the older one: this one follows it.
      return isEarlier && contains(access, past.access) &&
             (access.kind != AccessKind::Read || past.access.kind == AccessKind::Read);
    });
    if (allocation->history.size() >= maxHistory)
      allocation->history.erase(allocation->history.begin());
    allocation->history.push_back({access, stream, piece.tick, what, piece.known});
  }
}

/// The host must not modify what a queued copy accesses. Work and host functions may.
void Driver::checkWatches(const Work &work) {
  for (const HostWatch &watch : work.watches) {
    const Allocation &allocation = *watch.allocation;
    if (!allocation.freedBy.empty() || allocation.workWrites != watch.workWrites ||
        hostFunctions != watch.hostFunctions)
      continue;
    if (hashBytes(allocation.view + (watch.address - allocation.address), watch.bytes) != watch.hash)
      violate(Rule::HostRace,
              "the host changed " + std::to_string(watch.bytes) + " bytes at " + hex(watch.address) +
                  " between the call of " + work.name + " and its run; memory made by " + allocation.madeBy,
              CUDA_SUCCESS);
  }
}

} // namespace fakecuda

// Keeps the parameters of one launch, and what its memory is used by, in step with its arguments.
#include "launch/bound_launch.h"

#include <algorithm>
#include <utility>

namespace treadle {

BoundLaunch::~BoundLaunch() { forget(); }

void BoundLaunch::prepare(const ArgumentList &arguments) {
  forget();
  prepared = dispatcher.prepare(launch, arguments);
  if (!prepared)
    return;
  maker.share(prepared->use);
  overload = dispatcher.overloadFor(arguments);
  const auto given = arguments.leaves.view();
  leaves.assign(given.begin(), given.end());
  // Tuples have more tokens than leaves.
  if (arguments.tokens.size() == given.size() && overload)
    tokens.assign(arguments.tokens.view().begin(), arguments.tokens.view().end());
  buffers.resize(leaves.size());
  unsigned next = 0;
  for (size_t i = 0; i < leaves.size() && next < arguments.buffers.size(); ++i)
    if (leaves[i].kind == ArgumentLeaf::Kind::Array)
      buffers[i] = *arguments.buffers.view()[next++];
}

void BoundLaunch::forget() {
  if (!prepared)
    return;
  for (const std::shared_ptr<Buffer> &buffer : buffers)
    if (buffer)
      buffer->unshare(prepared->use);
  buffers.clear();
  tokens.clear();
  if (inUse == 0)
    prepared = nullptr;
  else
    retired.push_back(std::move(prepared));
}

LaunchOutcome BoundLaunch::call(HostLock &host) {
  struct Use {
    explicit Use(BoundLaunch &bound) : bound(bound) { ++bound.inUse; }
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;
    ~Use() { --bound.inUse; }
    BoundLaunch &bound;
  };
  const PreparedLaunch &now = *prepared;
  const PreparedOwners owners(*now.use, maker);
  const Use use(*this);
  return dispatcher.launch({launch.config, now, now.block.data()}, owners, host);
}

void BoundLaunch::exchange(unsigned leaf, const ArgumentList &value) {
  if (inUse == 0)
    retired.clear();
  if (!prepared || !exchangeInPlace(leaf, value))
    forget();
}

bool BoundLaunch::exchangeInPlace(unsigned leaf, const ArgumentList &value) {
  const bool isSame = isReady() && inUse == 0 && leaf < tokens.size() && value.tokens.size() == 1 &&
                      value.leaves.size() == 1 && value.tokens.view()[0] == tokens[leaf];
  if (!isSame)
    return false;
  const ArgumentLeaf &given = value.leaves.view()[0];
  const bool isArray = given.kind == ArgumentLeaf::Kind::Array;
  if (isArray && (value.usesHostMemory || value.usesBorrowed || value.isUsedBefore ||
                  value.device != prepared->device || value.buffers.size() != 1))
    return false;
  leaves[leaf] = given;
  if (isArray) {
    const Facts facts = overload->factsOf(launch.facts, leaves);
    if (overload->find(*prepared->device, facts.key()) != prepared->variant)
      return false;
    exchangeBuffer(leaf, *value.buffers.view()[0]);
  }
  prepared->variant->pack.packLeaf(leaf, given, prepared->block.data());
  return true;
}

unsigned BoundLaunch::usesOf(const Buffer *buffer) const {
  return unsigned(std::ranges::count(buffers, buffer, [](const auto &one) { return one.get(); }));
}

/// Each piece of memory has the launch's uses once, however many arrays lie in it.
void BoundLaunch::exchangeBuffer(unsigned leaf, const std::shared_ptr<Buffer> &buffer) {
  std::shared_ptr<Buffer> &place = buffers[leaf];
  if (place == buffer)
    return;
  if (usesOf(buffer.get()) == 0)
    buffer->share(prepared->use);
  if (usesOf(place.get()) == 1)
    place->unshare(prepared->use);
  place = buffer;
}

} // namespace treadle

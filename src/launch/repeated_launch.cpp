// How launches are packed for their repetition, and when: at the second with the same key.
#include "launch/repeated_launch.h"

#include "launch/inside_dispatcher.h"
#include "launch/launch_facts.h"

#include <algorithm>

namespace treadle {

RepeatedLaunch::RepeatedLaunch(const Submission &made, LaunchMaker &maker)
    : variant(made.variant), config(made.config), stream(made.stream), device(stream.device()),
      generation(device.generation()), block(variant.pack.size()), maker(maker), use(stream.last().timeline) {}

std::unique_ptr<RepeatedLaunch> RepeatedLaunch::of(const Submission &made, const ArgumentList &arguments,
                                                   LaunchMaker &maker) {
  const Device &device = made.stream.device();
  const auto isReady = [&device](const std::shared_ptr<Buffer> *buffer) {
    return !(*buffer)->isLost() && !(*buffer)->isUsedBefore() && &(*buffer)->device() == &device;
  };
  if (arguments.usesHostMemory || made.variant.pack.size() > maxBytes ||
      !std::ranges::all_of(arguments.buffers.view(), isReady))
    return nullptr;
  std::unique_ptr<RepeatedLaunch> launch(new RepeatedLaunch(made, maker));
  made.variant.pack.pack(arguments.leaves.view(), launch->block.data());
  for (const std::shared_ptr<Buffer> *buffer : arguments.buffers.view())
    (*buffer)->share(launch->use.shared());
  maker.share(launch->use.shared());
  return launch;
}

void RepeatedLaunch::addNumber(unsigned index, NumberCode code) {
  const std::optional<uint32_t> offset = variant.pack.placeOf(index, code);
  if (offset || variant.pack.reads(index))
    numbers.push_back({uint16_t(index), uint16_t(offset.value_or(0)), code, uint8_t(offset ? rowOf(code).bytes : 0)});
}

const char *RepeatedLaunch::withNumbers(const void *const *values, char *room) const {
  std::memcpy(room, block.data(), block.size());
  for (const Number &number : numbers) {
    const void *const value = values[number.index];
    if (number.bytes == 8) {
      std::memcpy(room + number.offset, value, 8);
    } else if (number.bytes == 4) {
      std::memcpy(room + number.offset, value, 4);
    } else if (number.bytes != 0) {
      std::memcpy(room + number.offset, value, number.bytes);
    } else {
      ArgumentList list;
      list.addNumber(number.code, value);
      variant.pack.packLeaf(number.index, list.leaves[0], room);
    }
  }
  return room;
}

LaunchOrigin *RepeatedLaunch::origin() const { return &maker; }

void RepeatedLaunch::queued(const std::shared_ptr<StreamTimeline> &, uint64_t position) const {
  use.note(position);
  maker.isUsed();
}

namespace {

/// Rarely equal for different keys.
uint64_t hashOf(LaunchKey key) {
  uint64_t all = 1;
  for (size_t at = 0; at < key.size(); at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, key.data() + at, sizeof word);
    all = (all ^ word) * 0x9e3779b97f4a7c15u;
  }
  return all;
}

} // namespace

bool RepeatedLaunches::recurs(LaunchKey key) {
  const uint64_t now = hashOf(key);
  if (std::ranges::find(seen, now) != seen.end())
    return true;
  seen[nextSeen++ % seen.size()] = now;
  return false;
}

void RepeatedLaunches::add(LaunchKey key, std::shared_ptr<const RepeatedLaunch> launch) {
  Entry &entry = entries[next];
  entry.launch = std::move(launch);
  entry.key.assign(key.begin(), key.end());
  latest = next;
  filled = std::max(filled, next + 1);
  next = (next + 1) % size;
}

std::unique_ptr<RepeatedLaunch> Dispatcher::repeatable(const ConfiguredLaunch &launch, const ArgumentList &arguments,
                                                       LaunchMaker &maker) {
  if (launch.isOfThread || arguments.usesBorrowed)
    return nullptr;
  Stream &stream = launch.stream ? *launch.stream : device().defaultStream();
  Device &device = stream.device();
  const Overload *const overload = table.find(arguments.tokens.view());
  if (!overload || !overload->captured.empty() || launch.device != &device)
    return nullptr;
  const Variant *const variant =
      overload->find(device, overload->factsOf(launch.facts, arguments.leaves.view(), device).key());
  if (!variant)
    return nullptr;
  std::unique_ptr<RepeatedLaunch> made =
      RepeatedLaunch::of({*variant, launch.config, stream, nullptr}, arguments, maker);
  if (made)
    made->clears = clears.load();
  return made;
}

LaunchOutcome Dispatcher::launch(const RepeatedLaunch &repeated, const char *parameters, HostLock &hostLock) {
  Inside host(*this, hostLock);
  return repeated.launch(parameters, host);
}

} // namespace treadle

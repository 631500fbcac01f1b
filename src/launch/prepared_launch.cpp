// What a dispatcher does for launches that are made again.
#include "launch/prepared_launch.h"

#include "launch/inside_dispatcher.h"
#include "launch/launch_facts.h"

#include <algorithm>

namespace treadle {

std::unique_ptr<PreparedLaunch> Dispatcher::prepare(const ConfiguredLaunch &launch, const ArgumentList &arguments) {
  if (launch.isOfThread || arguments.usesHostMemory || arguments.usesBorrowed)
    return nullptr;
  Stream &stream = launch.stream ? *launch.stream : device().defaultStream();
  Device &device = stream.device();
  const Overload *const overload = table.find(arguments.tokens.view());
  if (!overload || !overload->captured.empty() || launch.device != &device)
    return nullptr;
  const Variant *const variant = overload->find(device, overload->factsOf(launch.facts, arguments.leaves.view()).key());
  if (!variant || variant->pack.size() > PreparedLaunch::maxBytes)
    return nullptr;
  const auto isReady = [&device](const std::shared_ptr<Buffer> *buffer) {
    return !(*buffer)->isLost() && !(*buffer)->isUsedBefore() && &(*buffer)->device() == &device;
  };
  if (!std::ranges::all_of(arguments.buffers.view(), isReady))
    return nullptr;
  auto prepared = std::make_unique<PreparedLaunch>(
      PreparedLaunch{variant, &stream, &device, device.generation(), clears.load(),
                     std::make_shared<SharedUse>(stream.last().timeline), std::vector<char>(variant->pack.size())});
  variant->pack.pack(arguments.leaves.view(), prepared->block.data());
  for (const std::shared_ptr<Buffer> *buffer : arguments.buffers.view())
    (*buffer)->share(prepared->use);
  return prepared;
}

LaunchOutcome Dispatcher::launch(const PreparedCall &call, const LaunchOwners &owners, HostLock &hostLock) {
  Inside host(*this, hostLock);
  const PreparedLaunch &prepared = call.prepared;
  return prepared.stream->launch({prepared.variant->kernel, call.config, call.block, &owners}, host);
}

} // namespace treadle

// Compiles once, launches often.
#include "launch/dispatcher.h"

#include "launch/launch_facts.h"
#include "launch/overload_resolution.h"
#include "launch/runtime.h"
#include "launch/stage_dump.h"
#include "support/error.h"
#include "support/fork_gate.h"

#include <algorithm>
#include <utility>

namespace treadle {

Program::~Program() = default;

Image generateFor(HostLock &host, const GenerateRequest &request) {
  std::optional<Image> image =
      compiler().generate(request, [&host] { return host.goesOn(LaunchWatcher::Place::Wait); });
  if (!image)
    throw WaitInterrupted();
  return std::move(*image);
}

namespace {

/// Stack space for parameter blocks; larger ones are rare and go to the heap.
constexpr uint32_t usualBlock = 1024;
/// How long who waits for a compilation does not look at what its host wants.
constexpr std::chrono::milliseconds betweenLooks{50};

} // namespace

/// The right to do one piece of work that others wait for. Whoever finds it taken waits until it is given back, with
/// the host's lock released, and then looks again.
class Dispatcher::Claim {
public:
  explicit Claim(Claims::Work work) : work(std::move(work)) {}
  Claim(const Claim &) = delete;
  Claim &operator=(const Claim &) = delete;
  ~Claim() {
    if (isMine)
      claims.giveBack(work);
  }

  /// True: the work is this thread's. False: another thread had it and is done with it, well or not.
  bool take(HostLock &host) {
    if (claims.tryTake(work))
      return isMine = true;
    const HostUnlocked unlocked(host);
    while (!claims.waitFor(work, betweenLooks))
      if (!host.goesOn(LaunchWatcher::Place::Wait))
        throw WaitInterrupted();
    return false;
  }

private:
  Claims &claims = Runtime::instance().claims();
  const Claims::Work work;
  bool isMine = false;
};

/// The host's lock as one call of a dispatcher has it. While the call has let go of it, or may run the host's code,
/// others may `clear`, but nothing that it uses is freed.
class Dispatcher::Inside final : public HostLock {
public:
  Inside(Dispatcher &dispatcher, HostLock &host) : dispatcher(dispatcher), host(host) {}
  Inside(const Inside &) = delete;
  Inside &operator=(const Inside &) = delete;
  ~Inside() {
    if (isCounted)
      dispatcher.inside.fetch_sub(1);
  }

  void release() override {
    count();
    host.release();
  }
  void acquire() override { host.acquire(); }
  void becomesLong() override {
    count();
    host.becomesLong();
  }
  bool goesOn(Place place) noexcept override {
    count();
    return host.goesOn(place);
  }
  void printed(std::string_view text) override {
    count();
    host.printed(text);
  }

private:
  void count() {
    if (!isCounted)
      dispatcher.inside.fetch_add(1);
    isCounted = true;
  }

  Dispatcher &dispatcher;
  HostLock &host;
  bool isCounted = false;
};

Dispatcher::Dispatcher(Device *device, std::unique_ptr<Program> program, DispatcherOptions options)
    : givenDevice(device), program(std::move(program)), settings(std::move(options)) {}
Dispatcher::~Dispatcher() = default;

Device &Dispatcher::device() { return givenDevice ? *givenDevice : Runtime::instance().device(); }

[[noreturn]] static void refuseOtherDevice(const std::string &name) {
  throw UsageError(UsageError::Kind::Value,
                   name +
                       ": the arrays lie in the memory of another device than the launch runs on: select that device "
                       "and launch on a stream of it, or copy the arrays");
}

LaunchOutcome Dispatcher::launch(const ConfiguredLaunch &launch, const ArgumentList &arguments,
                                 const LaunchOwners *owners, HostLock &hostLock) {
  Inside host(*this, hostLock);
  Overload *overload = table.find(arguments.tokens.view());
  if (!overload) [[unlikely]]
    overload = &overloadFor(arguments, host);
  const Facts facts = factsOf(launch.facts, arguments.leaves.view());
  const Variant *variant = overload->find(facts.key());
  if (!variant) [[unlikely]]
    variant = &variantFor(*overload, facts, host);
  alignas(16) char inside[usualBlock];
  std::unique_ptr<char[]> heap;
  char *block = inside;
  if (variant->pack.size() > usualBlock) [[unlikely]] {
    heap = std::make_unique<char[]>(variant->pack.size());
    block = heap.get();
  }
  variant->pack.pack(arguments.leaves.view(), block);
  const std::shared_ptr<Stream> own = launch.isOfThread ? device().threadStream() : nullptr;
  Stream &stream = launch.stream ? *launch.stream : own ? *own : device().defaultStream();
  if (launch.device != &stream.device()) [[unlikely]]
    checkLimits(launch.config, stream.device().limits());
  if (arguments.device && arguments.device != &stream.device()) [[unlikely]]
    refuseOtherDevice(settings.name);
  if (arguments.isUsedBefore) [[unlikely]]
    for (const std::shared_ptr<Buffer> *buffer : arguments.buffers.view())
      (*buffer)->orderBehindEarlierUse(stream);
  if (overload->captured.empty()) [[likely]]
    return stream.launch({variant->kernel, launch.config, block, owners}, host);
  checkCaptured(*overload, stream);
  const LaunchOutcome outcome = stream.launch({variant->kernel, launch.config, block, owners}, host);
  if (outcome == LaunchOutcome::Queued)
    for (const std::shared_ptr<Buffer> &buffer : overload->captured)
      buffer->use(stream.last());
  return outcome;
}

void Dispatcher::checkCaptured(const Overload &overload, Stream &stream) const {
  for (const std::shared_ptr<Buffer> &buffer : overload.captured) {
    if (buffer->isLost())
      throw DeviceError(
          "launch " + settings.name, 709,
          "the device of an array that it captured was reset after that was made: make the array again, and "
          "have the kernel compiled again, by recompile()");
    if (&buffer->device() != &stream.device())
      refuseOtherDevice(settings.name);
    buffer->orderBehindEarlierUse(stream);
  }
}

Overload &Dispatcher::overloadFor(const ArgumentList &arguments, HostLock &host) {
  const std::vector<const Type *> types = typesOf(arguments.tokens.view());
  Overload *found;
  if (isClosed)
    found = &resolve(types);
  else
    found = &inferOnce(Signature{types, types::none()}, host);
  const std::lock_guard lock(mutex);
  // Not after a `clear` that came between: what was compiled before it serves this launch only.
  if (std::ranges::any_of(current, [&](const auto &overload) { return overload.get() == found; }))
    table.insert(arguments.tokens.view(), found);
  return *found;
}

Overload &Dispatcher::resolve(std::span<const Type *const> arguments) const {
  std::vector<Overload *> candidates;
  std::vector<const Signature *> signatures;
  {
    const std::lock_guard lock(mutex);
    for (const std::unique_ptr<Overload> &overload : current) {
      candidates.push_back(overload.get());
      signatures.push_back(&overload->signature);
    }
  }
  return *candidates[resolveOverload(settings.name, arguments, signatures)];
}

Overload *Dispatcher::findOverload(const Signature &signature) const {
  const std::lock_guard lock(mutex);
  for (const std::unique_ptr<Overload> &overload : current)
    if (overload->signature.arguments == signature.arguments)
      return overload.get();
  return nullptr;
}

Overload &Dispatcher::inferOnce(const Signature &signature, HostLock &host) {
  for (;;) {
    if (Overload *known = findOverload(signature))
      return *known;
    Claim claim({this, signature.arguments, nullptr});
    // Between the look and the claim another thread may have finished: look once more under the claim.
    if (!claim.take(host))
      continue;
    if (Overload *known = findOverload(signature))
      return *known;
    auto made = std::make_unique<Overload>(signature, program->infer(signature));
    const std::lock_guard lock(mutex);
    ++counted.inferred;
    current.push_back(std::move(made));
    return *current.back();
  }
}

const Variant &Dispatcher::variantFor(Overload &overload, const Facts &facts, HostLock &host) {
  for (;;) {
    const Facts wanted = overload.wanted(facts);
    if (const Variant *known = overload.find(wanted.key()))
      return *known;
    // One at a time per overload, so that the number of variants can be kept.
    Claim claim({this, {}, &overload});
    if (!claim.take(host))
      continue;
    if (overload.find(overload.wanted(facts).key()))
      continue;
    return *build(overload, overload.wanted(facts), host);
  }
}

const Variant *Dispatcher::build(Overload &overload, const Facts &facts, HostLock &host) {
  const HostUnlocked unlocked(host);
  const std::string folder = dumpFolder();
  auto image = std::make_shared<const Image>(
      generateFor(host, {overload.typed, device().target(), facts, settings.compile, !folder.empty()}));
  const ForkGate gate;
  Runtime::instance().noteGenerated(*image);
  if (!folder.empty())
    dumpStages(folder, settings.name, *image);
  auto variant = std::make_unique<Variant>(image, device().load(image)->kernel());
  const std::lock_guard lock(mutex);
  ++counted.generated;
  return overload.add(std::move(variant));
}

const Overload &Dispatcher::compile(const Signature &signature, HostLock &hostLock) {
  Inside host(*this, hostLock);
  Overload &overload = inferOnce(signature, host);
  if (settings.isKernel && !overload.first())
    variantFor(overload, likelyFacts(), host);
  return overload;
}

Image Dispatcher::inspect(const Overload &overload, const Target &target, HostLock &hostLock) {
  Inside host(*this, hostLock);
  const HostUnlocked unlocked(host);
  const Variant *variant = overload.first();
  return generateFor(host,
                     {overload.typed, target, variant ? variant->image->facts : likelyFacts(), settings.compile, true});
}

void Dispatcher::forbidNewSignatures(bool forbidden) { isClosed = forbidden; }

std::vector<StreamPoint> Dispatcher::unfinished() {
  return givenDevice ? givenDevice->unfinished() : Runtime::instance().unfinished();
}

void Dispatcher::clear() {
  std::vector<StreamPoint> uses = unfinished();
  {
    const std::lock_guard lock(mutex);
    table.clear();
    retired.push_back({std::exchange(current, {}), std::move(uses)});
  }
  freeRetired();
}

void Dispatcher::freeRetired() {
  // A launch that had an overload before it was retired is over, or is counted here.
  if (inside.load() != 0)
    return;
  std::vector<Retired> unused; // freed without the lock: what code refers to may be the host's
  const std::lock_guard lock(mutex);
  table.freeForgotten();
  for (Retired &one : retired)
    if (std::ranges::all_of(one.uses, [](const StreamPoint &use) { return use.isComplete(); }))
      unused.push_back(std::exchange(one, {}));
  std::erase_if(retired, [](const Retired &one) { return one.overloads.empty(); });
}

std::vector<const Overload *> Dispatcher::overloads() const {
  const std::lock_guard lock(mutex);
  std::vector<const Overload *> list;
  for (const std::unique_ptr<Overload> &overload : current)
    list.push_back(overload.get());
  return list;
}

Dispatcher::Counts Dispatcher::counts() const {
  const std::lock_guard lock(mutex);
  return counted;
}

} // namespace treadle

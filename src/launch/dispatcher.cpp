// Compiles once, launches many times.
#include "launch/dispatcher.h"

#include "border/generate_request.h"
#include "launch/inside_dispatcher.h"
#include "launch/launch_facts.h"
#include "launch/overload_resolution.h"
#include "launch/submission.h"
#include "launch/traced_compile.h"
#include "runtime/code_cache.h"
#include "runtime/stage_dump.h"
#include "support/error.h"
#include "support/fork_gate.h"
#include "support/settings.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace treadle {

Program::~Program() = default;

TypedRef Program::inferRecalled(const Signature & /*signature*/, const std::shared_ptr<RecordedNames> & /*names*/) {
  throw InternalError("a program that recalls nothing was asked for what it recalled");
}

Target forced(Target target) {
  if (target.kind == Target::Kind::Ptx)
    if (const unsigned capability = settingCapability(Setting::ForcedCapability))
      target.computeCapability = capability;
  return target;
}

Target targetOf(unsigned computeCapability) {
  if (computeCapability == 0)
    return forced(Runtime::instance().device().target());
  Target target;
  target.kind = Target::Kind::Ptx;
  target.computeCapability = computeCapability;
  return forced(target);
}

Image generateFor(HostLock &host, const GenerateRequest &request) {
  std::optional<Image> image =
      compiler().generate(request, [&host] { return host.shouldContinue(LaunchWatcher::Activity::Wait); });
  if (!image)
    throw WaitInterrupted();
  return std::move(*image);
}

namespace {

/// The polling interval of a thread that waits for a compilation, for requests of its host.
constexpr std::chrono::milliseconds betweenLooks{50};

} // namespace

/// Exclusive ownership of one piece of work. A thread that finds it claimed waits until it is released, with the host's
/// lock released, and then retries.
class Dispatcher::Claim {
public:
  explicit Claim(Claims::Work work) : work(std::move(work)) {}
  Claim(const Claim &) = delete;
  Claim &operator=(const Claim &) = delete;
  ~Claim() {
    if (isMine)
      claims.giveBack(work);
  }

  /// True: this thread owns the work. False: another thread owned it and has finished, successfully or not.
  bool take(HostLock &host) {
    if (claims.tryTake(work))
      return isMine = true;
    if (claims.isOwn(work))
      throw UsageError(UsageError::Kind::Runtime, "a kernel cannot be launched by code that runs while it is compiled");
    const HostUnlocked unlocked(host);
    while (!claims.waitFor(work, betweenLooks))
      if (!host.shouldContinue(LaunchWatcher::Activity::Wait))
        throw WaitInterrupted();
    return false;
  }

private:
  Claims &claims = Runtime::instance().claims();
  const Claims::Work work;
  bool isMine = false;
};

Dispatcher::Dispatcher(Device *device, std::unique_ptr<Program> program, DispatcherOptions options)
    : givenDevice(device), program(std::move(program)), settings(std::move(options)) {}
Dispatcher::~Dispatcher() = default;

LaunchOutcome Dispatcher::launch(const ConfiguredLaunch &launch, const ArgumentList &arguments,
                                 const LaunchOwners *owners, HostLock &hostLock) {
  Inside host(*this, hostLock);
  Stream *const chosen = launch.stream ? launch.stream.get() : this->device().captureStream();
  const std::shared_ptr<Stream> own = launch.isOfThread && !chosen ? this->device().threadStream() : nullptr;
  Stream &named = chosen ? *chosen : own ? *own : this->device().defaultStream();
  Stream *const producer = arguments.isUsedBefore && !chosen ? onlyProducer(arguments, named.device()) : nullptr;
  Stream &stream = producer ? *producer : named;
  Device &device = stream.device();
  if (launch.device != &device) [[unlikely]]
    checkLimits(launch.config, device.limits());
  const bool usesPeers = arguments.isMixed || (arguments.device && arguments.device != &device);
  if (usesPeers) [[unlikely]]
    checkPeers(arguments, stream, launch.stream != nullptr);
  Overload *overload = table.find(arguments.tokens.view());
  if (!overload) [[unlikely]]
    overload = &overloadFor(arguments, host);
  const Facts facts = overload->factsOf(launch.facts, arguments.leaves.view(), device);
  const Variant *variant = overload->find(device, facts.key());
  if (!variant) [[unlikely]] {
    if (!device.code().loadsInCaptures() && stream.isCaptured())
      failCaptured("load " + settings.name, "launch it once before the capture, as CUDA drivers before 12.3 want it");
    variant = &variantFor(*overload, device, facts, host);
  }
  if (device.hostArrays() == HostArrays::Staged)
    checkAligned(arguments, *variant->image);
  const Submission submission{*variant, launch.config, stream, owners};
  const OrderedUses uses{arguments, overload->captured, producer ? &named : nullptr};
  const bool isOrdinary = !arguments.isUsedBefore && !usesPeers && overload->captured.empty();
  if (!isOrdinary) [[unlikely]]
    checkCaptured(overload->captured, device);
  if (usesPeers) [[unlikely]]
    checkPeers(arguments, stream, launch.stream != nullptr); // compiling has let other threads reset them
  return submit(submission, uses, isOrdinary, host);
}

Overload &Dispatcher::overloadFor(const ArgumentList &arguments, HostLock &host) {
  const std::span<const TypeToken> types = arguments.tokens.view();
  for (;;) {
    const std::shared_ptr<const AskedValues> asked = askedValues.of(types);
    AskedValues::Tokens tokens;
    if (asked) {
      asked->tokensOf(arguments, tokens);
      if (Overload *known = table.find(tokens.view()))
        return *known;
    }
    Overload *found;
    try {
      found = isClosed ? &resolve(typesOf(types))
                       : &inferOnce({asked ? asked->signatureOf(arguments) : typesOf(types), types::none()}, host);
    } catch (const CompileError &error) {
      const std::optional<uint32_t> argument = error.diagnostic().literalParameter;
      // Another thread may have added it meanwhile.
      if (!argument || (!askedValues.add(types, *argument) && askedValues.of(types) == asked))
        throw;
      continue;
    }
    const std::lock_guard lock(mutex);
    // Unless `clear` was called meanwhile: code compiled before it serves this launch only.
    if (std::ranges::any_of(current, [&](const auto &overload) { return overload.get() == found; }))
      table.insert(asked && !isClosed ? tokens.view() : types, found);
    return *found;
  }
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

const Overload &Dispatcher::overloadOf(const Signature &signature) const {
  if (const Overload *found = findOverload(signature))
    return *found;
  throw UsageError(UsageError::Kind::Value, settings.name + " is not compiled for " + signature.name());
}

Overload &Dispatcher::inferOnce(const Signature &signature, HostLock &host) {
  for (;;) {
    if (Overload *known = findOverload(signature))
      return *known;
    Claim claim({this, signature.arguments, nullptr});
    // Another thread may have finished between the lookup and the claim: look up again under the claim.
    if (!claim.take(host))
      continue;
    if (Overload *known = findOverload(signature))
      return *known;
    auto made = std::make_unique<Overload>(signature, inferred(signature));
    const std::lock_guard lock(mutex);
    counted.inferred += made->typed != nullptr;
    current.push_back(std::move(made));
    return *current.back();
  }
}

InferredProgram Dispatcher::inferred(const Signature &signature) {
  const TracedCompile traced(settings.name, signature);
  InferredProgram found = program->recall(signature);
  if (settings.compile.debug)
    found.result.wanted.lanes = {}; // debuggers count threads along x
  return found;
}

/// Precondition: the host's lock is held.
TypedRef Dispatcher::typedOf(const Overload &overload) {
  {
    const std::lock_guard lock(mutex);
    if (overload.typed)
      return overload.typed;
  }
  TypedRef typed = program->inferRecalled(overload.signature, overload.names);
  const std::lock_guard lock(mutex);
  overload.typed = typed;
  return typed;
}

const Variant &Dispatcher::variantFor(Overload &overload, Device &device, const Facts &facts, HostLock &host) {
  // Safe: this call is counted as inside, or its overload comes from the table, and so is not freed.
  freeRetired();
  for (;;) {
    if (const Variant *known = overload.find(device, overload.wantedOn(device, facts).key()))
      return *known;
    // One at a time per overload, to keep to the limit on variants.
    Claim claim({this, {}, &overload});
    if (!claim.take(host))
      continue;
    const Facts wanted = overload.wantedOn(device, facts);
    if (overload.find(device, wanted.key()))
      continue;
    build(overload, device, wanted, host);
    if (const Variant *made = overload.find(device, wanted.key()); made && !made->image->stages.empty())
      program->show(*made->image);
  }
}

/// Takes as long as the driver's compiler, or the linker.
std::shared_ptr<Kernel> Dispatcher::loaded(Device &device, const std::shared_ptr<const Image> &image,
                                           std::span<const uint64_t> captured) const {
  TraceSpan traced(TraceKind::Load, settings.name);
  if (traced.event)
    traced.event->device = device.traceKey();
  std::shared_ptr<Kernel> kernel = device.code().load(image, captured)->kernel();
  kernel->title = settings.name;
  return kernel;
}

/// If the device is reset meanwhile, the new variant is unusable, and the caller finds none.
void Dispatcher::build(Overload &overload, Device &device, const Facts &facts, HostLock &host) {
  const HostUnlocked unlocked(host);
  const uint64_t generation = device.generation();
  TracedCompile traced(settings.name, overload.signature);
  traced.makes(overload, device, facts);
  const std::shared_ptr<const Image> image = imageFor(overload, forced(device.target()), facts, host);
  const ForkGate gate;
  const std::shared_ptr<Kernel> kernel = loaded(device, image, overload.capturedPointers);
  auto variant = std::make_unique<const Variant>(image, kernel);
  const std::lock_guard lock(mutex);
  if (std::unique_ptr<DeviceVariants> old = overload.add(device, generation, std::move(variant)))
    retired.push_back({{}, std::move(old), std::nullopt});
}

/// Devices with equal targets share images.
std::shared_ptr<const Image> Dispatcher::imageFor(Overload &overload, const Target &target, const Facts &facts,
                                                  HostLock &host) {
  if (std::shared_ptr<const Image> known = overload.imageFor(target, facts))
    return known;
  CodeCache &cache = Runtime::instance().codeCache();
  const std::string folder = dumpFolder();
  const StageKey key{settings.name, overload.signature, target, facts};
  const GenerateRequest request{
      nullptr, target, facts, settings.compile, !folder.empty() || program->wantsStages(), overriddenStage(key)};
  const bool isKept = !overload.identity.empty() && !request.replaced;
  if (isKept && !request.keepStages)
    if (std::shared_ptr<const Image> kept = cache.findImage(overload.identity, *overload.names, request)) {
      noteCached(overload, true);
      return kept;
    }
  std::shared_ptr<const Image> image = generated(overload, request, host);
  if (!folder.empty())
    dumpStages(folder, key, *image);
  noteCached(overload, false);
  if (isKept)
    cache.putImage(overload.identity, *overload.names, request, image);
  return image;
}

std::shared_ptr<const Image> Dispatcher::generated(const Overload &overload, GenerateRequest request, HostLock &host) {
  {
    const HostRelocked locked(host);
    request.function = typedOf(overload);
  }
  const TraceSpan traced(TraceKind::Generate, settings.name);
  auto image = std::make_shared<const Image>(generateFor(host, request));
  const ForkGate gate;
  Runtime::instance().noteGenerated(*image);
  const std::lock_guard lock(mutex);
  ++counted.generated;
  return image;
}

/// Compiles under the likely facts if there is none yet.
std::shared_ptr<Kernel> Dispatcher::kernelOn(Device &device, const Signature &signature, HostLock &hostLock) {
  Inside host(*this, hostLock);
  Overload &overload = inferOnce(signature, host);
  if (const DeviceVariants *known = overload.on(device))
    return known->first()->kernel;
  return variantFor(overload, device, overload.likelyFacts(device), host).kernel;
}

const Overload &Dispatcher::compile(const Signature &signature, HostLock &hostLock) {
  Inside host(*this, hostLock);
  Overload &overload = inferOnce(signature, host);
  if (settings.isKernel && !overload.first())
    variantFor(overload, device(), overload.likelyFacts(device()), host);
  return overload;
}

std::string Dispatcher::stageOf(const Signature &signature, const std::string &stage, unsigned computeCapability,
                                HostLock &hostLock) {
  const Overload &overload = overloadOf(signature);
  const TypedRef typed = typedOf(overload);
  if (stage == "typed")
    return compiler().printTyped(typed);
  Inside host(*this, hostLock);
  const HostUnlocked unlocked(host);
  const Variant *variant = overload.first();
  const Facts facts = variant ? variant->image->facts : treadle::likelyFacts();
  Image image = generateFor(host, {typed, targetOf(computeCapability), facts, settings.compile, true});
  if (stage == "ptx" && image.target.kind == Target::Kind::Ptx)
    return std::move(image.code);
  if (const auto found = image.stages.find(stage); found != image.stages.end())
    return std::move(found->second);
  throw UsageError(UsageError::Kind::Value,
                   "there is no stage '" + stage +
                       "'; there are syntax, typed, types, passes, llvm, optimized, asm and ptx");
}

std::vector<std::shared_ptr<const Image>> Dispatcher::imagesFor(const Signature &signature,
                                                                std::span<const Target> targets, HostLock &hostLock) {
  if (!settings.isKernel)
    throw UsageError(UsageError::Kind::Value, settings.name + " is no kernel: only kernels are launched");
  Inside host(*this, hostLock);
  Overload &overload = inferOnce(signature, host);
  Claim claim({this, {}, &overload});
  while (!claim.take(host))
    continue;
  const HostUnlocked unlocked(host);
  std::vector<std::shared_ptr<const Image>> images;
  for (const Target &target : targets) {
    Facts likely = treadle::likelyFacts();
    if (target.kind == Target::Kind::Cpu)
      likely.laneAxis = overload.wanted.lanes.preferred;
    for (const Facts &facts : {likely, Facts{}})
      images.push_back(imageFor(overload, target, facts, host));
  }
  return images;
}

uint64_t Dispatcher::cooperativeBlocks(const Signature &signature, const RequestedConfig &config, HostLock &host) {
  Device &device = this->device();
  const LaunchConfig checked = checkLaunchConfig(config, device.limits(), bounds());
  return device.code().cooperativeBlocks(*launchedOn(device, signature, host), checked);
}

std::shared_ptr<Kernel> Dispatcher::launchedOn(Device &device, const Signature &signature, HostLock &host) {
  if (!overloadOf(signature).first())
    throw UsageError(UsageError::Kind::Value, settings.name + " is no kernel: it is never launched");
  return kernelOn(device, signature, host);
}

uint64_t Dispatcher::activeBlocks(const Signature &signature, const OccupancyQuery &query, HostLock &host) {
  Device &device = this->device();
  RequestedConfig config;
  config.block[0] = query.threads;
  config.sharedBytes = query.sharedBytes;
  checkLaunchConfig(config, device.limits(), bounds());
  return treadle::activeBlocks(device, *launchedOn(device, signature, host), query);
}

PotentialBlock Dispatcher::potentialBlock(const Signature &signature, OccupancyQuery query, HostLock &host) {
  Device &device = this->device();
  for (const uint32_t most : {settings.compile.maxThreadsPerBlock, device.limits().threadsPerBlock})
    if (most && (query.threads == 0 || query.threads > most))
      query.threads = most;
  PotentialBlock least = treadle::potentialBlock(device, *launchedOn(device, signature, host), query);
  const DeviceVariants *variants = overloadOf(signature).on(device);
  for (unsigned i = 1; variants && i < variants->count(); ++i) {
    const PotentialBlock other = treadle::potentialBlock(device, *variants->at(i).kernel, query);
    if (other.threads < least.threads)
      least = other;
  }
  return least;
}

void Dispatcher::forbidNewSignatures(bool forbidden) { isClosed = forbidden; }

std::vector<StreamPoint> Dispatcher::unfinished() {
  return givenDevice ? givenDevice->unfinished() : Runtime::instance().unfinished();
}

void Dispatcher::clear() {
  clears.fetch_add(1);
  {
    const std::lock_guard lock(mutex);
    table.clear();
    askedValues.clear();
    retired.push_back({std::exchange(current, {}), nullptr, std::nullopt});
  }
  freeRetired();
}

/// Precondition: the host's lock is held.
void Dispatcher::freeRetired() {
  // A call that has found an overload, and not yet queued its launch, is counted here.
  if (inside.load() != 0)
    return;
  const std::vector<StreamPoint> queued = unfinished();
  std::vector<Retired> unused; // freed without the lock, as code may refer to objects of the host
  const std::lock_guard lock(mutex);
  table.freeForgotten();
  for (Retired &one : retired) {
    if (!one.uses)
      one.uses = queued;
    if (std::ranges::all_of(*one.uses, [](const StreamPoint &use) { return use.isComplete(); }))
      unused.push_back(std::exchange(one, {}));
  }
  std::erase_if(retired, [](const Retired &one) { return one.overloads.empty() && !one.variants; });
}

std::vector<const Overload *> Dispatcher::overloads() const {
  const std::lock_guard lock(mutex);
  std::vector<const Overload *> list;
  for (const std::unique_ptr<Overload> &overload : current)
    list.push_back(overload.get());
  return list;
}

/// Called without the host's lock.
void Dispatcher::noteCached(const Overload &overload, bool isHit) {
  const ForkGate gate;
  const Signature &signature = overload.signature;
  if (settingInteger(Setting::CodeCacheLog) != 0) {
    const char *did = isHit ? "found" : overload.identity.empty() ? "compiled and did not keep" : "compiled";
    std::fprintf(stderr, "treadle: %s %s%s\n", did, settings.name.c_str(), signature.name().c_str());
  }
  const std::lock_guard lock(mutex);
  auto place = std::ranges::find(cacheCounted, signature, &CacheCount::signature);
  if (place == cacheCounted.end())
    place = cacheCounted.insert(place, {signature});
  ++(isHit ? place->hits : place->misses);
}

std::vector<Dispatcher::CacheCount> Dispatcher::cacheCounts() const {
  const std::lock_guard lock(mutex);
  return cacheCounted;
}

Dispatcher::Counts Dispatcher::counts() const {
  const std::lock_guard lock(mutex);
  return counted;
}

} // namespace treadle

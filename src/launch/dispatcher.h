// Dispatcher: for one function, compiles each (signature, target, facts) at most once and launches the right kernel.
#pragma once

#include "border/compile_options.h"
#include "launch/arguments.h"
#include "launch/asked_values.h"
#include "launch/kernel_table.h"
#include "launch/overload.h"
#include "launch/repeated_launch.h"
#include "runtime/runtime.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace treadle {

/// A dispatcher's function, as represented by the language binding.
class TREADLE_API Program {
public:
  virtual ~Program();
  /// Infers the function for a signature. Called with the host's lock held, as the next two.
  virtual InferredProgram infer(const Signature &signature) = 0;
  /// The same, but without the function itself if an earlier process has inferred it.
  virtual InferredProgram recall(const Signature &signature) { return infer(signature); }
  /// Infers the function of a result that was recalled without it. `names`: InferredProgram::names.
  virtual TypedRef inferRecalled(const Signature &signature, const std::shared_ptr<RecordedNames> &names);
  /// The function's name for its argument at that position; empty: unknown.
  virtual std::string parameterName(unsigned place) const { return (void)place, std::string(); }
  /// Whether `show` needs the stages of further compilations.
  virtual bool wantsStages() const { return false; }
  /// Called with the host's lock held, after a compilation that recorded its stages.
  virtual void show(const Image &image) { (void)image; }
};

/// The lock of the calling language: Python's GIL. Held when a dispatcher is entered; released during code generation,
/// while waiting for another thread's compilation, and while a launch takes longer than about 10 us.
class HostLock : public LaunchWatcher {
public:
  virtual void release() = 0;
  virtual void acquire() = 0;

protected:
  ~HostLock() = default;
};

/// Releases the host's lock for a scope.
class HostUnlocked {
public:
  explicit HostUnlocked(HostLock &host) : host(host) { host.release(); }
  HostUnlocked(const HostUnlocked &) = delete;
  HostUnlocked &operator=(const HostUnlocked &) = delete;
  ~HostUnlocked() { host.acquire(); }

private:
  HostLock &host;
};

/// Reacquires the host's lock for a scope, if the caller has released it.
class HostRelocked {
public:
  explicit HostRelocked(HostLock &host) : host(host) { host.acquire(); }
  HostRelocked(const HostRelocked &) = delete;
  HostRelocked &operator=(const HostRelocked &) = delete;
  ~HostRelocked() { host.release(); }

private:
  HostLock &host;
};

/// The target for a compute capability (times ten), or for the Runtime's device if that is 0.
TREADLE_API Target targetOf(unsigned computeCapability);

/// With the compute capability that the settings force, if it is one for PTX.
TREADLE_API Target forced(Target target);

/// Generates code for a host that has released its lock, while polling for its requests. Throws WaitInterrupted.
TREADLE_API Image generateFor(HostLock &host, const GenerateRequest &request);

struct DispatcherOptions {
  std::string name; ///< of the function, for messages and dumps
  CompileOptions compile;
  bool isKernel = true; ///< false: `compile` only infers, as device functions have no code of their own here
};

/// A launch configuration with the facts derived from it.
struct ConfiguredLaunch {
  LaunchConfig config;
  ConfigFacts facts;
  std::shared_ptr<Stream> stream; ///< null: a default stream
  bool isOfThread = false;        ///< the launching thread's default stream
  const Device *device = nullptr; ///< the configuration was checked against its limits
};

/// For one Python function, compiles each (signature, target, facts) at most once. Thread-safe.
class TREADLE_API Dispatcher {
public:
  /// `device` nullptr: the Runtime's device of the launching thread.
  Dispatcher(Device *device, std::unique_ptr<Program> program, DispatcherOptions options);
  ~Dispatcher();
  Dispatcher(const Dispatcher &) = delete;
  Dispatcher &operator=(const Dispatcher &) = delete;

  /// A warm launch takes one ShortMutex, no other lock unless the kernel is specialised on values, and allocates
  /// nothing. `arguments` must live until it returns. The memory they refer to stays alive while `owners` are held;
  /// without `owners` the caller owns it, and the call returns when the launch has run.
  LaunchOutcome launch(const ConfiguredLaunch &launch, const ArgumentList &arguments, const LaunchOwners *owners,
                       HostLock &host);

  /// After a launch by `maker`: packs it for its repetition with the same arrays. Null if repetitions must read their
  /// arguments.
  std::unique_ptr<RepeatedLaunch> repeatable(const ConfiguredLaunch &launch, const ArgumentList &arguments,
                                             LaunchMaker &maker);
  /// Whether that can be launched: nothing was cleared or reset since, and the calling thread's device is the same.
  bool isCurrent(const RepeatedLaunch &repeated, const ConfiguredLaunch &launch) {
    return repeated.clears == clears.load(std::memory_order_relaxed) && repeated.isOfPresent() &&
           (launch.stream || &repeated.device == &device());
  }
  /// `parameters`: RepeatedLaunch::parameters.
  LaunchOutcome launch(const RepeatedLaunch &repeated, const char *parameters, HostLock &host);

  /// Compiles for these argument types, unless already done, under the likely facts.
  const Overload &compile(const Signature &signature, HostLock &host);
  /// Restricts launches to signatures given to `compile`; scalars are converted to them.
  void forbidNewSignatures(bool forbidden);
  bool forbidsNewSignatures() const { return isClosed; }
  /// Discards all compiled code, so that the next launch compiles again with the current values of globals. The code is
  /// freed once no launch uses it: now, or in a later call.
  void clear();
  /// All overloads in order of creation. Valid until `clear`, or until the host's lock is released.
  std::vector<const Overload *> overloads() const;

  /// The overload for these argument types. Throws UsageError (Value) if it has not been compiled.
  const Overload &overloadOf(const Signature &signature) const;

  /// One stage of compiled code as text: "typed" or one of Image::stages, for the target of `computeCapability`. Throws
  /// UsageError (Value) if there is no such overload or stage.
  std::string stageOf(const Signature &signature, const std::string &stage, unsigned computeCapability, HostLock &host);
  /// Code for other processes: for each target, under the likely facts and under none.
  std::vector<std::shared_ptr<const Image>> imagesFor(const Signature &signature, std::span<const Target> targets,
                                                      HostLock &host);
  /// The most blocks of that size that can run at once on the calling thread's device. Throws UsageError (Value) for a
  /// function that is not a kernel.
  uint64_t cooperativeBlocks(const Signature &signature, const RequestedConfig &config, HostLock &host);
  /// Device::activeBlocks, and Device::potentialBlock of at most that many threads (0: the kernel's limit); the minimum
  /// over the compiled variants.
  uint64_t activeBlocks(const Signature &signature, const OccupancyQuery &query, HostLock &host);
  PotentialBlock potentialBlock(const Signature &signature, OccupancyQuery query, HostLock &host);
  const DispatcherOptions &options() const { return settings; }
  LaunchBounds bounds() const { return {settings.compile.maxThreadsPerBlock, settings.compile.maxClusterRank}; }
  /// How often `Program::infer` and `Compiler::generate` have been called.
  struct Counts {
    uint64_t inferred = 0, generated = 0;
  };
  Counts counts() const;
  /// Per signature: the cache hits among its images, and the images that were generated.
  struct CacheCount {
    Signature signature;
    uint64_t hits = 0, misses = 0;
  };
  std::vector<CacheCount> cacheCounts() const;

private:
  class Claim;
  class Inside;
  /// Cleared overloads, and kernels loaded before a reset.
  struct Retired {
    std::vector<std::unique_ptr<Overload>> overloads;
    std::unique_ptr<DeviceVariants> variants;
    /// Queued launches may use them up to these points. Unknown while a call is inside that may still queue one.
    std::optional<std::vector<StreamPoint>> uses;
  };

  void freeRetired();
  std::vector<StreamPoint> unfinished();

  Overload &overloadFor(const ArgumentList &arguments, HostLock &host);
  Overload &inferOnce(const Signature &signature, HostLock &host);
  InferredProgram inferred(const Signature &signature);
  void noteCached(const Overload &overload, bool isHit);
  TypedRef typedOf(const Overload &overload);
  const Variant &variantFor(Overload &overload, Device &device, const Facts &facts, HostLock &host);
  void build(Overload &overload, Device &device, const Facts &facts, HostLock &host);
  std::shared_ptr<Kernel> loaded(Device &device, const std::shared_ptr<const Image> &image,
                                 std::span<const uint64_t> captured) const;
  std::shared_ptr<const Image> imageFor(Overload &overload, const Target &target, const Facts &facts, HostLock &host);
  std::shared_ptr<const Image> generated(const Overload &overload, GenerateRequest request, HostLock &host);
  Overload *findOverload(const Signature &signature) const;
  std::shared_ptr<Kernel> kernelOn(Device &device, const Signature &signature, HostLock &host);
  std::shared_ptr<Kernel> launchedOn(Device &device, const Signature &signature, HostLock &host);
  Overload &resolve(std::span<const Type *const> arguments) const;

  Device &device() { return givenDevice ? *givenDevice : runtime.device(); }
  /// These throw if a buffer is unusable.
  void checkCaptured(std::span<const std::shared_ptr<Buffer>> captured, const Device &device) const;
  void checkPeers(const ArgumentList &arguments, const Stream &stream, bool isNamed) const;
  void checkAligned(const ArgumentList &arguments, const Image &image) const;
  /// An argument's name, for messages.
  std::string named(unsigned place) const;

  Runtime &runtime = Runtime::instance();
  Device *const givenDevice;
  const std::unique_ptr<Program> program;
  const DispatcherOptions settings;
  KernelTable table;
  AllAskedValues askedValues;
  std::atomic<bool> isClosed{false};
  std::atomic<uint64_t> clears{0};
  /// Calls that have released the host's lock, and may use any overload that existed before; guarded by that lock.
  std::atomic<unsigned> inside{0};

  /// Never held while calling the program, the compiler or the device, nor while acquiring the host's lock.
  mutable std::mutex mutex;
  std::vector<std::unique_ptr<Overload>> current; ///< guarded by mutex, as all below
  std::vector<Retired> retired;
  Counts counted;
  std::vector<CacheCount> cacheCounted;
};

} // namespace treadle

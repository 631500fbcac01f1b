// Dispatcher: for one function, compiles each (signature, target, facts) at most once and launches the right kernel.
#pragma once

#include "launch/arguments.h"
#include "launch/kernel_table.h"
#include "launch/overload.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace treadle {

/// The function behind a dispatcher, as the language binding knows it.
class TREADLE_API Program {
public:
  virtual ~Program();
  /// Infers the function for a signature. Called with the host's lock held.
  virtual InferResult infer(const Signature &signature) = 0;
};

/// The lock of the language that calls us: Python's GIL. It is held when a dispatcher is entered, and is let go of
/// while code is generated, while waiting for another thread's compilation, and while a launch lasts longer than about
/// 10 us.
class HostLock : public LaunchWatcher {
public:
  virtual void release() = 0;
  virtual void acquire() = 0;

protected:
  ~HostLock() = default;
};

/// Lets go of the host's lock for a while.
class HostUnlocked {
public:
  explicit HostUnlocked(HostLock &host) : host(host) { host.release(); }
  HostUnlocked(const HostUnlocked &) = delete;
  HostUnlocked &operator=(const HostUnlocked &) = delete;
  ~HostUnlocked() { host.acquire(); }

private:
  HostLock &host;
};

/// Generates code for a host that has let go of its lock, and looks meanwhile at what it wants. Throws WaitInterrupted.
TREADLE_API Image generateFor(HostLock &host, const GenerateRequest &request);

struct DispatcherOptions {
  std::string name; ///< of the function, for messages and dumps
  CompileOptions compile;
  bool isKernel = true; ///< false: `compile` infers only, as device functions have no code of their own here
};

/// A launch configuration with the facts that follow from it.
struct ConfiguredLaunch {
  LaunchConfig config;
  Facts facts;
  std::shared_ptr<Stream> stream; ///< null: a default stream
  bool isOfThread = false;        ///< that of the thread that launches
  const Device *device = nullptr; ///< whose limits the configuration keeps
};

/// For one Python function, compiles each (signature, target, facts) at most once, from any number of threads.
class TREADLE_API Dispatcher {
public:
  /// `device` nullptr: the Runtime's, that of the thread which launches.
  Dispatcher(Device *device, std::unique_ptr<Program> program, DispatcherOptions options);
  ~Dispatcher();
  Dispatcher(const Dispatcher &) = delete;
  Dispatcher &operator=(const Dispatcher &) = delete;

  /// A warm launch takes no lock of the system, one ShortMutex, and allocates nothing. `arguments` live until it
  /// returns. What they refer to lives as long as `owners` are held; without `owners` it is the caller's, and the
  /// launch returns when it has run.
  LaunchOutcome launch(const ConfiguredLaunch &launch, const ArgumentList &arguments, const LaunchOwners *owners,
                       HostLock &host);

  /// Compiles for these argument types as far as they are not compiled yet, for launches as most are.
  const Overload &compile(const Signature &signature, HostLock &host);
  /// From now on only what `compile` was asked for is launched, converting scalars where needed.
  void forbidNewSignatures(bool forbidden);
  bool forbidsNewSignatures() const { return isClosed; }
  /// Forgets all compiled code, so that the next launch compiles again with what globals are then. It is freed once no
  /// launch uses it: now, or by a later call.
  void clear();
  /// All overloads in the order they were made. They stay valid until `clear`, or until the host's lock is let go of.
  std::vector<const Overload *> overloads() const;

  /// A kernel of the overload on that device, compiled for launches as most are where there is none yet. Of a function
  /// that is launched.
  std::shared_ptr<Kernel> kernelOn(Device &device, const Signature &signature, HostLock &host);
  /// An image with its stages as text. It is not kept.
  Image inspect(const Overload &overload, const Target &target, HostLock &host);
  const DispatcherOptions &options() const { return settings; }
  /// How often `Program::infer` and `Compiler::generate` have been called.
  struct Counts {
    uint64_t inferred = 0, generated = 0;
  };
  Counts counts() const;

private:
  class Claim;
  class Inside;
  /// Cleared overloads, and what was loaded before a reset, that queued launches may still use, up to these points.
  struct Retired {
    std::vector<std::unique_ptr<Overload>> overloads;
    std::unique_ptr<DeviceVariants> variants;
    std::vector<StreamPoint> uses;
  };

  void freeRetired();
  std::vector<StreamPoint> unfinished();

  Overload &overloadFor(const ArgumentList &arguments, HostLock &host);
  Overload &inferOnce(const Signature &signature, HostLock &host);
  const Variant &variantFor(Overload &overload, Device &device, const Facts &facts, HostLock &host);
  void build(Overload &overload, Device &device, const Facts &facts, HostLock &host);
  std::shared_ptr<const Image> imageFor(Overload &overload, const Target &target, const Facts &facts, HostLock &host);
  Overload *findOverload(const Signature &signature) const;
  Overload &resolve(std::span<const Type *const> arguments) const;

  Device &device();
  /// Throws where one cannot be used; has the stream wait where it must.
  void checkCaptured(const Overload &overload, Stream &stream) const;

  Device *const givenDevice;
  const std::unique_ptr<Program> program;
  const DispatcherOptions settings;
  KernelTable table;
  std::atomic<bool> isClosed{false};
  /// Calls that have let go of the host's lock, and may use any overload that there was before; changed with that lock.
  std::atomic<unsigned> inside{0};

  /// Never held while calling the program, the compiler or the device, nor while taking the host's lock.
  mutable std::mutex mutex;
  std::vector<std::unique_ptr<Overload>> current; ///< guarded by mutex, as all below
  std::vector<Retired> retired;
  Counts counted;
};

} // namespace treadle

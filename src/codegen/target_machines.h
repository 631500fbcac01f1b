// TargetMachines: LLVM's descriptions of processors, kept from one compilation to the next.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace treadle::codegen {

/// Making one takes a twentieth of the time that a small kernel does. A compilation changes its machine, so each has
/// one for itself, and the next one gets it as it was made. Thread-safe.
class TargetMachines {
  struct Machine;

public:
  /// Gives the machine back at its end. Must not outlive `TargetMachines`.
  class Lent {
  public:
    Lent(TargetMachines &owner, std::unique_ptr<Machine> machine);
    ~Lent();
    Lent(const Lent &) = delete;
    Lent &operator=(const Lent &) = delete;
    llvm::TargetMachine &operator*() const;
    llvm::TargetMachine *operator->() const { return &**this; }

  private:
    TargetMachines &owner;
    std::unique_ptr<Machine> machine;
  };
  using Make = std::function<std::unique_ptr<llvm::TargetMachine>()>;

  TargetMachines();
  ~TargetMachines();

  /// One that was given back under this key, or a new one. All that are made for a key are equal.
  Lent take(const std::string &key, const Make &make);

private:
  std::unique_ptr<Machine> takeIdle(const std::string &key);
  void giveBack(std::unique_ptr<Machine> machine);

  std::mutex mutex;
  std::vector<std::unique_ptr<Machine>> idle; ///< guarded by mutex; the one given back first comes first
};

} // namespace treadle::codegen

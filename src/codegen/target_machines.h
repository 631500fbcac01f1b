// TargetMachines: a pool of LLVM target machines, reused between compilations.
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

/// Creating one takes a twentieth of the time of a small kernel. A compilation changes its machine, so each has
/// exclusive use of one, and the next one gets it in its original state. Thread-safe.
class TargetMachines {
  struct Machine;

public:
  /// Returns the machine to the pool at its end. Must not outlive `TargetMachines`.
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

  /// An idle one with this key, or a new one. All machines of a key are equal.
  Lent take(const std::string &key, const Make &make);

private:
  std::unique_ptr<Machine> takeIdle(const std::string &key);
  void giveBack(std::unique_ptr<Machine> machine);

  std::mutex mutex;
  std::vector<std::unique_ptr<Machine>> idle; ///< guarded by mutex; FIFO order
};

} // namespace treadle::codegen

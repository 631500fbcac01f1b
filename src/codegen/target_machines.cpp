// TargetMachines: a pool, and how long machines stay in it.
#include "codegen/target_machines.h"

#include "support/error.h"

#include "llvm/Target/TargetMachine.h"

#include <algorithm>
#include <utility>

namespace treadle::codegen {

namespace {

/// More would be idle only after more concurrent compilations, or for more targets.
constexpr size_t mostIdle = 4;
/// LLVM keeps names of compiled code in the machine.
constexpr unsigned mostUses = 200;

} // namespace

struct TargetMachines::Machine {
  std::string key;
  std::unique_ptr<llvm::TargetMachine> machine;
  llvm::TargetOptions options; ///< as created: attributes of compiled functions change the machine's
  unsigned uses = 0;
};

TargetMachines::Lent::Lent(TargetMachines &owner, std::unique_ptr<Machine> machine)
    : owner(owner), machine(std::move(machine)) {}

TargetMachines::Lent::~Lent() { owner.giveBack(std::move(machine)); }

llvm::TargetMachine &TargetMachines::Lent::operator*() const { return *machine->machine; }

TargetMachines::TargetMachines() = default;
TargetMachines::~TargetMachines() = default;

/// A new machine is made without the lock, so that compilations for several targets do not wait for each other.
TargetMachines::Lent TargetMachines::take(const std::string &key, const Make &make) {
  if (std::unique_ptr<Machine> known = takeIdle(key))
    return {*this, std::move(known)};
  std::unique_ptr<llvm::TargetMachine> made = make();
  TREADLE_CHECK(made != nullptr);
  const llvm::TargetOptions options = made->Options;
  return {*this, std::make_unique<Machine>(key, std::move(made), options)};
}

/// The one of that key that has been idle for longest.
std::unique_ptr<TargetMachines::Machine> TargetMachines::takeIdle(const std::string &key) {
  const std::lock_guard lock(mutex);
  const auto found =
      std::ranges::find(idle, key, [](const auto &machine) -> const std::string & { return machine->key; });
  if (found == idle.end())
    return nullptr;
  std::unique_ptr<Machine> known = std::move(*found);
  idle.erase(found);
  return known;
}

/// Takes back what attributes of compiled functions have changed, so that all machines of a key stay equal.
void TargetMachines::giveBack(std::unique_ptr<Machine> machine) {
  machine->machine->Options = machine->options;
  // Dropped, with the names that it has collected.
  if (++machine->uses == mostUses)
    return;
  const std::lock_guard lock(mutex);
  idle.push_back(std::move(machine));
  // The one that has been idle for longest goes.
  if (idle.size() > mostIdle)
    idle.erase(idle.begin());
}

} // namespace treadle::codegen

// LLVM's machine passes, without those that would have nothing to do.
#include "codegen/emit_file.h"

#include "support/error.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <algorithm>
#include <iterator>
#include <memory>

namespace treadle::codegen {

namespace {

/// Each costs some microseconds, and more with the analyses that it requires. None changes code like ours:
constexpr std::string_view idle[] = {
    // without garbage collection or deoptimisation,
    "gc-lowering", "shadow-stack-gc-lowering", "gc-analysis", "fixup-statepoint-caller-saved", "stackmap-liveness",
    // exceptions, indirect jumps or thread-local variables,
    "dwarf-eh-prepare", "lowerinvoke", "callbrprepare", "indirectbr-expand", "funclet-layout", "tlshoist",
    // protection or instrumentation that function attributes would request,
    "safe-stack", "stack-protector", "post-inline-ee-instrument", "fentry-insert", "xray-instrumentation",
    "patchable-function", "machine-sanmd", "kcfi", "x86-slh", "x86-lvi-load", "x86-lvi-ret", "x86-seses",
    "x86-return-thunks", "pseudo-probe-inserter",
    // vectors of variable length, matrix tiles or calls of the C library,
    "expandvp", "lower-amx-intrinsics", "lower-amx-type", "tilepreconfig", "tileconfig", "lowertilecopy",
    "partially-inline-libcalls", "replace-with-veclib", "expand-memcmp", "mergeicmps",
    // questions about constants, or remarks.
    "lower-constant-intrinsics", "stack-frame-layout"};

/// Forwards all passes but the idle ones, and substitutes ours for some of LLVM's.
class BusyPasses final : public llvm::legacy::PassManagerBase {
public:
  BusyPasses(llvm::legacy::PassManager &passes, const PassChanges &changes) : passes(passes), changes(changes) {}

  void add(llvm::Pass *pass) override {
    std::unique_ptr<llvm::Pass> owned(pass);
    const llvm::PassInfo *info = llvm::PassRegistry::getPassRegistry()->getPassInfo(pass->getPassID());
    const std::string_view name = info ? std::string_view(info->getPassArgument()) : std::string_view();
    const auto replaced = std::ranges::find(changes.replaced, name, &PassChanges::Replaced::name);
    if (replaced != changes.replaced.end())
      passes.add(replaced->make(replaced->context));
    else if (std::ranges::find(idle, name) == std::end(idle) &&
             std::ranges::find(changes.idle, name) == changes.idle.end())
      // Owned by the manager from here on; a pass that is not forwarded ends with `owned`.
      passes.add(owned.release());
  }

private:
  llvm::legacy::PassManager &passes;
  const PassChanges &changes;
};

} // namespace

std::span<const std::string_view> idlePasses() { return idle; }

CodeSize sizeOf(const llvm::Module &module) {
  CodeSize size;
  for (const llvm::Function &function : module) {
    size.blocks = std::max(size.blocks, function.size());
    for (const llvm::BasicBlock &block : function)
      size.inBlock = std::max(size.inBlock, block.size());
  }
  return size;
}

/// LLVM adds its passes to `busy`, which passes them on: there is no way to remove one from a manager afterwards.
std::string emitFile(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type,
                     const PassChanges &changes) {
  llvm::SmallString<0> file;
  llvm::raw_svector_ostream stream(file);
  llvm::legacy::PassManager passes;
  BusyPasses busy(passes, changes);
  const bool isRefused = machine.addPassesToEmitFile(busy, stream, nullptr, type);
  TREADLE_CHECK(!isRefused);
  passes.run(module);
  return std::string(file);
}

} // namespace treadle::codegen

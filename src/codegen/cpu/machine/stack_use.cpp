// Collects LLVM's frame sizes, and finds the longest path in the call graph.
#include "codegen/cpu/machine/stack_use.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"

#include <algorithm>

namespace treadle::codegen {

using namespace llvm;

namespace {

/// Changes nothing, so that LLVM repeats no analysis for it.
class NoteFrames final : public MachineFunctionPass {
public:
  static char id;
  explicit NoteFrames(StackUse &use) : MachineFunctionPass(id), use(use) {}

  StringRef getPassName() const override { return "note frames"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(MachineFunction &function) override {
    use.note(function);
    return false;
  }

private:
  StackUse &use;
};

char NoteFrames::id = 0;

} // namespace

Pass *StackUse::makePass(void *stackUse) { return new NoteFrames(*static_cast<StackUse *>(stackUse)); }

/// An upper bound: alignment may cost its whole amount, and leaf functions write below the stack pointer.
void StackUse::note(const MachineFunction &function) {
  constexpr size_t returnAddress = 8, redZone = 128;
  const MachineFrameInfo &info = function.getFrameInfo();
  frameBytes[&function.getFunction()] =
      info.getStackSize() + info.getMaxAlign().value() + info.getMaxCallFrameSize() + returnAddress + redZone;
}

StackUse::Need StackUse::deepestChain(Module &module) const {
  const CallGraph graph(module);
  std::map<const Function *, size_t> chains; // null: outside of the module
  Need need;
  // Callees precede their callers; mutually recursive functions are one component.
  for (auto circle = scc_begin(&graph); !circle.isAtEnd(); ++circle) {
    // A circle counts once: each level of a recursion checks for itself that there is room for the next.
    size_t bytes = 0, below = 0;
    for (const CallGraphNode *node : *circle) {
      const auto frame = frameBytes.find(node->getFunction());
      bytes += frame == frameBytes.end() ? 0 : frame->second;
      for (const auto &[call, callee] : *node)
        below = std::max(below, chains[callee->getFunction()]);
    }
    for (const CallGraphNode *node : *circle)
      if (node->getFunction())
        chains[node->getFunction()] = bytes + below;
    need.bytes = std::max(need.bytes, bytes + below);
    need.recurses |= circle.hasCycle();
  }
  return need;
}

} // namespace treadle::codegen

// The machine passes that have nothing to do on GPUs, and one of our own.
#include "codegen/ptx/machine_passes.h"

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Module.h"

#include <iterator>
#include <string_view>

namespace treadle::codegen::ptx {

using namespace llvm;

namespace {

/// Lanes are threads and registers are as many as wanted, so there are
constexpr std::string_view idle[] = {
    // no calls of libdevice's `__nvvm_reflect` by then, no constructors, masked memory or sums of vectors,
    "nvvm-reflect", "nvptx-lower-ctor-dtor", "scalarize-masked-mem-intrin", "expand-reductions",
    // no constants that cost more than others, no spilled registers, bases of the frame or lifetimes of variables,
    "consthoist", "stack-slot-coloring", "localstackalloc", "stack-coloring",
    // and no variables of debuggers; NVPTX leaves the order of instructions to ptxas.
    "removeredundantdebugvalues", "machine-scheduler"};

/// Instruction selection puts a ProxyReg after each result of a call; this replaces it by its source. LLVM's own pass
/// searches the whole function for the uses, once for each: quadratic if a kernel calls many functions.
class EraseProxyRegisters final : public MachineFunctionPass {
public:
  static char id;
  EraseProxyRegisters() : MachineFunctionPass(id) {}

  StringRef getPassName() const override { return "erase proxy registers"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    const TargetInstrInfo &names = *function.getSubtarget().getInstrInfo();
    MachineRegisterInfo &registers = function.getRegInfo();
    bool isChanged = false;
    for (MachineBasicBlock &block : function)
      for (MachineInstr &instruction : make_early_inc_range(block)) {
        if (!names.getName(instruction.getOpcode()).starts_with("ProxyReg"))
          continue;
        registers.replaceRegWith(instruction.getOperand(0).getReg(), instruction.getOperand(1).getReg());
        instruction.eraseFromParent();
        isChanged = true;
      }
    return isChanged;
  }
};

char EraseProxyRegisters::id = 0;

constexpr PassChanges::Replaced replaced[] = {
    {"nvptx-proxyreg-erasure", [](void *) -> Pass * { return new EraseProxyRegisters; }}};

} // namespace

PassChanges machinePasses(const Module &module) {
  constexpr size_t manyBlocks = 1000, longBlock = 1000;
  PassChanges changes{{std::begin(idle), std::end(idle)}, replaced};
  const CodeSize size = sizeOf(module);
  // ptxas sinks as well.
  if (size.blocks > manyBlocks)
    changes.idle.push_back("machine-sink");
  // It compares each sum with all others.
  if (size.inBlock > longBlock)
    changes.idle.push_back("nary-reassociate");
  return changes;
}

} // namespace treadle::codegen::ptx

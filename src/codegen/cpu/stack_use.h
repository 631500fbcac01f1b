// StackUse: how much of the stack the functions of a module need, known once their machine code is.
#pragma once

#include <cstddef>
#include <map>

namespace llvm {
class Function;
class MachineFunction;
class Module;
class Pass;
} // namespace llvm

namespace treadle::codegen {

class StackUse {
public:
  /// A machine pass that notes each function in a StackUse, for the place of "stack-frame-layout", behind which frames
  /// do not change. The caller owns the pass.
  static llvm::Pass *makePass(void *stackUse);
  void note(const llvm::MachineFunction &function);

  /// Bytes of the deepest chain of calls: all that a call needs where nothing recurses. Functions that recurse count
  /// once, so it is also enough for one level. Without variables of changing size, and functions of other modules.
  struct Need {
    size_t bytes = 0;
    bool recurses = false;
  };
  Need deepestChain(llvm::Module &module) const;

private:
  std::map<const llvm::Function *, size_t> frameBytes;
};

} // namespace treadle::codegen

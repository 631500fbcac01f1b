// StackUse: the stack use of a module's functions, known after machine code generation.
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
  /// A machine pass that records each function in a StackUse, to run in place of "stack-frame-layout", after which
  /// frames are final. The caller owns the pass.
  static llvm::Pass *makePass(void *stackUse);
  void note(const llvm::MachineFunction &function);

  /// Bytes of the deepest call chain: all that a call needs without recursion. Recursive functions count once, so it
  /// also suffices for one level. Excludes variables of dynamic size, and functions of other modules.
  struct Need {
    size_t bytes = 0;
    bool recurses = false;
  };
  Need deepestChain(llvm::Module &module) const;

private:
  std::map<const llvm::Function *, size_t> frameBytes;
};

} // namespace treadle::codegen

// CapturedData: the contents of captured arrays in PTX, printed here instead of by LLVM.
#pragma once

#include "llvm/IR/ValueHandle.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace llvm {
class GlobalVariable;
class Module;
} // namespace llvm

namespace treadle::codegen::ptx {

/// LLVM prints contents byte by byte and slowly. It gets variables of the same names and sizes without contents; their
/// declarations in its output are replaced by definitions.
class CapturedData {
public:
  /// A variable that contains `bytes`, which must outlive this.
  llvm::GlobalVariable *add(llvm::Module &module, std::span<const std::byte> bytes, unsigned addressSpace);
  /// Call between optimisation and the back end: drops unused arrays, and the contents of the others.
  void withhold();
  /// `ptx`: the back end's output for the module, with the variables' final names.
  std::string insertInto(std::string ptx) const;

private:
  struct Array {
    llvm::WeakVH variable; ///< null once LLVM has dropped it
    std::span<const std::byte> bytes;
  };
  std::vector<Array> arrays;
};

} // namespace treadle::codegen::ptx

// CapturedData: the contents of captured arrays in PTX, which are printed here and not by LLVM.
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
/// declarations in its text are replaced by definitions.
class CapturedData {
public:
  /// A variable with `bytes` in it, which must live as long as this.
  llvm::GlobalVariable *add(llvm::Module &module, std::span<const std::byte> bytes, unsigned addressSpace);
  /// To be called between optimisation and the back end: drops arrays that nobody reads, and the contents of the
  /// others.
  void withhold();
  /// `ptx`: what the back end has made of the module, whose variables have the names that they got there.
  std::string insertInto(std::string ptx) const;

private:
  struct Array {
    llvm::WeakVH variable; ///< null once LLVM has dropped it
    std::span<const std::byte> bytes;
  };
  std::vector<Array> arrays;
};

} // namespace treadle::codegen::ptx

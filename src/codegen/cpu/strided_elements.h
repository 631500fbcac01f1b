// A warp's elements that lie a constant number of elements apart, as rows' in a column do.
#pragma once

#include "codegen/cpu/lane_sets.h"

namespace llvm {
class Module;
} // namespace llvm

namespace treadle::codegen {

/// Accesses whole registers of memory in place of elements, and shuffles them: the elements of one register lie in a
/// window of `step` registers. Touches no byte beyond the first and the last element when it loads, and none beside
/// elements when it stores.
class StridedElements {
public:
  /// Most bits of a spread mask.
  static constexpr unsigned widestMask = 64;

  struct Shape {
    unsigned lanes;      ///< elements in all
    unsigned step;       ///< from one to the next, in elements: 2 or more, and fewer than a register has
    unsigned inRegister; ///< at most all
  };

  StridedElements(llvm::IRBuilder<> &b, llvm::Type *type, const Shape &shape)
      : b(b), type(type), lanes(shape.lanes), inRegister(shape.inRegister), step(shape.step) {}

  /// `active`: the lanes that take part, a vector of i1; null for all. Masks need AVX-512.
  llvm::Value *load(llvm::Value *first, llvm::Value *active, llvm::Align alignment);
  void store(llvm::Value *first, llvm::Value *values, llvm::Value *active, llvm::Align alignment);

private:
  /// The memory around the elements of one register.
  struct Window {
    llvm::Value *begin;
    llvm::Value *spread; ///< i64: a bit for each element that takes part; null for all
    llvm::Align alignment;
  };

  /// `begin`: of what it accesses, in elements from the window's begin.
  void mark(llvm::Instruction &access, unsigned begin);
  Window window(llvm::Value *first, unsigned lane, llvm::Value *active, llvm::Align alignment);
  llvm::Value *mask(const Window &window, unsigned part);
  llvm::Value *loadRegister(const Window &window);
  llvm::Value *loadPart(const Window &window, unsigned part);
  void storeRegister(const Window &window, llvm::Value *values);
  /// Where the part of a window begins that is loaded: the last one ends with the last element, except under masks.
  unsigned beginOf(const Window &window, unsigned part) const;
  llvm::Value *place(llvm::Value *from, unsigned elements) {
    return elements == 0 ? from : b.CreateConstInBoundsGEP1_64(type, from, elements);
  }

  llvm::IRBuilder<> &b;
  llvm::Type *type;
  unsigned lanes, inRegister, step;
};

/// This store, of one element or a scatter, is of some of the elements that lie `step` bytes apart, `size` bytes each.
void markElements(llvm::Instruction &access, uint64_t step, uint64_t size);

/// Whether the load is of a window, and so of elements with others between them.
bool isOfWindow(const llvm::Instruction &access);

/// Loads of windows move up past stores of elements that lie between theirs: a processor cannot hand on what has been
/// stored to a load that reaches further, and waits until it is in the cache. Needs code that the optimiser does not
/// see again.
void loadWindowsEarly(llvm::Module &module);

} // namespace treadle::codegen

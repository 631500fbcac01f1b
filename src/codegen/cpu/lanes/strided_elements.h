// Strided accesses: a warp's elements that lie a constant number of elements apart, such as a column's.
#pragma once

#include "codegen/cpu/lanes/address_terms.h"
#include "codegen/cpu/lanes/lane_sets.h"

#include <optional>

namespace llvm {
class Module;
} // namespace llvm

namespace treadle::codegen {

/// Accesses whole registers of memory instead of single elements, and shuffles them: the elements of one register lie
/// in a window of `step` registers. Loads touch no byte beyond the first and the last element; stores touch only
/// elements.
class StridedElements {
public:
  /// The maximum number of bits of a spread mask.
  static constexpr unsigned widestMask = 64;

  struct Shape {
    unsigned lanes;      ///< total number of elements
    unsigned step;       ///< element stride, in elements: 2 or more, and less than a register has
    unsigned inRegister; ///< at most all
  };

  StridedElements(llvm::IRBuilder<> &b, llvm::Type *type, const Shape &shape)
      : b(b), type(type), lanes(shape.lanes), inRegister(shape.inRegister), step(shape.step) {}

  /// `active`: the active lanes, a vector of i1; null for all. Masks need AVX-512.
  llvm::Value *load(llvm::Value *first, llvm::Value *active, llvm::Align alignment);
  void store(llvm::Value *first, llvm::Value *values, llvm::Value *active, llvm::Align alignment);

private:
  /// The memory around the elements of one register.
  struct Window {
    llvm::Value *begin;
    llvm::Value *spread; ///< i64: a bit for each active element; null for all
    llvm::Align alignment;
  };

  /// `begin`: the start of the access, in elements from the window's begin.
  void mark(llvm::Instruction &access, unsigned begin);
  Window window(llvm::Value *first, unsigned lane, llvm::Value *active, llvm::Align alignment);
  llvm::Value *mask(const Window &window, unsigned part);
  llvm::Value *loadRegister(const Window &window);
  llvm::Value *loadPart(const Window &window, unsigned part);
  void storeRegister(const Window &window, llvm::Value *values);
  /// Where the load of a window's part begins: the last one ends with the last element, except under masks.
  unsigned beginOf(const Window &window, unsigned part) const;
  llvm::Value *place(llvm::Value *from, unsigned elements) {
    return elements == 0 ? from : b.CreateConstInBoundsGEP1_64(type, from, elements);
  }

  llvm::IRBuilder<> &b;
  llvm::Type *type;
  unsigned lanes, inRegister, step;
};

/// Marks a store, of one element or a scatter, to some of the elements that lie `step` bytes apart, `size` bytes each.
void markElements(llvm::Instruction &access, uint64_t step, uint64_t size);

/// The elements of a marked access: at a place, and every `step` bytes before and after it, of `size` bytes each.
struct MarkedElements {
  AddressTerms place;
  int64_t step, size;

  /// Null of accesses that are not marked.
  static std::optional<MarkedElements> of(const llvm::Instruction &access);

  /// Elements of the one never overlap those of the other.
  bool areBetween(const MarkedElements &other) const {
    return step == other.step && size == other.size && place.isBetween(other.place, step, size);
  }
};

/// Whether the load is of a window, and so also reads elements in between.
bool isOfWindow(const llvm::Instruction &access);

/// Moves loads of windows up past stores to elements in between: store forwarding fails for a load that is wider than
/// the store: it waits until the store has reached the cache. Precondition: the optimiser does not run again.
void loadWindowsEarly(llvm::Module &module);

} // namespace treadle::codegen

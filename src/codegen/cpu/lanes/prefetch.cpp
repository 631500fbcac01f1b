// prefetch: the choice of loads, and of the distance in iterations.
#include "codegen/cpu/lanes/prefetch.h"

#include "codegen/cpu/lanes/row_columns.h"
#include "codegen/cpu/lanes/strided_elements.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

using namespace llvm;

namespace treadle::codegen {

namespace {

/// The smallest stride, in bytes, that hardware does not prefetch: it stops at the end of a page.
constexpr uint64_t longStep = 2048;

constexpr const char *ofOneLane = "treadle.lane";

/// About the latency of a cache line from memory.
constexpr unsigned instructionsAhead = 400;

/// The smallest stride, in bytes, for prefetching elements that a warp loads one by one, and the prefetch distance:
/// loads of several fields, each across the stride, do not look like a stream to a prefetcher.
constexpr uint64_t leastOfRecords = 256, bytesAhead = 8192;
/// Fewer loads are not a warp's.
constexpr unsigned leastLoads = 8;

/// Registers that a loop over columns loads in each iteration.
constexpr size_t mostOfColumns = 8;

/// An address that a load or a gather reads, and how far from it to prefetch.
struct Place {
  Instruction *load;
  Value *base;
  int64_t offset = 0; ///< in bytes, from `base`
};

struct LongStep {
  Place from;
  const SCEV *distance; ///< in bytes, to the address that is prefetched
  uint64_t last;        ///< byte that is read there
};

/// A gather's elements, if these are at constant distances from one address. Under a mask an access is rare.
SmallVector<Place, 32> gathered(CallInst &gather) {
  SmallVector<Place, 32> places;
  const auto *mask = dyn_cast<Constant>(gather.getArgOperand(2));
  if (!mask || !mask->isAllOnesValue())
    return places;
  auto *pointers = dyn_cast<GEPOperator>(gather.getArgOperand(0));
  auto *distances =
      pointers && pointers->getNumIndices() == 1 ? dyn_cast<ConstantDataVector>(pointers->getOperand(1)) : nullptr;
  if (!distances || pointers->getPointerOperandType()->isVectorTy() ||
      !pointers->getSourceElementType()->isIntegerTy(8))
    return places;
  for (unsigned lane = 0; lane < distances->getNumElements(); ++lane)
    places.push_back({&gather, pointers->getPointerOperand(), int64_t(distances->getElementAsInteger(lane))});
  return places;
}

/// A step that is not a constant is that of rows of unknown length, and taken for a long one.
bool isLong(const SCEV &step) {
  const auto *constant = dyn_cast<SCEVConstant>(&step);
  return !constant || constant->getAPInt().abs().uge(longStep);
}

class Search {
public:
  Search(Function &function, const LoopInfo &loops, ScalarEvolution &evolution, Prefetched wanted)
      : function(function), loops(loops), evolution(evolution), wanted(wanted) {}

  std::vector<LongStep> run() {
    std::vector<LongStep> found;
    DenseSet<const SCEV *> seen;
    Records records;
    for (BasicBlock &block : function) {
      const Loop *loop = loops.getLoopFor(&block);
      if (!loop)
        continue;
      for (Instruction &instruction : block) {
        if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
            call && call->getIntrinsicID() == Intrinsic::masked_gather && wanted.elements)
          for (const Place &element : gathered(*call))
            noteElement(element, *loop, records);
        auto *load = dyn_cast<LoadInst>(&instruction);
        if (!load || load->hasMetadata(ofOneLane))
          continue;
        if (!load->getType()->isVectorTy() || isOfWindow(*load) || isPartOfRow(*load)) {
          if (wanted.elements)
            noteElement({load, load->getPointerOperand()}, *loop, records);
          continue;
        }
        if (!wanted.longSteps && !(wanted.columns && readsColumns(*loop)))
          continue;
        const SCEV *address = evolution.getSCEV(load->getPointerOperand());
        // One address is prefetched once, however many loads there are from it.
        if (!seen.insert(address).second)
          continue;
        if (const SCEV *distance = distanceAhead(address, loop))
          found.push_back(
              {{load, load->getPointerOperand()}, distance, load->getType()->getPrimitiveSizeInBits() / 8 - 1});
      }
    }
    for (const auto &[place, lines] : records)
      if (lines.loads >= leastLoads)
        for (const auto &[line, first] : lines.first)
          found.push_back({first, lines.distance, 0});
    return found;
  }

private:
  /// The cache lines from which single elements are loaded in one iteration, by their distance from one place, each
  /// with its first load. `distance`: null if they are not to be prefetched.
  struct Lines {
    std::map<int64_t, Place> first;
    unsigned loads = 0;
    const SCEV *distance = nullptr;
  };
  using Records = MapVector<std::pair<const Loop *, const Value *>, Lines>;

  /// Floor division: offsets may be negative, and lines are counted from the place, wherever in a line that is.
  void noteElement(const Place &element, const Loop &loop, Records &records) {
    const DataLayout &layout = function.getParent()->getDataLayout();
    APInt constant(layout.getIndexTypeSizeInBits(element.base->getType()), 0);
    const Value *place = element.base->stripAndAccumulateConstantOffsets(layout, constant, true);
    const auto [found, isNew] = records.insert({{&loop, place}, {}});
    Lines &lines = found->second;
    if (isNew)
      lines.distance = elementsAhead(evolution.getSCEV(const_cast<Value *>(place)), loop);
    if (!lines.distance)
      return;
    const int64_t offset = constant.getSExtValue() + element.offset, size = int64_t(cacheLineBytes);
    lines.first.try_emplace(offset >= 0 ? offset / size : -1 - (-1 - offset) / size, element);
    ++lines.loads;
  }

  /// If elements of a second array are loaded as well, those of the first are often reused, as in a matrix product, and
  /// prefetching lines that are in the caches takes up to a third longer.
  bool readsColumns(const Loop &loop) {
    const auto [known, isNew] = columns.try_emplace(&loop, false);
    if (!isNew || !loop.isInnermost())
      return known->second;
    std::vector<LoadInst *> loads;
    for (BasicBlock *block : loop.blocks())
      for (Instruction &instruction : *block)
        if (auto *load = dyn_cast<LoadInst>(&instruction); load && !load->isVolatile())
          loads.push_back(load);
    if (loads.size() > mostOfColumns)
      return false;
    const bool areVectors = all_of(loads, [](const LoadInst *load) { return load->getType()->isVectorTy(); });
    return columns[&loop] = areVectors && all_of(loads, [&](LoadInst *load) {
                              const SCEVAddRecExpr *steps =
                                  stepsIn(evolution.getSCEV(load->getPointerOperand()), &loop);
                              return steps && isLong(*steps->getStepRecurrence(evolution));
                            });
  }

  /// Shorter steps look like a stream, and longer ones than the distance leave no iteration to look ahead to.
  const SCEV *elementsAhead(const SCEV *address, const Loop &loop) {
    const auto *steps = dyn_cast<SCEVAddRecExpr>(address);
    if (!steps || steps->getLoop() != &loop || !steps->isAffine())
      return nullptr;
    const auto *step = dyn_cast<SCEVConstant>(steps->getStepRecurrence(evolution));
    const uint64_t bytes = step ? step->getAPInt().abs().getZExtValue() : 0;
    if (bytes < leastOfRecords || bytes > bytesAhead)
      return nullptr;
    return evolution.getMulExpr(evolution.getConstant(step->getType(), bytesAhead / bytes), step);
  }

  /// For the innermost enclosing loop with a long stride: loops inside it access adjacent memory.
  const SCEV *distanceAhead(const SCEV *address, const Loop *loop) {
    for (const Loop *inner = nullptr; loop; inner = loop, loop = loop->getParentLoop()) {
      const SCEVAddRecExpr *steps = stepsIn(address, loop);
      if (!steps)
        continue;
      const SCEV *step = steps->getStepRecurrence(evolution);
      if (isLong(*step))
        return evolution.getMulExpr(evolution.getConstant(step->getType(), iterationsAhead(*loop, inner)), step);
      address = steps->getStart();
    }
    return nullptr;
  }

  /// The term of a sum that varies with the loop.
  static const SCEVAddRecExpr *stepsIn(const SCEV *address, const Loop *loop) {
    const auto *steps = dyn_cast<SCEVAddRecExpr>(address);
    if (const auto *sum = dyn_cast<SCEVAddExpr>(address))
      for (const SCEV *operand : sum->operands())
        if (const auto *part = dyn_cast<SCEVAddRecExpr>(operand); part && part->getLoop() == loop)
          steps = part;
    return steps && steps->getLoop() == loop && steps->isAffine() ? steps : nullptr;
  }

  /// The next iteration of a loop with loops in it is far enough away.
  static unsigned iterationsAhead(const Loop &loop, const Loop *inner) {
    if (inner)
      return 1;
    unsigned size = 0;
    for (const BasicBlock *block : loop.blocks())
      size += unsigned(block->size());
    return std::clamp(instructionsAhead / std::max(size, 1u), 4u, 32u);
  }

  Function &function;
  const LoopInfo &loops;
  ScalarEvolution &evolution;
  const Prefetched wanted;
  DenseMap<const Loop *, bool> columns;
};

} // namespace

void markLaneLoad(LoadInst &load) { load.setMetadata(ofOneLane, MDNode::get(load.getContext(), {})); }

/// For reading, into all caches. Prefetching never faults, so the address may be beyond the array.
void prefetchLine(IRBuilderBase &b, Value *address) {
  b.CreateIntrinsic(Intrinsic::prefetch, {address->getType()}, {address, b.getInt32(0), b.getInt32(3), b.getInt32(1)});
}

void prefetch(Function &function, const LoopInfo &loops, ScalarEvolution &evolution, Prefetched wanted) {
  SCEVExpander expander(evolution, function.getParent()->getDataLayout(), "prefetch");
  for (const auto &[from, distance, last] : Search(function, loops, evolution, wanted).run()) {
    if (!expander.isSafeToExpandAt(distance, from.load))
      continue;
    IRBuilder<> b(from.load);
    Value *base = from.offset == 0 ? from.base : b.CreateConstGEP1_64(b.getInt8Ty(), from.base, uint64_t(from.offset));
    Value *place = b.CreateGEP(b.getInt8Ty(), base, expander.expandCodeFor(distance, distance->getType(), from.load));
    for (uint64_t offset = 0; offset < last; offset += cacheLineBytes)
      prefetchLine(b, b.CreateConstGEP1_64(b.getInt8Ty(), place, offset));
    // Rows may begin anywhere in a line.
    prefetchLine(b, b.CreateConstGEP1_64(b.getInt8Ty(), place, last));
  }
}

} // namespace treadle::codegen

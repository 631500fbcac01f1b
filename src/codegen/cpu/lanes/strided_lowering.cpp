// Groups strided accesses by their rows, and chooses how each group is made.
#include "codegen/cpu/lanes/strided_lowering.h"

#include "codegen/cpu/lanes/address_terms.h"
#include "codegen/cpu/lanes/row_columns.h"
#include "codegen/cpu/lanes/strided_access.h"
#include "codegen/cpu/lanes/strided_elements.h"
#include "codegen/cpu/lanes/vector_pieces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

#include <map>
#include <set>
#include <vector>

using namespace llvm;

namespace treadle::codegen {

namespace {

/// The maximum stride, in elements, for which whole registers with what lies between are faster than single elements.
constexpr uint64_t farthestLoad = 8, farthestStore = 4;

/// Limits on what is compared with each other, which keep the time linear in long blocks.
constexpr size_t mostOpen = 8, mostWriters = 64, mostArms = 8;

struct Member {
  StridedAccess access;
  AddressTerms place;

  Member(const StridedAccess &access, const DataLayout &layout)
      : access(access), place(AddressTerms::of(access.first(), layout)) {}

  /// Of another place: from the one to the other, if both are in rows of the same kind.
  std::optional<int64_t> distanceTo(const Member &other) const {
    if (!place.isBeside(other.place) || access.step() != other.access.step() || access.type() != other.access.type())
      return std::nullopt;
    const int64_t apart = other.place.offset - place.offset;
    return apart % int64_t(access.size()) == 0 ? std::optional(apart) : std::nullopt;
  }

  MarkedElements elements() const { return {place, int64_t(access.step()), int64_t(access.size())}; }
};

/// Of instructions of which it is known.
std::optional<MarkedElements> elementsOf(Instruction &instruction, const DataLayout &layout) {
  if (const std::optional<StridedAccess> access = StridedAccess::of(instruction))
    return Member(*access, layout).elements();
  return MarkedElements::of(instruction);
}

/// Accesses of columns of the same rows.
struct Group {
  std::vector<Member> members;             ///< in their order
  std::vector<Instruction *> writers = {}; ///< of loads: since the first
  std::set<int64_t> columns = {};          ///< distances from the first

  explicit Group(const Member &first) : members{first}, columns{0} {}

  const Member &first() const { return members.front(); }

  /// Whether another column, or the same, is in the same row.
  bool takes(const Member &member) const {
    const std::optional<int64_t> distance = first().distanceTo(member);
    if (!distance)
      return false;
    const int64_t from = std::min(*columns.begin(), *distance), to = std::max(*columns.rbegin(), *distance);
    return uint64_t(to - from) + first().access.size() <= first().access.step();
  }

  bool has(const Member &member) const { return columns.contains(*first().distanceTo(member)); }

  void add(const Member &member) {
    columns.insert(*first().distanceTo(member));
    members.push_back(member);
  }
};

/// Of a gather or scatter within one array: LLVM's analyses do not look at vectors of pointers.
const Value *arrayOf(const Instruction &instruction) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  const bool isScatter = call && call->getIntrinsicID() == Intrinsic::masked_scatter;
  if (!isScatter && !(call && call->getIntrinsicID() == Intrinsic::masked_gather))
    return nullptr;
  const auto *places = dyn_cast<GEPOperator>(call->getArgOperand(isScatter ? 1 : 0));
  return places && !places->getPointerOperandType()->isVectorTy() ? places->getPointerOperand() : nullptr;
}

/// Where control is after the branches of a block that join again, and the blocks in between; null where that is not so
/// simple.
struct Joined {
  BasicBlock *after = nullptr;
  SmallSetVector<BasicBlock *, 8> arms = {};
};

Joined joined(BasicBlock &block, const PostDominatorTree &tree) {
  const auto *node = tree.getNode(&block);
  Joined found{node && node->getIDom() ? node->getIDom()->getBlock() : nullptr};
  if (!found.after)
    return {};
  const auto reach = [&](BasicBlock &from) {
    for (BasicBlock *next : successors(&from))
      if (next != found.after)
        found.arms.insert(next);
  };
  reach(block);
  for (size_t i = 0; i < found.arms.size() && found.arms.size() <= mostArms; ++i)
    reach(*found.arms[i]);
  const auto isFromHere = [&](BasicBlock *one) {
    return all_of(predecessors(one), [&](BasicBlock *from) { return from == &block || found.arms.contains(from); });
  };
  if (found.arms.size() > mostArms || found.arms.contains(&block) || !isFromHere(found.after) ||
      !all_of(found.arms, isFromHere))
    return {};
  return found;
}

class Search {
public:
  Search(Function &function, BatchAAResults &aliases, const PostDominatorTree &tree)
      : aliases(aliases), layout(function.getDataLayout()) {
    SmallPtrSet<BasicBlock *, 16> seen;
    for (BasicBlock &block : function)
      searchFrom(block, tree, seen);
    for (const Group &group : loads)
      for (const Member &member : group.members)
        groupOf[member.access.call] = &group;
    for (BasicBlock &block : function) {
      lasting.clear();
      for (Instruction &instruction : block)
        visitForStores(instruction);
    }
  }

  std::vector<Group> loads, stores;

private:
  /// Loads of blocks that always follow each other: those after branches that join again move before these.
  void searchFrom(BasicBlock &first, const PostDominatorTree &tree, SmallPtrSetImpl<BasicBlock *> &seen) {
    open.clear();
    for (BasicBlock *block = &first; block && seen.insert(block).second;) {
      for (Instruction &instruction : *block)
        visitForLoads(instruction);
      const Joined next = open.empty() ? Joined() : joined(*block, tree);
      for (BasicBlock *arm : next.arms)
        for (Instruction &instruction : *arm)
          pass(instruction);
      block = next.after;
    }
  }

  bool mayTouch(Instruction &instruction, ArrayRef<Member> members, ModRefInfo how) {
    if (const std::optional<MarkedElements> elements = elementsOf(instruction, layout))
      if (all_of(members, [&](const Member &member) { return elements->areBetween(member.elements()); }))
        return false;
    // Of all of memory around it, which is the same for all members.
    const MemoryLocation around = MemoryLocation::getBeforeOrAfter(members.front().access.first());
    if (const Value *array = arrayOf(instruction))
      return aliases.alias(MemoryLocation::getBeforeOrAfter(array), around) != AliasResult::NoAlias;
    return isModOrRefSet(aliases.getModRefInfo(&instruction, around) & how);
  }

  void visitForLoads(Instruction &instruction) {
    if (const std::optional<StridedAccess> access = StridedAccess::of(instruction); access && !access->isStore())
      return addLoad(Member(*access, layout));
    pass(instruction);
  }

  /// Loads of the groups that are open may have to move past it.
  void pass(Instruction &instruction) {
    if (instruction.mayWriteToMemory())
      for (const size_t group : open)
        loads[group].writers.push_back(&instruction);
    erase_if(open, [&](size_t group) { return loads[group].writers.size() > mostWriters; });
    if (!isGuaranteedToTransferExecutionToSuccessor(&instruction))
      open.clear();
  }

  void addLoad(const Member &member) {
    for (const size_t group : open)
      if (loads[group].takes(member) && none_of(loads[group].writers, [&](Instruction *writer) {
            return mayTouch(*writer, member, ModRefInfo::Mod);
          }))
        return loads[group].add(member);
    open.push_back(loads.size());
    loads.emplace_back(member);
    if (open.size() > mostOpen)
      open.erase(open.begin());
  }

  void visitForStores(Instruction &instruction) {
    const std::optional<StridedAccess> access = StridedAccess::of(instruction);
    if (access && access->isStore())
      return addStore(Member(*access, layout));
    if (instruction.mayReadOrWriteMemory())
      erase_if(lasting, [&](size_t group) { return meets(instruction, stores[group]); });
    if (!isGuaranteedToTransferExecutionToSuccessor(&instruction))
      lasting.clear();
  }

  /// A load stands for all that move to its place; those that move away do not pass a store that they need.
  bool meets(Instruction &instruction, const Group &stored) {
    const auto found = groupOf.find(&instruction);
    if (found == groupOf.end())
      return mayTouch(instruction, stored.members, ModRefInfo::ModRef);
    const std::vector<Member> &moved = found->second->members;
    return moved[0].access.call == &instruction && any_of(moved, [&](const Member &one) {
             return mayTouch(*one.access.call, stored.members, ModRefInfo::ModRef);
           });
  }

  void addStore(const Member &member) {
    std::optional<size_t> taken;
    for (const size_t group : lasting)
      if (!taken && stores[group].takes(member) && !stores[group].has(member))
        taken = group;
    erase_if(lasting, [&](size_t group) { return group != taken && meets(*member.access.call, stores[group]); });
    if (taken)
      return stores[*taken].add(member);
    lasting.push_back(stores.size());
    stores.emplace_back(member);
    if (lasting.size() > mostOpen)
      lasting.erase(lasting.begin());
  }

  BatchAAResults &aliases;
  const DataLayout &layout;
  std::vector<size_t> open, lasting; ///< groups of loads, and of stores, that may grow
  std::map<const Instruction *, const Group *> groupOf;
};

class Lowering {
public:
  explicit Lowering(const StridedTarget &target) : target(target), registerBytes(math::vectorBytes(target.isa)) {}

  void loads(const Group &group) {
    Columns columns = columnsOf(group);
    IRBuilder<> b(group.members[0].access.call);
    for (const auto &[first, count] : partsOf(group, columns, 2)) {
      const std::map<int64_t, std::vector<Member>> taken = take(columns, first, count);
      RowColumns rows = rowsOf(b, group);
      const RowColumns::From from = fromOf(b, group, first);
      const RowColumns::Columns loaded = isWhole(group, count) ? rows.loadWhole(from) : rows.loadPart(from);
      for (const auto &[offset, members] : taken)
        for (const Member &member : members)
          replace(member.access, loaded[unsigned((offset - first) / int64_t(member.access.size()))]);
    }
    for (const auto &[offset, members] : columns)
      for (const Member &member : members)
        replace(member.access, loadAlone(member.access));
    erase(group);
  }

  void stores(const Group &group) {
    Columns columns = columnsOf(group);
    IRBuilder<> b(group.members.back().access.call);
    for (const auto &[first, count] : partsOf(group, columns, 0)) {
      RowColumns rows = rowsOf(b, group);
      const RowColumns::From from = fromOf(b, group, first);
      RowColumns::Columns values;
      const std::map<int64_t, std::vector<Member>> taken = take(columns, first, count);
      for (const auto &[offset, members] : taken)
        values.push_back(members[0].access.values());
      isWhole(group, count) ? rows.storeWhole(from, values) : rows.storePart(from, values);
    }
    for (const auto &[offset, members] : columns)
      storeAlone(members[0].access);
    erase(group);
  }

private:
  using Columns = std::map<int64_t, std::vector<Member>>; ///< by their offset from the first member, in bytes
  using Part = std::pair<int64_t, unsigned>;              ///< the offset of its first column, their number

  static Columns columnsOf(const Group &group) {
    Columns columns;
    for (const Member &member : group.members)
      columns[member.place.offset - group.members[0].place.offset].push_back(member);
    return columns;
  }

  static std::map<int64_t, std::vector<Member>> take(Columns &columns, int64_t first, unsigned count) {
    Columns taken;
    const auto begin = columns.lower_bound(first);
    const auto end = begin == columns.end()
                         ? begin
                         : columns.lower_bound(first + int64_t(count) * int64_t(begin->second[0].access.size()));
    taken.insert(begin, end);
    columns.erase(begin, end);
    return taken;
  }

  /// Whether so many adjacent columns are rows without gaps, which are accessed whole.
  static bool isWhole(const Group &group, unsigned columns) {
    const StridedAccess &access = group.members[0].access;
    return columns * access.size() == access.step() &&
           (columns <= 3 || RowColumns::areIntegers(access.step(), access.size()));
  }

  /// `least`: of the columns of a part, those that have to be wanted; 0: all of them, which are then written.
  std::vector<Part> partsOf(const Group &group, const Columns &columns, unsigned least) const {
    const StridedAccess &access = group.members[0].access;
    const int64_t size = int64_t(access.size()), begin = columns.begin()->first, end = columns.rbegin()->first + size;
    const unsigned inPart = unsigned(RowColumns::partBytes / size);
    const unsigned inRow = unsigned((end - begin) / size);
    const bool areEnough = least == 0 ? columns.size() == inRow : columns.size() > 1;
    if (areEnough && inRow > 1 && isWhole(group, inRow))
      return {{begin, inRow}};
    if (size < 4 || access.lanes() * size < registerBytes)
      return {};
    std::vector<Part> parts;
    int64_t done = begin;
    for (const auto &[offset, members] : columns) {
      const int64_t first = least == 0 ? offset : std::min(offset, end - int64_t(RowColumns::partBytes));
      if (offset < done || first < begin)
        continue;
      const auto wanted = std::distance(columns.lower_bound(std::max(first, done)),
                                        columns.lower_bound(first + int64_t(RowColumns::partBytes)));
      if (wanted < int64_t(least == 0 ? inPart : least))
        continue;
      parts.push_back({first, inPart});
      done = first + int64_t(RowColumns::partBytes);
    }
    return parts;
  }

  RowColumns rowsOf(IRBuilder<> &b, const Group &group) const {
    const StridedAccess &access = group.members[0].access;
    return RowColumns(b, access.type()->getElementType(), access.lanes(), registerBytes);
  }

  /// An offset from the first member, whose address is known where the last one is, too.
  static RowColumns::From fromOf(IRBuilder<> &b, const Group &group, int64_t offset) {
    const StridedAccess &access = group.members[0].access;
    Value *first = offset == 0 ? access.first() : b.CreateConstGEP1_64(b.getInt8Ty(), access.first(), uint64_t(offset));
    return {first, access.step(), Align(std::min(access.alignment(), Align(access.size())))};
  }

  static void replace(const StridedAccess &access, Value *value) { access.call->replaceAllUsesWith(value); }

  /// In the end, as code for the group is placed beside its calls.
  static void erase(const Group &group) {
    for (const Member &member : group.members)
      member.access.call->eraseFromParent();
  }

  /// Whether elements of this size have gathers and scatters.
  bool hasGathers(const StridedAccess &access) const {
    return target.isa == math::VectorIsa::Avx512 && access.size() >= 4;
  }

  std::optional<StridedElements> inWindows(IRBuilder<> &b, const StridedAccess &access, uint64_t farthest) const {
    const unsigned inRegister = std::min(access.lanes(), registerBytes / unsigned(access.size()));
    const uint64_t elements = access.step() / access.size();
    if (access.step() % access.size() != 0 || elements > farthest || elements < 2 || elements >= inRegister)
      return std::nullopt;
    return StridedElements(b, access.type()->getElementType(), {access.lanes(), unsigned(elements), inRegister});
  }

  static Value *pointers(IRBuilder<> &b, const StridedAccess &access) {
    SmallVector<Constant *, 32> offsets;
    for (unsigned lane = 0; lane < access.lanes(); ++lane)
      offsets.push_back(b.getInt64(lane * access.step()));
    return b.CreateGEP(b.getInt8Ty(), access.first(), ConstantVector::get(offsets));
  }

  static Value *pointer(IRBuilder<> &b, const StridedAccess &access, unsigned lane) {
    return b.CreateConstGEP1_64(b.getInt8Ty(), access.first(), lane * access.step());
  }

  Value *loadAlone(const StridedAccess &access) const {
    IRBuilder<> b(access.call);
    if (std::optional<StridedElements> elements = inWindows(b, access, farthestLoad))
      return elements->load(access.first(), nullptr, access.alignment());
    if (hasGathers(access) && target.hasFastGathers)
      return b.CreateMaskedGather(access.type(), pointers(b, access), access.alignment());
    Value *all = PoisonValue::get(access.type());
    for (unsigned lane = 0; lane < access.lanes(); ++lane) {
      Value *one = b.CreateAlignedLoad(access.type()->getElementType(), pointer(b, access, lane), access.alignment());
      all = b.CreateInsertElement(all, one, lane);
    }
    return all;
  }

  void storeAlone(const StridedAccess &access) const {
    IRBuilder<> b(access.call);
    if (std::optional<StridedElements> elements =
            hasGathers(access) ? inWindows(b, access, farthestStore) : std::nullopt) {
      elements->store(access.first(), access.values(), nullptr, access.alignment());
    } else if (hasGathers(access)) {
      markElements(*b.CreateMaskedScatter(access.values(), pointers(b, access), access.alignment()), access.step(),
                   access.size());
    } else {
      for (unsigned lane = 0; lane < access.lanes(); ++lane)
        markElements(*b.CreateAlignedStore(b.CreateExtractElement(access.values(), lane), pointer(b, access, lane),
                                           access.alignment()),
                     access.step(), access.size());
    }
  }

  const StridedTarget target;
  const unsigned registerBytes;
};

} // namespace

bool hasStridedAccesses(const Module &module) {
  return any_of(module, [](const Function &function) { return StridedAccess::isAccess(function); });
}

void lowerStridedAccesses(Function &function, const StridedAnalyses &analyses, const StridedTarget &target) {
  BatchAAResults aliases(analyses.aliases);
  const Search search(function, aliases, analyses.tree);
  Lowering lowering(target);
  for (const Group &group : search.loads)
    lowering.loads(group);
  for (const Group &group : search.stores)
    lowering.stores(group);
}

} // namespace treadle::codegen

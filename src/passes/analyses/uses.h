// Uses: where a function reads and assigns its variables, from one walk over it.
#pragma once

#include "typed/typed.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace treadle {

struct SlotUse {
  enum class Kind : uint8_t {
    Value,
    Index,     ///< is in an index of a Load or Store
    Stored,    ///< is the array of a Store
    Attribute, ///< is the array of an Attribute
    Assign,    ///< the variable is assigned by an Assign
    Count,     ///< the variable is assigned by each iteration of a Range
  };
  uint32_t slot;
  Kind kind;
  const typed::Stmt *assignment; ///< nullptr: a read

  bool isRead() const { return !assignment; }
};

/// The uses of all variables, in the order of the statements, so that those below a statement are a part of the list.
/// Within a statement their order is unspecified.
class Uses {
public:
  explicit Uses(const TypedFunction &function);

  struct Part {
    uint32_t first = 0, end = 0;
  };
  Part of(const typed::Stmt &statement) const { return parts.at(&statement); }
  /// Of statements that follow each other.
  Part of(typed::Body statements) const;
  /// Of the iterations of a loop: its body, and the test of a While.
  Part ofRounds(const typed::Stmt &loop) const { return rounds.at(&loop); }
  Part all() const { return {0, uint32_t(uses.size())}; }

  std::span<const SlotUse> in(Part part) const { return std::span(uses).subspan(part.first, part.end - part.first); }
  /// By slot: whether the part has a read, or an assignment.
  llvm::BitVector read(Part part) const { return slotsOf(part, true); }
  llvm::BitVector assigned(Part part) const { return slotsOf(part, false); }
  unsigned reads(const typed::Slot &slot, Part part) const;
  bool isIndex(const typed::Slot &slot, Part part) const;
  /// The variable of a Range counts as assigned twice, as it changes with each iteration; parameters do not count as
  /// assigned by the call. So a slot with one assignment has a single value once that has run.
  unsigned assignments(const typed::Slot &slot, Part part) const;
  unsigned assignments(const typed::Slot &slot) const { return totals[slot.index].assignments; }
  /// The value of the only assignment; nullptr if there are others, or none.
  const typed::Expr *onlyValue(const typed::Slot &slot) const;
  /// The Range whose variable it is; nullptr if there are others, or it is assigned elsewhere, too.
  const typed::Range *onlyLoop(const typed::Slot &slot) const;
  unsigned slotCount() const { return unsigned(totals.size()); }

private:
  struct Total {
    unsigned assignments = 0;
    const typed::Stmt *latest = nullptr; ///< assignment
    std::vector<uint32_t> places;        ///< in `uses`
  };

  void walk(typed::Body body, SlotUse::Kind kind);
  void walk(const typed::Stmt &statement, SlotUse::Kind kind);
  void walkLoop(const typed::Stmt &loop, SlotUse::Kind kind);
  void walk(const typed::Expr &expression, SlotUse::Kind kind);
  void walk(const typed::Indexed &at, SlotUse::Kind array);
  void add(const typed::Slot &slot, SlotUse::Kind kind, const typed::Stmt *assignment);
  std::span<const uint32_t> placesOf(const typed::Slot &slot, Part part) const;
  llvm::BitVector slotsOf(Part part, bool areRead) const;

  std::vector<SlotUse> uses;
  std::vector<Total> totals; ///< by slot
  llvm::DenseMap<const typed::Stmt *, Part> parts, rounds;
};

/// The uses of functions, found when they are first asked for. A function must not change or end before the table.
class UsesTable {
public:
  const Uses &of(const TypedFunction &function) const;

private:
  mutable std::unordered_map<const TypedFunction *, std::unique_ptr<const Uses>> known;
};

} // namespace treadle

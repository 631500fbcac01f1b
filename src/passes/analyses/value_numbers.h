// value_numbers: numbers for integer and array values; equal numbers imply equal values.
#pragma once

#include "typed/typed.h"

#include <map>
#include <optional>
#include <vector>

namespace treadle {

/// The relation of an integer or an array to the thread's position in its block.
class ThreadPlace {
public:
  static constexpr ThreadPlace unknown() { return ThreadPlace(0xff); }
  /// Uniform across the threads of the block that are here together.
  static constexpr ThreadPlace uniform() { return ThreadPlace(0); }
  /// An integer: the position on that axis plus a uniform value. An array: a part of a uniform one that is selected by
  /// such an index, so that threads with different positions on the axis have different elements.
  static constexpr ThreadPlace on(unsigned axis) { return ThreadPlace(uint8_t(1 << axis)); }

  bool isUniform() const { return axes == 0; }
  bool isKnown() const { return axes != 0xff; }
  /// Of an array: threads that differ in any of these positions have different elements.
  bool covers(unsigned all) const { return isKnown() && (axes & all) == all; }
  ThreadPlace sum(ThreadPlace other) const { return isUniform() ? other : other.isUniform() ? *this : unknown(); }
  /// Of an array: indexed by an integer with that place.
  ThreadPlace indexedBy(ThreadPlace index) const {
    return isKnown() && index.isKnown() ? ThreadPlace(axes | index.axes) : *this;
  }

private:
  constexpr explicit ThreadPlace(uint8_t axes) : axes(axes) {}
  uint8_t axes; ///< one bit per axis
};

class ValueNumbers {
public:
  using Number = unsigned;
  struct Value {
    ThreadPlace place = ThreadPlace::unknown();
    std::optional<int64_t> constant = {};
    const typed::Slot *root = nullptr; ///< an array: the parameter that it is, or is a part of, if known
    bool isField = false;              ///< an array: of fields of records
  };
  /// A value that is equal to no other.
  Number fresh() { return fresh(Value()); }
  Number fresh(Value value);
  /// The parts are the numbers of the operands; the expression is an integer or an array, whose value depends on them
  /// alone.
  Number of(const typed::Expr &expression, const std::vector<Number> &parts);
  const Value &operator[](Number number) const { return values[number]; }

private:
  Value describe(const typed::Expr &expression, const std::vector<Number> &parts) const;
  Value describeView(const typed::View &view, const std::vector<Number> &parts) const;
  ThreadPlace placeOfView(const typed::View &view, const std::vector<Number> &parts) const;
  bool areUniform(const std::vector<Number> &parts) const;

  std::vector<Value> values{1}; ///< 0 is not a number
  std::map<std::vector<uint64_t>, Number> known;
};

} // namespace treadle

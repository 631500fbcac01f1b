// Samples the extents of a target and its value, and the order in which elements meet.
// The rule is found by trying: for extents and unknowns around the constants in the bounds, every case is worked out by
// integer arithmetic along each axis.
#include "infer/aliasing/overlap.h"

#include <algorithm>
#include <compare>
#include <numeric>
#include <set>

namespace treadle {

/// Factors that cancel out are removed, so that equal sums are equal maps.
Sum Sum::plus(const Sum &other, int64_t factor) const {
  Sum sum = *this;
  sum.constant += factor * other.constant;
  for (const auto &[unknown, times] : other.factors)
    if ((sum.factors[unknown] += factor * times) == 0)
      sum.factors.erase(unknown);
  return sum;
}

namespace {

/// Indices along an axis of the array: start, start + step, ...
struct Progression {
  int64_t start, step, count;
};

using Unknowns = std::vector<int64_t>;

/// Under one choice of values for the unknowns.
int64_t valueOf(const Sum &sum, const Unknowns &unknowns) {
  int64_t value = sum.constant;
  for (const auto &[unknown, factor] : sum.factors)
    value += factor * unknowns[unknown];
  return value;
}

/// Python's //, for divisors of either sign.
int64_t floorDivide(int64_t dividend, int64_t divisor) {
  const int64_t quotient = dividend / divisor;
  return quotient - (dividend % divisor != 0 && (dividend < 0) != (divisor < 0));
}

/// As Python's slice.indices().
std::optional<Progression> sliced(const AxisPath::Slice &slice, int64_t extent, const Unknowns &unknowns) {
  const int64_t step = valueOf(slice.step, unknowns);
  if (step == 0)
    return std::nullopt;
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
  auto bound = [&](const std::optional<Sum> &given, int64_t absent) {
    if (!given)
      return absent;
    const int64_t value = valueOf(*given, unknowns);
    return std::clamp(value < 0 ? value + extent : value, low, high);
  };
  const int64_t start = bound(slice.start, step > 0 ? low : high), stop = bound(slice.stop, step > 0 ? high : low);
  return Progression{start, step, std::max<int64_t>(0, floorDivide(stop - start + step - (step > 0 ? 1 : -1), step))};
}

/// Slices of slices of an axis are a progression again. nullopt: a step of 0 or an index out of range, which is an
/// error or undefined anyway.
std::optional<Progression> progressionOf(const AxisPath &path, int64_t extent, const Unknowns &unknowns) {
  Progression all{0, 1, extent};
  for (const AxisPath::Slice &slice : path.slices) {
    const std::optional<Progression> part = sliced(slice, all.count, unknowns);
    if (!part)
      return std::nullopt;
    all = {all.start + all.step * part->start, all.step * part->step, part->count};
  }
  if (!path.index)
    return all;
  int64_t index = valueOf(*path.index, unknowns);
  index += index < 0 ? all.count : 0;
  if (index < 0 || index >= all.count)
    return std::nullopt;
  return Progression{all.start + all.step * index, all.step, 1};
}

/// The positions of two progressions at which their values are equal, the first and the last.
struct Meeting {
  int64_t firstRead, lastRead, firstWritten, lastWritten, period;
};

/// The first and the last position are found by trying: after `period` tries there is none. Steps of the target are
/// made positive first.
std::optional<Meeting> meetingOf(Progression written, Progression read) {
  if (written.step < 0)
    written = {-written.start, -written.step, written.count}, read.start = -read.start, read.step = -read.step;
  const int64_t distance = read.start - written.start;
  const int64_t period = written.step / std::gcd(written.step, read.step);
  auto isMet = [&](int64_t position) {
    const int64_t offset = distance + read.step * position;
    return offset >= 0 && offset % written.step == 0 && offset / written.step < written.count;
  };
  const auto writtenAt = [&](int64_t position) { return (distance + read.step * position) / written.step; };
  const int64_t last = written.step * (written.count - 1) - distance;
  const bool isUp = read.step > 0;
  int64_t from = -floorDivide(isUp ? distance : last, std::abs(read.step));
  int64_t to = floorDivide(isUp ? last : distance, std::abs(read.step));
  from = std::max<int64_t>(from, 0), to = std::min(to, read.count - 1);
  for (int64_t tries = 0; from <= to && tries < period && !isMet(from); ++tries)
    ++from;
  for (int64_t tries = 0; from <= to && tries < period && !isMet(to); ++tries)
    --to;
  if (from > to || !isMet(from))
    return std::nullopt;
  return Meeting{from, to, writtenAt(from), writtenAt(to), period};
}

/// The possible relations of the position of a write to that of a read, along one axis of the target.
enum Relation : uint8_t { Before = 1, Same = 2, After = 4 };

struct Range {
  int64_t low, high;
};

/// Positions are independent of each other: any write may meet any read.
uint8_t relationsOf(Range written, Range reading) {
  return uint8_t((written.low < reading.high ? Before : 0) | (written.high > reading.low ? After : 0) |
                 (written.low <= reading.high && reading.low <= written.high ? Same : 0));
}

/// For a position that is written and read along the same axis: their distance is monotonic.
uint8_t relationsOf(const Meeting &meeting) {
  const int64_t first = meeting.firstWritten - meeting.firstRead, last = meeting.lastWritten - meeting.lastRead;
  uint8_t relations = (std::min(first, last) < 0 ? Before : 0) | (std::max(first, last) > 0 ? After : 0);
  if (first == 0 || last == 0)
    return relations | Same;
  if ((first < 0) == (last < 0))
    return relations;
  const int64_t steps = (meeting.lastRead - meeting.firstRead) / meeting.period;
  return first * steps % (first - last) == 0 ? relations | Same : relations;
}

/// The result of one choice of extents and unknowns for some axes of the array: relations for axes of the target.
struct Outcome {
  std::vector<uint8_t> relations; ///< in the order of the target's axes
  bool meets = true;
  bool isTypical = false; ///< its extents are not smaller than most
  bool isMoved = false;   ///< an element may be written at a position at which another one is read
  auto operator<=>(const Outcome &) const = default;
};

/// One query.
class Trial {
public:
  Trial(const ViewShape &target, const ViewShape &read, const Ties &ties) : target(target), read(read) {
    for (size_t axis = 0; axis < target.paths.size(); ++axis) {
      written.push_back(find(target, int(axis)));
      const int own = find(read, int(axis));
      tied.push_back(own < 0 ? anywhere : ties[size_t(own)]);
    }
  }

  /// Axes of the array that depend on each other, in the order of the target's axes, except for those at which every
  /// element is read where it is written.
  std::vector<std::vector<size_t>> groups() const;
  /// nullopt if the shapes do not fit, or nothing is assigned.
  std::optional<Outcome> outcome(const std::vector<size_t> &axes, const std::vector<int64_t> &extents,
                                 const Unknowns &unknowns) const;
  std::set<Outcome> outcomes(const std::vector<size_t> &axes, const Unknowns &unknowns) const;

private:
  static int find(const ViewShape &view, int axis) {
    const auto place = std::find(view.axes.begin(), view.axes.end(), axis);
    return place == view.axes.end() ? anywhere : int(place - view.axes.begin());
  }
  std::vector<int64_t> constants(const std::vector<size_t> &axes) const;

  const ViewShape &target, &read;
  std::vector<int> written; ///< for each axis of the array: the target's axis, or none
  std::vector<int> tied;    ///< the target's axis along whose positions it is read, or `anywhere`
};

/// Axes that are read along their own positions can be tried one by one; if one is read along another's (`a[:] = a.T`),
/// all depend on each other.
std::vector<std::vector<size_t>> Trial::groups() const {
  std::vector<size_t> all;
  bool isStraight = true;
  for (size_t axis = 0; axis < written.size(); ++axis) {
    isStraight &= tied[axis] == anywhere || tied[axis] == written[axis];
    if (written[axis] != tied[axis] || !(target.paths[axis] == read.paths[axis]))
      all.push_back(axis);
  }
  std::sort(all.begin(), all.end(), [&](size_t one, size_t other) { return written[one] < written[other]; });
  if (!isStraight)
    return {all};
  std::vector<std::vector<size_t>> single;
  for (const size_t axis : all)
    single.push_back({axis});
  return single;
}

/// The constants in the bounds, without signs.
std::vector<int64_t> Trial::constants(const std::vector<size_t> &axes) const {
  std::vector<int64_t> constants;
  auto add = [&](const std::optional<Sum> &sum) {
    if (sum)
      constants.push_back(std::abs(sum->constant));
  };
  for (const size_t axis : axes)
    for (const AxisPath *path : {&target.paths[axis], &read.paths[axis]}) {
      add(path->index);
      for (const AxisPath::Slice &slice : path->slices) {
        add(slice.start);
        add(slice.stop);
        add(slice.step);
      }
    }
  return constants;
}

/// Where a position of the target is read is narrowed down axis by axis: only positions at which both meet count.
std::optional<Outcome> Trial::outcome(const std::vector<size_t> &axes, const std::vector<int64_t> &extents,
                                      const Unknowns &unknowns) const {
  Outcome outcome;
  std::map<int, Range> reading; // by the target's axis: all its positions, or those at which something is read
  std::vector<std::pair<Progression, Progression>> both;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto to = progressionOf(target.paths[axes[i]], extents[i], unknowns);
    const auto from = progressionOf(read.paths[axes[i]], extents[i], unknowns);
    if (!to || !from || to->count == 0 || from->count == 0)
      return std::nullopt;
    both.emplace_back(*to, *from);
    if (const int own = written[axes[i]]; own >= 0)
      reading[own] = {0, to->count - 1};
  }
  std::vector<std::optional<Meeting>> meetings;
  const auto countAt = [&](int axis) { return reading.contains(axis) ? reading[axis].high + 1 : 1; };
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto &[to, from] = both[i];
    if (tied[axes[i]] != anywhere && from.count != 1 && from.count != countAt(tied[axes[i]]))
      return std::nullopt;
    meetings.push_back(meetingOf(to, from));
    outcome.meets &= meetings.back().has_value();
  }
  for (size_t i = 0; i < axes.size() && outcome.meets; ++i)
    if (tied[axes[i]] != anywhere && both[i].second.count > 1)
      reading[tied[axes[i]]] = {meetings[i]->firstRead, meetings[i]->lastRead};
  for (size_t i = 0; i < axes.size() && outcome.meets; ++i) {
    const Meeting &meeting = *meetings[i];
    const int own = written[axes[i]];
    if (own < 0)
      continue;
    const auto [low, high] = std::minmax(meeting.firstWritten, meeting.lastWritten);
    const bool isAtItsPlace = tied[axes[i]] == own && both[i].second.count > 1;
    outcome.relations.push_back(isAtItsPlace ? relationsOf(meeting) : relationsOf({low, high}, reading[own]));
    const bool isReadAt = std::any_of(axes.begin(), axes.end(), [&](const size_t &axis) {
      return tied[axis] == own && both[size_t(&axis - axes.data())].second.count > 1;
    });
    outcome.isMoved |= isReadAt && outcome.relations.back() != Same;
  }
  return outcome;
}

/// For all extents that distinguish cases; of axes that depend on each other, as many as time allows. Typical are the
/// largest that fit: two that exceed all bounds, or whatever there is.
std::set<Outcome> Trial::outcomes(const std::vector<size_t> &axes, const Unknowns &unknowns) const {
  constexpr size_t mostTrials = 4096;
  const std::vector<int64_t> constants = this->constants(axes);
  std::set<int64_t> all;
  for (int64_t extent = 1; extent <= (axes.size() > 1 ? 8 : 12); ++extent)
    all.insert(extent);
  int64_t beyond = 12;
  for (const int64_t one : constants) {
    beyond += 2 * one;
    for (const int64_t other : axes.size() > 1 ? std::vector<int64_t>{0} : constants)
      for (int64_t more = -1; more <= 2; ++more)
        all.insert(std::max<int64_t>({1, one + more, one + other + more}));
  }
  all.insert({beyond, beyond + 1});
  std::vector<std::vector<int64_t>> each;
  size_t count = 1;
  for (const size_t axis : axes) {
    const std::optional<int64_t> known = target.paths[axis].extent;
    each.push_back(known ? std::vector<int64_t>{*known} : std::vector<int64_t>(all.begin(), all.end()));
    count *= each.back().size();
  }
  std::map<int64_t, std::set<Outcome>> found; // by the sum of the extents
  const size_t stride = (count / mostTrials) | 1;
  for (size_t trial = count; trial-- > 0; trial -= std::min(trial, stride - 1)) {
    std::vector<int64_t> extents;
    size_t rest = trial;
    for (const auto &choices : each) {
      extents.push_back(choices[rest % choices.size()]);
      rest /= choices.size();
    }
    if (const std::optional<Outcome> made = outcome(axes, extents, unknowns))
      found[std::min(std::accumulate(extents.begin(), extents.end(), int64_t(0)), beyond * int64_t(axes.size()))]
          .insert(*made);
  }
  std::set<Outcome> outcomes;
  for (auto &[sum, some] : found)
    for (Outcome one : some) {
      one.isTypical = sum == found.rbegin()->first;
      outcomes.insert(one);
    }
  return outcomes;
}

/// The state of an assignment after some axes of its target.
struct State {
  bool meets = true, isTypical = true, isMoved = false, isLateUp = false, isLateDown = false;
  bool isSame = true; ///< an element may be read at the positions at which it is written, along all axes so far
  auto operator<=>(const State &) const = default;

  void add(const Outcome &outcome) {
    meets &= outcome.meets;
    isTypical &= outcome.isTypical;
    isMoved |= outcome.isMoved;
    for (const uint8_t relations : outcome.relations) {
      isLateUp |= isSame && (relations & Before);
      isLateDown |= isSame && (relations & After);
      isSame &= (relations & Same) != 0;
    }
  }
};

} // namespace

/// In loops over all axes the first axis decides which of two positions comes first, and the later ones only where they
/// are the same; so outcomes are added up from the first axis on.
Overlap overlapOf(const ViewShape &target, const ViewShape &read, const Reading &how, uint32_t unknowns) {
  constexpr int64_t values[] = {0, 1, 2, 3, 5};
  const Trial trial(target, read, how.ties);
  Overlap overlap;
  overlap.isCertain = true;
  size_t count = 1;
  for (uint32_t i = 0; i < unknowns; ++i)
    count *= std::size(values);
  for (size_t choice = 0; choice < count; ++choice) {
    Unknowns chosen;
    for (size_t rest = choice; chosen.size() < unknowns; rest /= std::size(values))
      chosen.push_back(values[rest % std::size(values)]);
    std::set<State> states{State()};
    for (const std::vector<size_t> &axes : trial.groups()) {
      overlap.isSampled |= axes.size() > 1 && unknowns > 0;
      std::set<State> next;
      for (const Outcome &outcome : trial.outcomes(axes, chosen))
        for (State state : states) {
          state.add(outcome);
          next.insert(state);
        }
      states = std::move(next);
    }
    for (const State &state : states) {
      const bool isLate = state.meets && (state.isLateUp || state.isLateDown) && (state.isMoved || !how.isCopy);
      overlap.isEverLateUp |= isLate && state.isLateUp;
      overlap.isEverLateDown |= isLate && state.isLateDown;
      if (!state.isTypical)
        continue;
      overlap.isLateUp |= isLate && state.isLateUp;
      overlap.isLateDown |= isLate && state.isLateDown;
      overlap.isCertain &= isLate;
    }
  }
  overlap.isCertain &= overlap.isLateUp || overlap.isLateDown;
  return overlap;
}

} // namespace treadle

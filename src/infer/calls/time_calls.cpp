// NumPy's dates and durations: int64 counts of a unit, which is part of the type. The operators are implemented in
// Python (treadle/library/times.py); here are the parts that cannot be expressed there.
#include "infer/calls/time_calls.h"

#include <algorithm>
#include <array>

namespace treadle {

namespace {

/// NumPy's units, coarse to fine, and how many of the next one each is; 0: it depends on the calendar. The unit after
/// the last is that of durations without a unit.
struct Unit {
  std::string_view name;
  int64_t next;
};
constexpr std::array<Unit, 13> units = {{
    {"Y", 12},
    {"M", 0},
    {"W", 7},
    {"D", 24},
    {"h", 60},
    {"m", 60},
    {"s", 1000},
    {"ms", 1000},
    {"us", 1000},
    {"ns", 1000},
    {"ps", 1000},
    {"fs", 1000},
    {"as", 0},
}};

/// The unit's index in the table; the table's size if there is none.
int64_t unitOf(const Type &time) {
  const std::string_view text = time.text();
  const size_t bracket = text.find('[');
  if (bracket == text.npos)
    return int64_t(units.size());
  const std::string_view name = text.substr(bracket + 1, text.size() - bracket - 2);
  return std::ranges::find(units, name, &Unit::name) - units.begin();
}

} // namespace

/// unit(x): the index of a time's unit in the table.
/// Also of a dtype: `np.dtype("M8[s]")`.
typed::Expr *TimeCalls::callUnit(const Builtin &row, const Arguments &arguments) {
  const Type *type = arguments.positional[0]->type;
  if (type->is(TypeKind::TypeObject))
    type = type->element();
  if (!type->is(Series::Time) && !type->isTimeElement())
    failArgument(tree, row, *arguments.positional[0], "a date or a duration");
  return tree.integer(types::int64(), unitOf(*type), arguments.span);
}

/// Only the library asks. The demand of a constant has the asking function compiled with its constant arguments.
void TimeCalls::failUnknown(const Builtin &row, SourceSpan span) const {
  tree.fail(span, {.kind = CompileErrorKind::Constant,
                   .message = std::string(row.key) + "() needs units that are known while compiling",
                   .needsConstant = true});
}

/// unit_factor(coarse, fine): how many fine units the coarse one has; 0 if the number varies, or does not fit.
/// 0 also if `fine` is the coarser one.
typed::Expr *TimeCalls::callUnitFactor(const Builtin &row, const Arguments &arguments) {
  const std::optional<int64_t> coarse = constantInteger(*arguments.positional[0]);
  const std::optional<int64_t> fine = constantInteger(*arguments.positional[1]);
  if (!coarse || !fine)
    failUnknown(row, arguments.span);
  int64_t factor = *coarse <= *fine && *fine < int64_t(units.size()) ? 1 : 0;
  for (int64_t unit = *coarse; unit < *fine && factor != 0; ++unit)
    if (__builtin_mul_overflow(factor, units[size_t(unit)].next, &factor))
      factor = 0;
  return tree.integer(types::int64(), factor, arguments.span);
}

/// time_of(ticks, is_duration, unit).
/// The unit becomes part of the type, so the library's functions are compiled for each unit.
typed::Expr *TimeCalls::callTimeOf(const Builtin &row, const Arguments &arguments) {
  const Items &given = arguments.positional;
  const bool isConstant = given[1]->kind == typed::ExprKind::Const && given[1]->type->isBool();
  const std::optional<int64_t> unit = constantInteger(*given[2]);
  if (!isConstant || !unit || *unit < 0 || *unit > int64_t(units.size()))
    failUnknown(row, arguments.span);
  std::string name = given[1]->as<typed::Const>().integer ? "timedelta64" : "datetime64";
  if (*unit < int64_t(units.size()))
    name += "[" + std::string(units[size_t(*unit)].name) + "]";
  return access.timeFrom(tree.convert(given[0], types::int64()), types::opaque(name, 8, 8), arguments.span);
}

/// The count as an int64; NaT is the smallest one.
typed::Expr *TimeCalls::callTicks(const Builtin &row, const Arguments &arguments) {
  if (!arguments.positional[0]->type->is(Series::Time))
    failArgument(tree, row, *arguments.positional[0], "a date or a duration");
  return tree.inBlock(arguments.span, [&] { return tree.itemOf(arguments.positional[0], 0, arguments.span); });
}

/// unit_named(text): the index of a unit in the table.
typed::Expr *TimeCalls::callUnitNamed(const Builtin &row, const Arguments &arguments) {
  const Type *type = arguments.positional[0]->type;
  const auto *found = type->is(TypeKind::String) ? std::ranges::find(units, type->text(), &Unit::name) : units.end();
  if (found == units.end())
    failArgument(tree, row, *arguments.positional[0], "the name of a unit: Y M W D h m s ms us ns ps fs as");
  return tree.integer(types::int64(), found - units.begin(), arguments.span);
}

} // namespace treadle

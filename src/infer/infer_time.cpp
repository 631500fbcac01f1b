// Dates and durations of NumPy: int64 counted in a unit, which is part of the type. What the operators mean is written
// in Python (treadle/library/times.py); here is what functions there cannot say.
#include "infer/builtin_rules.h"

#include <algorithm>
#include <array>

namespace treadle {

namespace {

/// NumPy's units, coarse to fine, and how many of the next one each is; 0: it depends on the calendar. The unit behind
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

/// The position of the unit in the table; its size where there is none.
int64_t unitOf(const Type &time) {
  const std::string_view text = time.text();
  const size_t bracket = text.find('[');
  if (bracket == text.npos)
    return int64_t(units.size());
  const std::string_view name = text.substr(bracket + 1, text.size() - bracket - 2);
  return std::ranges::find(units, name, &Unit::name) - units.begin();
}

} // namespace

typed::Expr *ValueRules::timeFrom(typed::Expr *ticks, const Type *element, SourceSpan span) {
  return nodes.tuple(types::time(element), {ticks}, span);
}

/// The array as one of int64.
typed::Expr *ValueRules::ticksView(typed::Expr *array) {
  const Type *type = array->type;
  return nodes.view(types::array(types::int64(), {type->ndim(), type->layout(), type->isReadOnly(), type->space(),
                                                  type->isUnaligned()}),
                    typed::ViewKind::Axes, array, {});
}

/// The value as it is stored into an element of that type.
typed::Expr *ValueRules::elementValue(typed::Expr *value, const Type *element, std::string_view message,
                                      SourceSpan span) {
  if (element->isTextElement())
    return textFor(value, element, message);
  if (!element->isTimeElement())
    return convertFor(value, element, message, span);
  typed::Expr *cast = applied("time.cast", {value, nodes.unit(types::typeObject(element), span)}, span);
  return inBlock(span, [&] { return itemOf(cast, 0, span); });
}

bool ValueRules::hasTimes(const Items &operands) {
  return std::any_of(operands.begin(), operands.end(), [](auto *one) { return one->type->is(Series::Time); });
}

/// unit(x): the position of a time's unit in the table.
typed::Expr *BuiltinRules::callUnit(const Builtin &row, const Arguments &arguments) {
  const Type *type = arguments.positional[0]->type;
  if (type->is(TypeKind::TypeObject))
    type = type->element();
  if (!type->is(Series::Time) && !type->isTimeElement())
    failArgument(row, *arguments.positional[0], "a date or a duration");
  return nodes.integer(types::int64(), unitOf(*type), arguments.span);
}

void BuiltinRules::failUnknown(const Builtin &row, SourceSpan span) const {
  fail(span, {.kind = CompileErrorKind::Constant,
              .message = std::string(row.key) + "() needs units that are known while compiling",
              .found = {},
              .expected = {},
              .remedy = {},
              .needsConstant = true});
}

/// unit_factor(coarse, fine): how many of the fine unit the coarse one is; 0 if that is no fixed number, or does not
/// fit.
typed::Expr *BuiltinRules::callUnitFactor(const Builtin &row, const Arguments &arguments) {
  const std::optional<int64_t> coarse = constantInteger(*arguments.positional[0]);
  const std::optional<int64_t> fine = constantInteger(*arguments.positional[1]);
  if (!coarse || !fine)
    failUnknown(row, arguments.span);
  int64_t factor = *coarse <= *fine && *fine < int64_t(units.size()) ? 1 : 0;
  for (int64_t unit = *coarse; unit < *fine && factor != 0; ++unit)
    if (__builtin_mul_overflow(factor, units[size_t(unit)].next, &factor))
      factor = 0;
  return nodes.integer(types::int64(), factor, arguments.span);
}

/// time_of(ticks, is_duration, unit).
typed::Expr *BuiltinRules::callTimeOf(const Builtin &row, const Arguments &arguments) {
  const Items &given = arguments.positional;
  const bool isConstant = given[1]->kind == typed::ExprKind::Const && given[1]->type->isBool();
  const std::optional<int64_t> unit = constantInteger(*given[2]);
  if (!isConstant || !unit || *unit < 0 || *unit > int64_t(units.size()))
    failUnknown(row, arguments.span);
  std::string name = given[1]->as<typed::Const>().integer ? "timedelta64" : "datetime64";
  if (*unit < int64_t(units.size()))
    name += "[" + std::string(units[size_t(*unit)].name) + "]";
  return timeFrom(convert(given[0], types::int64()), types::opaque(name, 8, 8), arguments.span);
}

typed::Expr *BuiltinRules::callTicks(const Builtin &row, const Arguments &arguments) {
  if (!arguments.positional[0]->type->is(Series::Time))
    failArgument(row, *arguments.positional[0], "a date or a duration");
  return inBlock(arguments.span, [&] { return itemOf(arguments.positional[0], 0, arguments.span); });
}

/// unit_named(text): the position of a unit in the table.
typed::Expr *BuiltinRules::callUnitNamed(const Builtin &row, const Arguments &arguments) {
  const Type *type = arguments.positional[0]->type;
  const auto *found = type->is(TypeKind::String) ? std::ranges::find(units, type->text(), &Unit::name) : units.end();
  if (found == units.end())
    failArgument(row, *arguments.positional[0], "the name of a unit: Y M W D h m s ms us ns ps fs as");
  return nodes.integer(types::int64(), found - units.begin(), arguments.span);
}

} // namespace treadle

// f-strings: constants, or formatted run-time values in print().
// CUDA's printf shows values of run time, so that an f-string is a pattern for printf and its values. Formats that
// printf cannot express are refused; constants are formatted here.
#include "infer/expressions/formatting.h"

#include "border/print_directive.h"
#include "support/text/plain_numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace treadle {

using namespace printing;

namespace {

/// The conversion with which print() shows values of the type without a format.
/// A bool is shown as True or False.
char usualLetterOf(const Type &type) {
  return usualLetter(type.isBool()     ? Shown::Text
                     : type.isFloat()  ? Shown::Float
                     : type.isSigned() ? Shown::Signed
                                       : Shown::Unsigned);
}

/// Python's format: [[fill]align][sign][#][0][width][grouping][.precision][type].
/// Filling characters other than a space, `^` and `=`, `,` and `_`, and the letters that printf has not, are not
/// parsed.
struct FormatSpec {
  char align = 0, sign = 0, type = 0;
  bool isZeroed = false;
  std::string width, precision;

  /// False: printf cannot express it.
  bool parse(std::string_view text) {
    const auto take = [&](std::string_view from) {
      const bool isThere = !text.empty() && from.find(text[0]) != from.npos;
      const char taken = isThere ? text[0] : '\0';
      text.remove_prefix(isThere);
      return taken;
    };
    const auto digits = [&] {
      std::string number;
      while (const char digit = take("0123456789"))
        number += digit;
      return number;
    };
    if (text.size() > 1 && text[0] == ' ' && (text[1] == '<' || text[1] == '>'))
      take(" ");
    align = take("<>");
    sign = take("+- ");
    isZeroed = take("0") != 0;
    width = digits();
    if (take(".") && (precision = digits()).empty())
      return false;
    type = take(std::string(integerLetters) + std::string(floatLetters));
    // printf pads with zeros only on the left, Python also on the right.
    return text.empty() && !(isZeroed && align) && width.size() <= 3 && precision.size() <= 3;
  }

  bool isDecimal() const { return type == 0 || type == usualLetter(Shown::Signed); }

  std::string directive(char conversion) const {
    std::string made = "%";
    made += align == '<' ? "-" : "";
    made += sign == '+' || sign == ' ' ? std::string(1, sign) : "";
    made += isZeroed ? "0" : "";
    return made + width + (precision.empty() ? "" : "." + precision) + conversion;
  }
};

/// As Python's repr() of a float: the fewest digits that identify the number.
/// std::to_chars finds the digits; where the point goes, and from which exponents on there is one, is Python's rule.
std::string shortest(double value) {
  std::array<char, 64> text{};
  const char *end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific).ptr;
  const std::string scientific(static_cast<const char *>(text.data()), end);
  const size_t mark = scientific.find('e');
  if (mark == std::string::npos)
    return scientific.ends_with("nan") ? "nan" : scientific;
  const bool isNegative = scientific[0] == '-';
  std::string digits = scientific.substr(isNegative, mark - isNegative);
  std::erase(digits, '.');
  const int exponent = std::atoi(scientific.c_str() + mark + 1);
  std::string shown;
  if (exponent < -4 || exponent >= 16)
    shown = digits.substr(0, 1) + (digits.size() > 1 ? "." + digits.substr(1) : "") + scientific.substr(mark);
  else if (exponent < 0)
    shown = "0." + std::string(size_t(-exponent - 1), '0') + digits;
  else {
    digits.append(digits.size() < size_t(exponent) + 2 ? size_t(exponent) + 2 - digits.size() : 0, '0');
    shown = digits.substr(0, size_t(exponent) + 1) + "." + digits.substr(size_t(exponent) + 1);
  }
  return (isNegative ? "-" : "") + shown;
}

/// A constant without a format.
/// As str(): numbers beyond int64 are unsigned.
std::string plainText(const typed::Const &value) {
  if (value.type->isBool())
    return value.integer ? "True" : "False";
  if (value.type->isFloat())
    return shortest(value.real);
  return value.type->isSigned() ? std::to_string(value.integer) : std::to_string(uint64_t(value.integer));
}

std::string spaced(std::string_view letters) {
  std::string made;
  for (const char letter : letters)
    made += (made.empty() ? "" : " ") + std::string(1, letter);
  return made;
}

/// With zeros between sign and digits, where printf has put leading spaces.
/// Only infinities and NaN need it: f"{inf:08}" is 00000inf in Python, and spaces and inf in C.
std::string filledWithZeros(std::string_view text, char sign) {
  const size_t blanks = std::min(text.find_first_not_of(' '), text.size());
  std::string_view letters = text.substr(blanks);
  std::string first;
  if (letters.starts_with('-') || letters.starts_with('+')) {
    first = letters[0];
    letters.remove_prefix(1);
  } else if (sign == ' ')
    first = " ";
  return first + std::string(text.size() - first.size() - letters.size(), '0') + std::string(letters);
}

/// A constant of the conversion's type.
/// In the C locale whatever the process has set: PlainNumbers.
std::string formatted(const typed::Const &value, const FormatSpec &spec, char conversion) {
  const std::string directive = withLength(spec.directive(conversion));
  // printf shows the sign of a NaN, Python does not.
  const double real = std::isnan(value.real) ? std::fabs(value.real) : value.real;
  const PlainNumbers plain;
  const auto print = [&](char *place, size_t size) {
    return value.type->isFloat() ? std::snprintf(place, size, directive.c_str(), real)
                                 : std::snprintf(place, size, directive.c_str(), static_cast<long long>(value.integer));
  };
  std::string shown(size_t(print(nullptr, 0)), '\0');
  print(shown.data(), shown.size() + 1);
  return value.type->isFloat() && spec.isZeroed && !std::isfinite(real) ? filledWithZeros(shown, spec.sign) : shown;
}

/// The type in which print() formats numbers of this type.
const Type *widest(const Type &type) {
  return type.isFloat() ? types::float64() : type.isSigned() ? types::int64() : types::uint64();
}

/// Why a format is not supported, and what to write instead.
struct Refusal {
  std::string why, remedy;
};

/// Parses the format into `spec`; returns its errors that do not depend on the value. `given`: nullptr if there is
/// none.
std::optional<Refusal> refusalOf(const syntax::Format &part, const typed::Expr *given, FormatSpec &spec) {
  if (given && !given->type->is(TypeKind::String))
    return Refusal{"the format must be known while compiling", ""};
  const std::string_view text = given ? given->type->text() : std::string_view();
  if (part.conversion == 'a' || (part.conversion != 0 && !text.empty()))
    return Refusal{"conversions go with no format", ""};
  if (!spec.parse(text))
    return Refusal{"they have widths, < and >, signs, zeros in front, precisions, and the letters " +
                       spaced(integerLetters) + " " + spaced(floatLetters),
                   ""};
  return std::nullopt;
}

/// The error of an integer format for a value of that type. `known`: the value, if it is a constant.
/// f"{-1:x}" is -1 in Python; printf shows ffffffffffffffff.
std::optional<Refusal> refusalOfInteger(const Type &type, std::optional<int64_t> known, const FormatSpec &spec) {
  if (type.isFloat())
    return Refusal{spec.type ? "the letter is for integers" : "a float needs a letter",
                   "write {x:.3f}, {x:12.4e} or {x:g}"};
  if (!spec.precision.empty())
    return Refusal{"integers have no precision", ""};
  const bool mayBeNegative = type.isInt() && type.isSigned() && known.value_or(-1) < 0;
  if (!spec.isDecimal() && mayBeNegative)
    return Refusal{"a negative number would be shown by its bits", "convert it: f\"{np.uint64(i):x}\""};
  if (!spec.isDecimal() && spec.sign)
    return Refusal{"only decimal numbers have signs", ""};
  if (!type.isBool() && !type.isSigned() && (spec.sign == '+' || spec.sign == ' '))
    return Refusal{"unsigned integers have no signs", "convert it: int64(i)"};
  return std::nullopt;
}

struct Formatted {
  std::string text;    ///< all parts except for run-time values
  std::string pattern; ///< for printf
  Items values;

  void add(std::string_view constant) {
    text += constant;
    pattern += escaped(constant);
  }
  void add(typed::Expr *value, const FormatSpec &spec, char conversion) {
    if (value->kind == typed::ExprKind::Const)
      return add(formatted(value->as<typed::Const>(), spec, conversion));
    pattern += spec.directive(conversion);
    values.push_back(value);
  }
};

/// One part in braces. Its value and its format are evaluated in this order, as in Python.
void format(const Context &context, const syntax::Format &part, Formatted &made) {
  Tree &tree = context.tree;
  typed::Expr *value = tree.unwrap(context.whole.expr(*part.value));
  const Type *type = value->type;
  typed::Expr *given = part.spec ? context.whole.expr(*part.spec) : nullptr;
  const std::string_view text = given && given->type->is(TypeKind::String) ? given->type->text() : std::string_view();
  if (type->is(TypeKind::String) && text.empty() && !given && (part.conversion == 0 || part.conversion == 's')) {
    tree.emitValue(value, part.span);
    return made.add(type->text());
  }
  if (!type->isReal())
    tree.fail(part.value->span,
              {.kind = CompileErrorKind::Typing,
               .message = "this cannot be a part of an f-string in a kernel",
               .found = type->name(),
               .expected = "an integer, a float, a bool or a text known while compiling, without a format",
               .remedy = type->isComplex() ? "take its parts: .real and .imag" : ""});
  FormatSpec spec;
  std::optional<Refusal> refusal = refusalOf(part, given, spec);
  const bool isInteger = !text.empty() && !isOfFloat(spec.type);
  if (!refusal && isInteger)
    refusal = refusalOfInteger(*type, constantInteger(*value), spec);
  if (refusal)
    tree.fail(part.span.isKnown() ? part.span : part.value->span,
              {.kind = CompileErrorKind::Unsupported,
               .message = "kernels cannot format a value so: " + refusal->why,
               .found = quoted(text),
               .remedy = refusal->remedy});
  if (text.empty() && value->kind == typed::ExprKind::Const)
    return made.add(plainText(value->as<typed::Const>()));
  if (text.empty())
    return made.add(type->isBool() ? value : tree.convert(value, widest(*type)), spec, usualLetterOf(*type));
  if (!isInteger)
    return made.add(tree.convert(value, types::float64()), spec, spec.type);
  const Type *wide = type->isBool() ? types::int64() : widest(*type);
  made.add(tree.convert(value, wide), spec, spec.isDecimal() ? usualLetterOf(*wide) : spec.type);
}

} // namespace

/// Without values of run time it is a constant text, which can be used like any other; with them it can only be
/// printed.
typed::Expr *joinedString(const Context &context, const syntax::Sequence &expression) {
  Tree &tree = context.tree;
  return tree.inBlock(expression.span, [&]() -> typed::Expr * {
    Formatted made;
    for (const syntax::Expr *part : expression.items) {
      if (part->kind == syntax::ExprKind::Format)
        format(context, part->as<syntax::Format>(), made);
      else
        made.add(context.whole.expr(*part)->type->text());
    }
    if (made.values.empty())
      return tree.unit(types::string(made.text), expression.span);
    tree.settle(made.values);
    std::vector<const Type *> types;
    for (const typed::Expr *value : made.values)
      types.push_back(value->type);
    return tree.tuple(types::format(made.pattern, types), made.values, expression.span);
  });
}

} // namespace treadle

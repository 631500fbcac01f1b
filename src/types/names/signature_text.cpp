// A recursive-descent parser of signature strings.
#include "types/names/signature_text.h"

#include "support/error.h"
#include "types/names/type_code.h"
#include "types/names/type_names.h"

#include <cctype>
#include <charconv>
#include <fmt/core.h>
#include <string>
#include <vector>

namespace treadle {

namespace {

/// The nesting limit of tuples: no real signature is deeper, and recursion must end.
constexpr unsigned maxNesting = 64;

class SignatureReader {
public:
  explicit SignatureReader(std::string_view text) : text(text) {}

  Signature signature();
  const Type *onlyType();

private:
  const Type *type();
  const Type *base();
  const Type *named(std::string_view name, size_t start);
  const Type *arrayOf(const Type *element, size_t start);
  const Type *arrayCall();
  const Type *tupleCall();
  std::vector<const Type *> typesUntil(char end);

  void skipSpace();
  bool accept(char wanted);
  void expect(char wanted, const char *where);
  std::string_view word();
  unsigned number(const char *what);
  bool atEnd();
  [[noreturn]] void fail(size_t position, const std::string &message) const;

  std::string_view text;
  size_t position = 0;
  unsigned nesting = 0;
};

void SignatureReader::fail(size_t where, const std::string &message) const {
  std::string shown(text);
  for (char &c : shown)
    if (std::isspace(static_cast<unsigned char>(c)))
      c = ' ';
  throw UsageError(UsageError::Kind::Value,
                   "bad signature: " + message + "\n    " + shown + "\n    " + std::string(where, ' ') + "^");
}

void SignatureReader::skipSpace() {
  while (position < text.size() && std::isspace(static_cast<unsigned char>(text[position])))
    ++position;
}

bool SignatureReader::accept(char wanted) {
  skipSpace();
  if (position >= text.size() || text[position] != wanted)
    return false;
  ++position;
  return true;
}

void SignatureReader::expect(char wanted, const char *where) {
  if (!accept(wanted))
    fail(position, std::string("expected '") + wanted + "' " + where);
}

bool SignatureReader::atEnd() {
  skipSpace();
  return position == text.size();
}

std::string_view SignatureReader::word() {
  skipSpace();
  const size_t start = position;
  while (position < text.size() && (std::isalnum(static_cast<unsigned char>(text[position])) || text[position] == '_'))
    ++position;
  return text.substr(start, position - start);
}

unsigned SignatureReader::number(const char *what) {
  skipSpace();
  const size_t start = position;
  unsigned value = 0;
  const auto [end, failure] = std::from_chars(text.data() + position, text.data() + text.size(), value);
  if (failure != std::errc())
    fail(start, std::string("expected ") + what);
  position = size_t(end - text.data());
  return value;
}

/// `types` up to the closing bracket, with an optional trailing comma.
std::vector<const Type *> SignatureReader::typesUntil(char end) {
  std::vector<const Type *> list;
  while (!accept(end)) {
    list.push_back(type());
    if (accept(end))
      return list;
    expect(',', "or the end of the argument types");
  }
  return list;
}

const Type *SignatureReader::arrayOf(const Type *element, size_t start) {
  unsigned ndim = 0;
  int contiguousAxis = -1;
  do {
    const size_t axisStart = (skipSpace(), position);
    if (!accept(':'))
      fail(position, "expected ':' or '::1' for each dimension of the array");
    if (accept(':')) {
      if (number("1 after '::'") != 1)
        fail(axisStart, "only '::1' says that a dimension is contiguous");
      if (contiguousAxis >= 0)
        fail(axisStart, "two dimensions cannot both be contiguous");
      contiguousAxis = int(ndim);
    }
    ++ndim;
  } while (accept(','));
  expect(']', "after the dimensions");
  if (!element->isNumber())
    fail(start, "an array's elements must be numbers, found " + element->name());
  if (ndim > maxDimensions)
    fail(start, fmt::format("arrays have at most {} dimensions", maxDimensions));
  if (contiguousAxis > 0 && contiguousAxis + 1 < int(ndim))
    fail(start, "'::1' stands in the first (Fortran order) or the last dimension (C order)");
  const Layout layout = contiguousAxis < 0 ? Layout::Any : contiguousAxis + 1 == int(ndim) ? Layout::C : Layout::F;
  return types::array(element, {ndim, layout, false, Space::Global});
}

/// The rest after `Array(`: dtype, ndim, layout, and keyword flags.
const Type *SignatureReader::arrayCall() {
  const size_t start = position;
  const Type *element = type();
  expect(',', "before the number of dimensions");
  const unsigned ndim = number("the number of dimensions");
  expect(',', "before the layout");
  skipSpace();
  const size_t layoutStart = position;
  if (position + 3 > text.size() || (text[position] != '\'' && text[position] != '"') ||
      text[position + 2] != text[position])
    fail(layoutStart, "expected the layout 'C', 'F' or 'A'");
  const char letter = text[position + 1];
  position += 3;
  if (letter != 'C' && letter != 'F' && letter != 'A')
    fail(layoutStart, "expected the layout 'C', 'F' or 'A'");
  ArrayFlags flags;
  while (accept(',')) {
    const size_t flagStart = (skipSpace(), position);
    const std::string_view flag = word();
    if (flag != "readonly" && flag != "aligned")
      fail(flagStart, "expected readonly= or aligned=");
    expect('=', "after the flag");
    const std::string_view value = word();
    if (value != "True" && value != "False")
      fail(flagStart, "the flag must be True or False");
    (flag == "readonly" ? flags.readOnly : flags.aligned) = value == "True";
  }
  expect(')', "after the array's description");
  if (!element->isNumber() || ndim > maxDimensions)
    fail(start, fmt::format("arrays hold numbers and have at most {} dimensions", maxDimensions));
  return arrayType(element, ndim, {&letter, 1}, flags);
}

const Type *SignatureReader::tupleCall() {
  expect('(', "around the item types");
  const std::vector<const Type *> items = typesUntil(')');
  expect(')', "after the item types");
  return types::tuple(items);
}

const Type *SignatureReader::named(std::string_view name, size_t start) {
  if (name == "Tuple" || name == "UniTuple" || name == "Optional" || name == "optional" || name == "Array") {
    expect('(', "after the name");
    if (name == "Tuple")
      return tupleCall();
    if (name == "Array")
      return arrayCall();
    const Type *inner = type();
    if (name != "UniTuple") {
      expect(')', "after the type");
      return types::optional(inner);
    }
    expect(',', "before the number of items");
    const unsigned count = number("the number of items");
    expect(')', "after the number of items");
    if (count > 1000)
      fail(start, "a tuple has at most 1000 items");
    return types::uniTuple(inner, count);
  }
  if (const Type *known = typeNamed(name))
    return known;
  fail(start, name.empty() ? std::string("expected a type") : "there is no type '" + std::string(name) + "'");
}

const Type *SignatureReader::base() {
  skipSpace();
  const size_t start = position;
  if (accept('(')) {
    const std::vector<const Type *> items = typesUntil(')');
    return types::tuple(items);
  }
  std::string_view name = word();
  if ((name == "types" || name == "numba" || name == "nb" || name == "cuda" || name == "treadle") && accept('.'))
    name = word();
  return named(name, start);
}

const Type *SignatureReader::type() {
  if (++nesting > maxNesting)
    fail(position, "nested too deeply");
  skipSpace();
  const size_t start = position;
  const Type *result = base();
  while (accept('['))
    result = arrayOf(result, start);
  --nesting;
  return result;
}

const Type *SignatureReader::onlyType() {
  const Type *result = type();
  if (!atEnd())
    fail(position, "expected the end of the type");
  return result;
}

Signature SignatureReader::signature() {
  if (atEnd())
    fail(position, "expected argument types");
  // `(a, b)` is a list of arguments, not one tuple: what follows the bracket decides.
  if (text[position] == '(') {
    ++position;
    Signature result{typesUntil(')'), nullptr};
    if (atEnd())
      return result;
    position = 0;
  }
  Signature result;
  const Type *first = type();
  if (accept('(')) {
    result.result = first;
    result.arguments = typesUntil(')');
    if (!atEnd())
      fail(position, "expected the end of the signature");
    return result;
  }
  result.arguments.push_back(first);
  while (!atEnd()) {
    expect(',', "or '(' between types");
    if (!atEnd())
      result.arguments.push_back(type());
  }
  return result;
}

} // namespace

Signature parseSignature(std::string_view text) { return SignatureReader(text).signature(); }

const Type *parseType(std::string_view text) { return SignatureReader(text).onlyType(); }

std::string parseableText(const Type *type) {
  if (type->isArray())
    return fmt::format("Array({}, {}, '{}', readonly={}{}", type->element()->name(), type->ndim(),
                       layoutLetter(type->layout()), type->isReadOnly() ? "True" : "False",
                       type->isUnaligned() ? ", aligned=False)" : ")");
  if (type->isOptional())
    return "Optional(" + parseableText(type->element()) + ")";
  if (!type->isTuple())
    return type->name();
  std::string items;
  for (const Type *item : type->items())
    items += parseableText(item) + ",";
  return "Tuple((" + items + "))";
}

void checkElements(const Type *element) {
  if (!element->isElement())
    throw UsageError(UsageError::Kind::Type, "an array's elements must be numbers or records, not " + element->name());
}

const Type *arrayType(const Type *element, unsigned ndim, std::string_view layout, ArrayFlags flags) {
  checkElements(element);
  if (ndim > maxDimensions)
    throw UsageError(UsageError::Kind::Type,
                     fmt::format("arrays have at most {} dimensions, found {}", maxDimensions, ndim));
  for (const Layout order : {Layout::C, Layout::F, Layout::Any})
    if (layout == layoutLetter(order))
      return types::array(element, {ndim, order, flags.readOnly, Space::Global, !flags.aligned});
  throw UsageError(UsageError::Kind::Value, "the layout must be 'C', 'F' or 'A', found '" + std::string(layout) + "'");
}

} // namespace treadle

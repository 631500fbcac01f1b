// Whether a launch is valid.
#include "capi/launch_check.h"

#include "launch/launch_facts.h"

#include <bit>
#include <fmt/core.h>
#include <limits>

namespace treadle::capi {

std::string argumentName(unsigned index) { return "argument " + std::to_string(index); }

namespace {

constexpr const char *argumentKinds[] = {"none",    "an array",         "an int", "an unsigned int",
                                         "a float", "a complex number", "a bool", "raw bytes"};

struct Place {
  const KernelCode &code;
  unsigned index;

  const Parameter &parameter() const { return code.parameters[index]; }
  std::string name() const {
    const std::string &known = parameter().name;
    return argumentName(index) + (known.empty() ? "" : " '" + known + "'") + " (" + parameter().text + ")";
  }
  [[noreturn]] void failKind(const treadle_argument &given) const {
    const bool isKnown = given.kind < std::size(argumentKinds);
    throw ApiError(TREADLE_ERROR_TYPE, name() + " got " +
                                           (isKnown ? std::string(argumentKinds[given.kind])
                                                    : fmt::format("an argument of unknown kind {}", given.kind)));
  }
  [[noreturn]] void failRange(const std::string &value) const {
    failArgument(name() + " got " + value + ", which does not fit");
  }
  [[noreturn]] void failType(const std::string &why) const { throw ApiError(TREADLE_ERROR_TYPE, name() + ' ' + why); }
};

/// The value range of an integer type.
struct IntegerRange {
  int64_t least;
  uint64_t most;
};
constexpr IntegerRange rangeOf(const NumberRow &row) {
  const unsigned bits = row.bytes * 8u;
  if (row.letter == 'u')
    return {0, bits == 64 ? std::numeric_limits<uint64_t>::max() : (uint64_t(1) << bits) - 1};
  const uint64_t most = (uint64_t(1) << (bits - 1)) - 1;
  return {-int64_t(most) - 1, most};
}

void readInteger(const Place &place, const NumberRow &row, const treadle_argument &given, ArgumentList &list) {
  const IntegerRange range = rangeOf(row);
  const int64_t value = given.value.i64;
  if (given.kind == TREADLE_ARGUMENT_INT) {
    if (value < range.least || (value > 0 && uint64_t(value) > range.most)) [[unlikely]]
      place.failRange(std::to_string(value));
  } else if (given.kind == TREADLE_ARGUMENT_UINT) {
    if (given.value.u64 > range.most) [[unlikely]]
      place.failRange(std::to_string(given.value.u64));
  } else {
    place.failKind(given);
  }
  list.addScalar(row.code, row.letter == 'u' ? ArgumentLeaf::Kind::Unsigned : ArgumentLeaf::Kind::Signed, value);
}

void readNumber(const Place &place, const treadle_argument &given, ArgumentList &list) {
  const NumberRow &row = rowOf(place.parameter().number);
  const auto want = [&](uint32_t kind) {
    if (given.kind != kind) [[unlikely]]
      place.failKind(given);
  };
  switch (row.kind) {
  case TypeKind::Int:
    return readInteger(place, row, given, list);
  case TypeKind::Float:
    want(TREADLE_ARGUMENT_FLOAT);
    return list.addReal(row.code, given.value.f64, 0);
  case TypeKind::Complex:
    want(TREADLE_ARGUMENT_COMPLEX);
    return list.addReal(row.code, given.value.c128[0], given.value.c128[1]);
  default:
    want(TREADLE_ARGUMENT_BOOL);
    if (given.value.u64 > 1)
      place.failRange(std::to_string(given.value.u64));
    return list.addScalar(row.code, ArgumentLeaf::Kind::Unsigned, given.value.i64);
  }
}

void addNone(ArgumentList &list) {
  ArgumentLeaf &leaf = list.leaves.push();
  leaf.kind = ArgumentLeaf::Kind::None;
  leaf.number = NumberCode::None;
}

bool fitsLayout(const ArrayObject &array, Layout wanted) {
  return wanted == Layout::Any || array.layout == wanted ||
         (wanted == Layout::F && isContiguous(array.view.strided(), true));
}

[[noreturn]] void failArray(const Place &place, const ArrayObject &array) {
  const Type &wanted = *place.parameter().type;
  if (array.element != wanted.element())
    place.failType("got an array of " + std::string(array.element->name()));
  if (array.view.ndim != wanted.ndim())
    place.failType(fmt::format("got an array of {} dimensions", array.view.ndim));
  if (!fitsLayout(array, wanted.layout()))
    place.failType("got an array whose elements are not in that order without gaps: copy it");
  place.failType("is written to by the kernel, and got a read-only array: copy it");
}

void readArray(const Place &place, const treadle_argument &given, ArgumentList &list) {
  if (given.kind != TREADLE_ARGUMENT_ARRAY) [[unlikely]]
    place.failKind(given);
  const ArrayObject &array = arrayOf(given, place.code.context, place.index);
  const Parameter &parameter = place.parameter();
  const Type &wanted = *parameter.type;
  const bool fits = array.element == wanted.element() && array.view.ndim == wanted.ndim() &&
                    fitsLayout(array, wanted.layout()) && !(array.isReadOnly && parameter.writes);
  if (!fits) [[unlikely]]
    failArray(place, array);
  const bool isNumber = array.number != NumberCode::Other;
  list.addArray({.data = array.view.data,
                 .shape = array.view.shape,
                 .strides = array.view.strides,
                 .ndim = array.view.ndim,
                 .layout = array.layout,
                 .isOnHost = false,
                 .isReadOnly = array.isReadOnly,
                 .number = isNumber ? array.number : NumberCode::None,
                 .record = isNumber ? nullptr : array.element});
  list.buffers.push() = &array.view.owner;
  list.isUsedBefore |= array.view.owner->isUsedBefore();
}

void readArgument(const Place &place, const treadle_argument &given, ArgumentList &list) {
  switch (place.parameter().kind) {
  case Parameter::Kind::Array:
    return readArray(place, given, list);
  case Parameter::Kind::Number:
    return readNumber(place, given, list);
  case Parameter::Kind::Optional:
    return given.kind == TREADLE_ARGUMENT_NONE ? addNone(list) : readNumber(place, given, list);
  case Parameter::Kind::None:
    if (given.kind != TREADLE_ARGUMENT_NONE)
      place.failKind(given);
    return addNone(list);
  case Parameter::Kind::Unknown:
    break;
  }
  throw ApiError(TREADLE_ERROR_UNSUPPORTED, place.name() + " is of a type that C programs cannot give");
}

/// A fact that a launch does not satisfy.
struct Lack {
  const char *fact = nullptr;    ///< its name; null: it satisfies all
  const char *meaning = nullptr; ///< FactRow::lack
  bool isOfRows = false;
  unsigned array = 0, axis = 0; ///< of rows
};

/// `ignored`: the bits of FactsKey::launch that do not count.
Lack lackOfLaunch(const Facts &has, const Facts &assumed, uint64_t ignored) {
  FactsKey key = has.key();
  key.launch = (key.launch & ~ignored) | (assumed.key().launch & ignored);
  const auto counted = std::bit_cast<Facts>(key);
  Lack lack;
  visitFacts([&](const auto &row) {
    if (!lack.fact && row.isAssumed(assumed) && counted.*row.value != assumed.*row.value)
      lack = {row.name, row.lack};
  });
  return lack;
}

Lack lackOfRows(uint64_t has, uint64_t assumed) {
  for (unsigned array = 0; array < Facts::rowArrays; ++array)
    for (unsigned axis = 0; axis < 2; ++axis) {
      const uint64_t bits = Facts::rowBits(array, axis);
      if ((assumed & bits) != 0 && ((assumed ^ has) & bits) != 0)
        return {"rows", nullptr, true, array, axis};
    }
  return {};
}

Lack lackOf(const KernelCode &code, const ConfigFacts &launch, const ArgumentList &list) {
  const Image &image = *code.variant.image;
  const Facts &assumed = image.facts;
  const Facts has = launch.along(assumed.laneAxis);
  if (has.key().launch != assumed.key().launch)
    if (const Lack lack = lackOfLaunch(has, assumed, image.ignoredFacts()); lack.fact)
      return lack;
  return assumed.rows != 0 ? lackOfRows(rowsOf(list.leaves.view(), code.rows), assumed.rows) : Lack();
}

/// The fact's name, and how the launch differs.
std::pair<std::string, std::string> described(const Lack &lack, const Facts &assumed) {
  if (lack.isOfRows)
    return {lack.fact,
            fmt::format("array {} of those with two axes or more has another extent along its axis {} from the last",
                        lack.array, lack.axis + 1)};
  if (lack.meaning)
    return {lack.fact, lack.meaning};
  const std::string length = std::to_string(assumed.blockClass);
  return {lack.fact + ("=" + length),
          fmt::format("block[{}] is {}", assumed.laneAxis,
                      assumed.blockClass == 32 ? "no multiple of 32, and the block has more than one row"
                                               : "not " + length)};
}

[[noreturn]] void failFact(const Lack &lack, const Facts &assumed) {
  const auto [fact, meaning] = described(lack, assumed);
  throw ApiError(TREADLE_ERROR_FACT, "the image was made under the fact " + fact + ", which this launch lacks: " +
                                         meaning + "; use an image that was made without it");
}

} // namespace

const ArrayObject &arrayOf(const treadle_argument &argument, const DeviceContext &context, unsigned index) {
  const auto value = reinterpret_cast<HandleValue>(argument.value.array);
  Object *const object = Handles::instance().find(HandleKind::Array, value);
  if (!object) [[unlikely]]
    failHandle(argumentName(index).c_str(), value, HandleKind::Array);
  const auto &array = static_cast<const ArrayObject &>(*object);
  const Buffer &buffer = *array.view.owner;
  buffer.checkAlive();
  if (&buffer.device() != context.device.get()) [[unlikely]]
    failArgument(fmt::format("{} lies in the memory of device {}, and the kernel is loaded on device {}: copy the "
                             "array there (treadle_array_copy)",
                             argumentName(index), Runtime::instance().contextOf(buffer.device()).ordinal,
                             context.ordinal));
  return array;
}

void readArguments(const KernelCode &code, std::span<const treadle_argument> arguments, ArgumentList &list) {
  if (arguments.size() != code.parameters.size()) [[unlikely]]
    throw ApiError(TREADLE_ERROR_TYPE, fmt::format("the kernel takes {} arguments, and {} were given",
                                                   code.parameters.size(), arguments.size()));
  for (unsigned i = 0; i < arguments.size(); ++i)
    readArgument({code, i}, arguments[i], list);
}

KernelCode &fittingCode(KernelCode &head, const ConfigFacts &config, const ArgumentList &list) {
  ConfigFacts has = config;
  has.facts = factsOf(config.facts, list.leaves.view());
  for (KernelCode *code = &head;; code = code->otherwise.get()) {
    const Lack lack = lackOf(*code, has, list);
    if (!lack.fact)
      return *code;
    if (!code->otherwise)
      failFact(lack, code->variant.image->facts);
  }
}

} // namespace treadle::capi

// Vector math: the names of routines, and their binding to libmvec, libsleef and our own.
#include "codegen/cpu/vector_math.h"

#include "codegen/cpu/math/own_routines.h"
#include "codegen/cpu/vector_math_table.h"
#include "support/error.h"

#include <algorithm>
#include <dlfcn.h>

namespace treadle::codegen {

namespace {

using Element = VectorRequest::Element;

constexpr std::string_view prefix = "treadle_vm_";
constexpr std::string_view fastSuffix = "_fast";
constexpr std::string_view isaNames[] = {"sse", "avx2", "avx512"};

void *ownAddress(std::string_view symbol) {
  const auto *row = std::ranges::find(ownRoutines, symbol, &OwnRoutine::symbol);
  return row == std::end(ownRoutines) ? nullptr : reinterpret_cast<void *>(row->address);
}

/// Libraries are never closed: code that calls them may live as long as the process.
void *openLibrary(const char *name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }

/// Tries the copy in this library's folder first: wheels contain it.
void *openSleef() {
  Dl_info self;
  if (dladdr(reinterpret_cast<void *>(&openSleef), &self) && self.dli_fname) {
    std::string path = self.dli_fname;
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
    if (void *library = openLibrary((path + "libsleef.so.3").c_str()))
      return library;
  }
  if (void *library = openLibrary("libsleef.so.3"))
    return library;
  throw Error("libsleef.so.3, which has the CPU device's vector math, is missing: reinstall treadle, or install the "
              "package libsleef3");
}

void *sleefSymbol(const std::string &name) {
  static void *const library = openSleef();
  return dlsym(library, name.c_str());
}

/// Null if this system has no libmvec, or one without the function.
void *mvecSymbol(const std::string &name) {
  static void *const library = openLibrary("libmvec.so.1");
  return library ? dlsym(library, name.c_str()) : nullptr;
}

/// The parts of a routine's symbol.
struct RoutineKey {
  const MathRoutineRow *row;
  unsigned bits;
  VectorIsa isa;
  bool fast;

  unsigned lanes() const { return vectorBytes(isa) * 8 / bits; }
  const TypeChoice &choice() const { return bits == 32 ? row->f32 : row->f64; }
  RoutineSource source() const { return (fast ? choice().fast : choice().normal).on(isa); }
};

/// "Sleef_expf16_u10avx512f", "Sleef_expd4_u10avx2", "Sleef_expf4_u10sse4".
std::string sleefName(const RoutineKey &key, RoutineSource source) {
  constexpr std::string_view isaSuffixes[] = {"sse4", "avx2", "avx512f"};
  std::string name = source == RoutineSource::SleefFast ? "Sleef_fast" : "Sleef_";
  name += std::string(key.row->name) + (key.bits == 32 ? "f" : "d") + std::to_string(key.lanes()) + "_";
  return name + std::string(sleefFamily(source)) + std::string(isaSuffixes[unsigned(key.isa)]);
}

/// "_ZGVeN16v_expf", "_ZGVdN4vv_pow", "_ZGVbN4v_expf".
std::string mvecName(const RoutineKey &key) {
  constexpr std::string_view isaLetters = "bde";
  return std::string("_ZGV") + isaLetters[unsigned(key.isa)] + "N" + std::to_string(key.lanes()) +
         std::string(key.row->operands, 'v') + "_" + std::string(key.row->name) + (key.bits == 32 ? "f" : "");
}

std::string_view typeName(Element element, unsigned bits) {
  switch (element) {
  case Element::Float:
    return bits == 32 ? "f32" : "f64";
  case Element::Signed:
    return bits == 32 ? "i32" : "i64";
  case Element::Unsigned:
    return bits == 32 ? "u32" : "u64";
  }
}

std::string symbolOf(std::string_view name, std::string_view type, VectorIsa isa, bool fast) {
  return std::string(prefix) + std::string(name) + "_" + std::string(type) + "_" +
         std::string(isaNames[unsigned(isa)]) + std::string(fast ? fastSuffix : "");
}

/// Operations whose result is exact; the routines are our own.
std::string_view exactName(const VectorRequest &request) {
  bool isUnsigned = request.element == Element::Unsigned;
  switch (request.operation) {
  case Operation::FloorDiv:
    return isUnsigned ? "quotient" : "floordiv";
  case Operation::Mod:
    return isUnsigned ? "remainder" : "mod";
  case Operation::Fmod:
    return request.element == Element::Float ? "fmod" : "";
  case Operation::Pow:
    return request.element == Element::Float ? "" : "pow";
  default:
    return "";
  }
}

VectorRoutine exactRoutine(const VectorRequest &request, std::string_view name) {
  unsigned lanes = vectorBytes(request.isa) * 8 / request.bits;
  return {symbolOf(name, typeName(request.element, request.bits), request.isa, false), lanes, 2, 0};
}

void *addressOf(const RoutineKey &key, RoutineSource source) {
  switch (source) {
  case RoutineSource::Mvec:
    if (void *address = mvecSymbol(mvecName(key)))
      return address;
    return addressOf(key, key.choice().fallback);
  case RoutineSource::Own:
    return ownAddress(symbolOf(key.row->name, typeName(Element::Float, key.bits), key.isa, false));
  default:
    return sleefSymbol(sleefName(key, source));
  }
}

/// Removes "_`word`" from the end of `text`, if it is there.
bool takeSuffix(std::string_view &text, std::string_view word) {
  if (!text.ends_with(word) || text.size() <= word.size() || text[text.size() - word.size() - 1] != '_')
    return false;
  text.remove_suffix(word.size() + 1);
  return true;
}

std::optional<RoutineKey> parseSymbol(std::string_view symbol) {
  if (!symbol.starts_with(prefix))
    return std::nullopt;
  symbol.remove_prefix(prefix.size());
  RoutineKey key{};
  key.fast = takeSuffix(symbol, fastSuffix.substr(1));
  const auto *isa = std::ranges::find_if(isaNames, [&](std::string_view name) { return takeSuffix(symbol, name); });
  if (isa == std::end(isaNames))
    return std::nullopt;
  key.isa = static_cast<VectorIsa>(isa - isaNames);
  key.bits = takeSuffix(symbol, "f32") ? 32 : takeSuffix(symbol, "f64") ? 64 : 0;
  key.row = findMathRoutine(symbol);
  return key.bits && key.row ? std::optional(key) : std::nullopt;
}

} // namespace

std::optional<VectorRoutine> vectorRoutine(const VectorRequest &request) {
  if (std::string_view name = exactName(request); !name.empty())
    return exactRoutine(request, name);
  // pow() and ** of floats are one function.
  Operation operation = request.operation == Operation::Pow ? Operation::PowFloat : request.operation;
  const MathRoutineRow *row = findMathRoutine(operation);
  if (!row || request.element != Element::Float)
    return std::nullopt;
  RoutineKey key{row, request.bits, request.isa, request.fastMath};
  bool differs = key.choice().fast.on(request.isa) != key.choice().normal.on(request.isa);
  std::string symbol =
      symbolOf(row->name, typeName(request.element, request.bits), request.isa, request.fastMath && differs);
  return VectorRoutine{std::move(symbol), key.lanes(), row->operands, key.choice().ulp};
}

VectorRoutine vectorDivision(const VectorRequest &request, bool isRemainder) {
  return exactRoutine(request, isRemainder ? "remainder" : "quotient");
}

void *vectorRoutineAddress(std::string_view symbol) {
  // The table decides about the functions in it, even if we have a routine of that name, too.
  std::optional<RoutineKey> key = parseSymbol(symbol);
  return key ? addressOf(*key, key->source()) : ownAddress(symbol);
}

} // namespace treadle::codegen

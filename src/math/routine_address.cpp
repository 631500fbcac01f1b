// Binds the symbols of vector routines to libmvec, libsleef and our own.
#include "math/routine_address.h"

#include "math/own_routines.h"
#include "math/routine_symbols.h"
#include "support/error.h"

#include <algorithm>
#include <dlfcn.h>
#include <iterator>
#include <string>

namespace treadle::math {

namespace {

void *ownAddress(std::string_view symbol) {
  const auto *row = std::ranges::find(ownRoutines, symbol, &OwnRoutine::symbol);
  return row == std::end(ownRoutines) ? nullptr : reinterpret_cast<void *>(row->address);
}

/// Libraries are never closed: code that calls them may live as long as the process.
void *openLibrary(const char *name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }

/// Tries the copy in this library's folder first: wheels bundle it.
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
  throw Error(
      "libsleef.so.3, which has the CPU device's vector math, is missing: install the package libsleef3, or copy "
      "the file from treadle's folder to that of libtreadle.so.0");
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

void *addressOf(const RoutineKey &key, RoutineSource source) {
  switch (source) {
  case RoutineSource::Mvec:
    if (void *address = mvecSymbol(mvecName(key)))
      return address;
    return addressOf(key, key.choice().fallback);
  case RoutineSource::Own:
    return ownAddress(routineSymbol(key.row->name, {RoutineType::Element::Float, key.bits}, key.isa));
  default:
    return sleefSymbol(sleefName(key, source));
  }
}

} // namespace

bool isRoutine(std::string_view symbol) { return parseSymbol(symbol) || ownAddress(symbol); }

void *routineAddress(std::string_view symbol) {
  // The table decides about the functions in it, even where we have our own routine of that name.
  const std::optional<RoutineKey> key = parseSymbol(symbol);
  return key ? addressOf(*key, key->source()) : ownAddress(symbol);
}

} // namespace treadle::math

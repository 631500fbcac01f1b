// Functions by name and version, for cuGetProcAddress.
#include <cstdint>
#include <cstring>

// Only their addresses matter here, not their types.
#define X(name, since, function) extern "C" unsigned function();
#include "names.inc"
#undef X

namespace {

struct Named {
  const char *name;
  int since;
  void *function;
};

const Named functions[] = {
#define X(name, since, function) {#name, since, reinterpret_cast<void *>(function)},
#include "names.inc"
#undef X
};

constexpr unsigned success = 0, notFound = 500;
constexpr int symbolNotFound = 1;

} // namespace

extern "C" {

unsigned cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status);
unsigned cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags);

unsigned cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t, int *status) {
  // The entries of a name are in the order of their versions; the first one serves older callers, too.
  *function = nullptr;
  for (const Named &known : functions)
    if (std::strcmp(known.name, symbol) == 0 && (known.since <= version || !*function))
      *function = known.function;
  if (std::strcmp(symbol, "cuGetProcAddress") == 0)
    *function =
        version < 12000 ? reinterpret_cast<void *>(cuGetProcAddress) : reinterpret_cast<void *>(cuGetProcAddress_v2);
  if (status)
    *status = *function ? 0 : symbolNotFound;
  return *function || status ? success : notFound;
}

unsigned cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

} // extern "C"

// The stand-in's books: calls, broken rules, faults to inject.
#pragma once

#include "fake_driver.h"
#include "rules.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fakecuda {

struct Argument {
  const char *name;
  uint64_t value;

  template <class T> Argument(const char *name, T *value) : name(name), value(reinterpret_cast<uint64_t>(value)) {}
  template <class T>
    requires std::is_integral_v<T> || std::is_enum_v<T>
  Argument(const char *name, T value) : name(name), value(static_cast<uint64_t>(value)) {}
};

struct CallEntry {
  const char *name;
  std::string arguments;
  CUresult result = CUDA_SUCCESS;
  uint64_t thread = 0;
  bool perThread = false;
};

struct ViolationEntry {
  Rule rule;
  std::string text;
  std::string call;
};

/// Not locked: the driver's lock is held around every use.
class Ledger {
public:
  void configure(bool abortOnViolation);
  /// Returns the call's index.
  size_t begin(CallEntry entry);
  void violate(Rule rule, std::string text, std::string call);
  bool isOn(Rule rule) const { return !off[static_cast<size_t>(rule)]; }
  void set(Rule rule, bool on) { off[static_cast<size_t>(rule)] = !on; }

  void inject(const FakeCudaFault &fault);
  /// The fault that this call of the function has to suffer, if any.
  std::optional<FakeCudaFault> takeFault(const char *name);
  void clearFaults() { faults.clear(); }

  std::deque<CallEntry> calls; ///< its strings keep their addresses
  std::map<std::string, size_t, std::less<>> counts;
  std::deque<ViolationEntry> violations;
  size_t faultsHappened = 0;
  size_t failedFrees = 0;

private:
  struct Fault {
    std::string function;
    FakeCudaFault what;
  };

  bool aborts = true;
  bool off[static_cast<size_t>(Rule::Count)] = {};
  std::vector<Fault> faults;
};

/// "name=value ..." with large values in hexadecimal.
std::string describe(std::initializer_list<Argument> arguments);
std::string hex(uint64_t value);
/// Null where the number is unknown.
const char *resultName(CUresult result);
const char *resultText(CUresult result);
/// What the function may plausibly fail with.
std::vector<CUresult> plausibleErrors(std::string_view function);

} // namespace fakecuda

// The stand-in's records: calls, violations, faults to inject.
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

/// Not locked: the driver's lock must be held around every use.
class Ledger {
public:
  void configure(bool abortOnViolation);
  /// Returns the call's index.
  size_t begin(CallEntry entry);
  void violate(Rule rule, std::string text, std::string call);
  bool isOn(Rule rule) const { return !off[static_cast<size_t>(rule)]; }
  void set(Rule rule, bool on) { off[static_cast<size_t>(rule)] = !on; }

  void inject(const FakeCudaFault &fault);
  /// The fault to inject into this call of the function, if any.
  std::optional<FakeCudaFault> takeFault(const char *name);
  void clearFaults() { faults.clear(); }

  std::deque<CallEntry> calls; ///< a deque, so that the addresses of its strings are stable
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
/// Null if the number is unknown.
const char *resultName(CUresult result);
const char *resultText(CUresult result);
/// The errors with which the function may plausibly fail.
std::vector<CUresult> plausibleErrors(std::string_view function);

} // namespace fakecuda

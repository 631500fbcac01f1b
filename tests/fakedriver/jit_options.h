// The options of loading and linking: buffers for messages, the target.
#pragma once

#include "fake_driver.h"

#include <cstdint>
#include <string>

namespace fakecuda {

/// The value of an option, for the trace; 0 where it is not given.
uint64_t givenOption(unsigned count, const CUjit_option *options, void *const *values, CUjit_option wanted);

/// Refers to the caller's lists, which must outlive it.
class JitOptions {
public:
  JitOptions() = default;
  JitOptions(unsigned count, const CUjit_option *options, void **values);

  /// What is wrong with them; empty: nothing.
  const std::string &problem() const { return wrong; }
  int target() const { return chosenTarget; } ///< 89 for 8.9; 0: the device's
  bool isVerbose() const { return verbose; }
  void addInfo(const std::string &line) { info.add(line); }
  void addError(const std::string &line) { error.add(line); }
  /// Fills the buffers, as far as they reach, and tells how many bytes each has.
  void finish();

private:
  struct Log {
    char *buffer = nullptr;
    void **bytes = nullptr; ///< in the list of values: first the room, then what was used
    std::string text;

    void add(const std::string &line) { text += (text.empty() ? "" : "\n") + line; }
    void write();
  };

  void read(CUjit_option option, void **value);

  Log info, error;
  void **wallTime = nullptr;
  bool verbose = false;
  int chosenTarget = 0;
  std::string wrong;
};

} // namespace fakecuda

// DebuggerCode: registers code with debuggers through the JIT interface of gdb and lldb.
#pragma once

#include "border/linked_layout.h"

#include <memory>

namespace treadle::cpu {

/// Registered as long as this lives.
class DebuggerCode {
public:
  /// `memory`: the beginning of the image. Throws Error if the object file is invalid.
  DebuggerCode(const DebugObject &debug, const char *memory);
  ~DebuggerCode();
  DebuggerCode(const DebuggerCode &) = delete;
  DebuggerCode &operator=(const DebuggerCode &) = delete;

private:
  struct Entry;
  std::unique_ptr<Entry> entry;
};

} // namespace treadle::cpu

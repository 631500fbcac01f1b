// DebuggerCode: code made at run time that debuggers know of, by the interface that gdb and lldb have for it.
#pragma once

#include "border/linked_layout.h"

#include <memory>

namespace treadle::cpu {

/// The code is known as long as this lives.
class DebuggerCode {
public:
  /// `memory`: where the image begins. Throws Error if the object is none that an image can have.
  DebuggerCode(const DebugObject &debug, const char *memory);
  ~DebuggerCode();
  DebuggerCode(const DebuggerCode &) = delete;
  DebuggerCode &operator=(const DebuggerCode &) = delete;

private:
  struct Entry;
  std::unique_ptr<Entry> entry;
};

} // namespace treadle::cpu

// LLVM options that are process-wide.
#pragma once

namespace treadle::codegen {

/// Call once per option, before any compilation that it affects. The value is text, as on LLVM's command lines.
void setLlvmOption(const char *name, const char *value);

} // namespace treadle::codegen

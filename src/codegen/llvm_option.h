// Options of LLVM that it has for a whole process only.
#pragma once

namespace treadle::codegen {

/// Once for each option, before anything is compiled that it concerns. The value is text, as on LLVM's command lines.
void setLlvmOption(const char *name, const char *value);

} // namespace treadle::codegen

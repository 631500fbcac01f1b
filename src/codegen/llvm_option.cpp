// LLVM options by name.
#include "codegen/llvm_option.h"

#include "support/error.h"

#include "llvm/Support/CommandLine.h"

#include <string>

namespace treadle::codegen {

void setLlvmOption(const char *name, const char *value) {
  auto &options = llvm::cl::getRegisteredOptions();
  const auto found = options.find(name);
  if (found == options.end() || found->second->addOccurrence(0, name, value))
    throw InternalError("LLVM does not take the option " + std::string(name) + " with " + value);
}

} // namespace treadle::codegen

// Kernels without a native body: the machine that runs PTX, under the driver.
#pragma once

#include "launches.h"

namespace ptxmachine {
class Program;
}

namespace fakecuda {

/// Places the module's variables in memory of the context, writes their initial values, and decodes the text. On
/// failure `problem` says why.
CUresult loadProgram(Driver &driver, Module &module, std::string &problem);

/// Decodes the text without a place for its variables: what a linker would find.
CUresult tryProgram(const PtxModule &module, std::string &problem);

/// A launch as work that runs a slice at a time.
std::shared_ptr<Work> machineWork(const std::shared_ptr<Function> &function, std::vector<std::byte> parameters,
                                  const LaunchShape &shape);

} // namespace fakecuda

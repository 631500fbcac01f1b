// What modules are loaded from: PTX texts, and the made-up cubins that the linker writes.
#pragma once

#include "driver.h"
#include "jit_options.h"

namespace fakecuda {

/// A cubin: an ELF magic, the capability it was linked for, the texts in it, and a checksum over all.
std::vector<std::byte> makeCubin(int capability, const std::vector<std::string> &texts);

/// The texts of an image of unknown length. `problem` says why there are none.
CUresult readImage(const FakeCudaConfig &config, const void *image, std::vector<std::string> &texts,
                   std::string &problem);

/// The texts, linked, if the device may run them.
CUresult readTexts(const FakeCudaConfig &config, const std::vector<std::string> &texts, PtxModule &module,
                   std::string &problem);

/// What a verbose log says about the entries.
void describeEntries(const PtxModule &module, JitOptions &log);

/// Reads memory of this process without crashing on unmapped addresses.
bool readSafely(const void *from, void *to, size_t bytes);

} // namespace fakecuda

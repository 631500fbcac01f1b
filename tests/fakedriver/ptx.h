// What the stand-in reads from a module's PTX: its entries with their parameters, its variables, its target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptxmachine {
struct Module;
}

namespace fakecuda {

struct PtxParameter {
  size_t offset; ///< in the parameter block
  size_t bytes;
  size_t alignment;
};

struct PtxEntry {
  std::string name;
  std::vector<PtxParameter> parameters;
  size_t parameterBytes = 0;
  size_t sharedBytes = 0;           ///< static
  size_t localBytes = 0;            ///< of a thread
  unsigned registers = 0;           ///< of a thread: a guess, which always allows the largest block
  std::vector<unsigned> cluster;    ///< .reqnctapercluster
  std::vector<unsigned> maxThreads; ///< .maxntid
  std::vector<unsigned> threads;    ///< .reqntid
  std::string native;               ///< from the line `// fake: NAME 2 0 1+8`; empty: none
  bool isEmpty = true;              ///< it only returns
  std::vector<std::string> places;  ///< where NAME's arguments are: index of the parameter, and bytes into it
};

struct PtxVariable {
  std::string name;
  size_t bytes;
};

struct PtxModule {
  int version = 0; ///< 85 for 8.5
  int target = 0;  ///< 80 for sm_80
  std::vector<PtxEntry> entries;
  std::vector<PtxVariable> variables;
  std::shared_ptr<const ptxmachine::Module> parsed;
  bool fixesLimits = false; ///< some function of it calls vprintf or malloc

  const PtxEntry *entry(std::string_view name) const;
};

/// The module made of these texts. Nothing if one is not PTX, or if they cannot be linked; `problem` then says why.
std::optional<PtxModule> readPtx(const std::vector<std::string> &texts, std::string &problem);

} // namespace fakecuda

// TREADLE_DUMP writes the stages of each compilation as text files, and TREADLE_OVERRIDE takes one from such a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace treadle {

struct Facts;
struct Image;
struct ReplacedStage;
struct Signature;
struct Target;

/// The folder that TREADLE_DUMP names; empty if nothing is to be written.
std::string dumpFolder();

/// What is compiled: the first line of a file.
struct StageKey {
  std::string_view function;
  const Signature &signature;
  const Target &target;
  const Facts &facts;
};

/// Writes <folder>/<function>.<n>.<stage>.txt for every stage of the image, n counting this process's compilations.
/// A folder that cannot be written to is reported on stderr, and the compilation continues.
void dumpStages(const std::string &folder, const StageKey &key, const Image &image);

/// The text of the stage in the folder of TREADLE_OVERRIDE, "ptx" or "optimized" (for the CPU), whose first line is the
/// one that dumpStages would write. Throws UsageError (Value) if several files have it, or one cannot be read.
std::optional<ReplacedStage> overriddenStage(const StageKey &key);

} // namespace treadle

// Stages as files: each has a first line that says what was compiled, by which it is found again.
#include "runtime/stage_dump.h"

#include "border/generate_request.h"
#include "border/image.h"
#include "runtime/variant_names.h"
#include "support/error.h"
#include "support/settings.h"

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <sstream>

namespace treadle {

namespace {

/// Replaces characters that some file systems reject, as in "<lambda>" and the dots of qualified names.
std::string fileName(std::string_view function) {
  std::string name;
  for (const char c : function)
    name += (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ? c : '_';
  return name;
}

/// Differs for any two variants of a function.
std::string firstLine(const StageKey &key) {
  std::string line = "# " + std::string(key.function) + " " + Signature{key.signature.arguments, types::none()}.name() +
                     " for " + nameOf(key.target) + ": " + namesOf(key.facts);
  if (key.facts.rows != 0)
    line += fmt::format(" rows={}", key.facts.rows);
  return key.target.features.empty() ? line : line + " features=" + key.target.features;
}

} // namespace

std::string dumpFolder() { return settingText(Setting::Dump); }

void dumpStages(const std::string &folder, const StageKey &key, const Image &image) {
  static std::atomic<unsigned> compilations{0};
  const std::string stem = fmt::format("{}.{}.", fileName(key.function), compilations++);
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  for (const auto &[stage, text] : image.stages) {
    const std::filesystem::path path = std::filesystem::path(folder) / (stem + stage + ".txt");
    std::ofstream file(path);
    file << firstLine(key) << "\n" << text;
    if (!file.flush())
      std::fprintf(stderr, "treadle: TREADLE_DUMP: cannot write %s\n", path.c_str());
  }
}

std::optional<ReplacedStage> overriddenStage(const StageKey &key) {
  const std::string folder = settingText(Setting::Override);
  if (folder.empty())
    return std::nullopt;
  const auto refuse = [](const std::string &what) {
    throw UsageError(UsageError::Kind::Value, "TREADLE_OVERRIDE: " + what);
  };
  const std::string begin = fileName(key.function) + ".", head = firstLine(key);
  const std::string end = key.target.kind == Target::Kind::Ptx ? ".ptx.txt" : ".optimized.txt";
  std::optional<ReplacedStage> found;
  std::error_code failure;
  for (const auto &entry : std::filesystem::directory_iterator(folder, failure)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(begin) || !name.ends_with(end))
      continue;
    std::ifstream file(entry.path());
    std::string line;
    if (!std::getline(file, line))
      refuse("cannot read " + entry.path().string());
    if (line != head)
      continue;
    if (found)
      refuse(found->file + " and " + entry.path().string() + " are for the same code: remove one of them");
    std::ostringstream text;
    text << file.rdbuf();
    found = ReplacedStage{entry.path(), text.str()};
  }
  if (failure)
    refuse("cannot read the folder " + folder + ": " + failure.message());
  return found;
}

} // namespace treadle

// Writes stage texts into the folder of TREADLE_DUMP.
#include "launch/stage_dump.h"

#include "support/settings.h"

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace treadle {

namespace {

/// Replaces characters that not every file system accepts, as in "<lambda>" and the dots of qualified names.
std::string fileName(std::string_view function) {
  std::string name;
  for (const char c : function)
    name += (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ? c : '_';
  return name;
}

} // namespace

std::string dumpFolder() { return settingText(Setting::Dump); }

void dumpStages(const std::string &folder, std::string_view function, const Image &image) {
  static std::atomic<unsigned> compilations{0};
  const std::string stem = fileName(function) + "." + std::to_string(compilations++) + ".";
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  for (const auto &[stage, text] : image.stages) {
    const std::filesystem::path path = std::filesystem::path(folder) / (stem + stage + ".txt");
    std::ofstream file(path);
    file << "# " << function << " " << image.signature.name() << "\n" << text;
    if (!file.flush())
      std::fprintf(stderr, "treadle: TREADLE_DUMP: cannot write %s\n", path.c_str());
  }
}

} // namespace treadle

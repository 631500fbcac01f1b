// Compiles typed functions to PTX for tests, and assembles it with ptxas if available.
#pragma once

#include "border/compile_options.h"
#include "border/image.h"
#include "codegen/ptx/ptx_generator.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>

namespace treadle::test {

inline const Target sm90{Target::Kind::Ptx, 90, {}};

/// All facts that a launch can guarantee.
inline Facts allFacts() {
  Facts facts;
  facts.offsetsFitInt32 = facts.gridFitsInt32 = facts.noOverlap = facts.aligned16 = true;
  return facts;
}

/// The path of ptxas, or empty. In CI its absence is an error, which the Python tests report.
inline std::string findPtxas() {
  std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  path += ":/usr/local/cuda/bin";
  for (size_t start = 0; start <= path.size();) {
    size_t end = std::min(path.find(':', start), path.size());
    std::string candidate = path.substr(start, end - start) + "/ptxas";
    if (access(candidate.c_str(), X_OK) == 0)
      return candidate;
    start = end + 1;
  }
  return {};
}

/// The output of ptxas; empty if it reports nothing.
inline std::string assemble(const std::string &ptx, unsigned capability) {
  static const std::string ptxas = findPtxas();
  if (ptxas.empty())
    return {};
  std::string file = testing::TempDir() + "treadle_" + std::to_string(getpid()) + ".ptx";
  std::ofstream(file) << ptx;
  std::string command = ptxas + " -arch=sm_" + std::to_string(capability) + " " + file + " -o /dev/null 2>&1";
  std::string output;
  FILE *pipe = popen(command.c_str(), "r");
  std::array<char, 512> buffer{};
  while (fgets(buffer.data(), buffer.size(), pipe))
    output += buffer.data();
  int status = pclose(pipe);
  std::filesystem::remove(file);
  return status == 0 ? std::string() : output + ptx;
}

/// PTX that ptxas has assembled.
inline Image compilePtx(const std::shared_ptr<TypedFunction> &function, const Facts &facts = {},
                        const CompileOptions &options = {}, const Target &target = sm90) {
  codegen::ptx::PtxGenerator generator;
  Image image = generator.generate({*function, target, facts, options}, true);
  EXPECT_EQ(assemble(image.code, target.computeCapability), "");
  return image;
}

inline size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

} // namespace treadle::test

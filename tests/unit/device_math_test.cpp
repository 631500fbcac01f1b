// Device math: only what a module uses is linked, from libdevice and from our own bitcode.
#include "codegen/ptx/device_math.h"

#include "codegen/math_table.h"
#include "codegen/ptx/device_math_bitcode.h"
#include "support/error.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace {

using treadle::codegen::ptx::DeviceMath;

constexpr const char *header = R"(
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
)";

std::unique_ptr<llvm::Module> parse(llvm::LLVMContext &context, const std::string &body) {
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(header + body, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  return module;
}

std::string callOf(const std::string &symbol) {
  return "declare float @" + symbol + "(float)\ndefine float @user(float %x) {\n  %y = call float @" + symbol +
         "(float %x)\n  ret float %y\n}\n";
}

/// The parameter: whether TREADLE_LIBDEVICE names our own bitcode, so that it is used even with a toolkit installed.
class DeviceMathTest : public testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    if (!GetParam())
      return;
    std::string path = testing::TempDir() + "treadle_device_math_" + std::to_string(getpid()) + ".bc";
    std::string_view own = treadle::codegen::ptx::builtInDeviceMath();
    std::ofstream(path, std::ios::binary).write(own.data(), std::streamsize(own.size()));
    setenv("TREADLE_LIBDEVICE", path.c_str(), 1);
  }
  void TearDown() override {
    if (const char *path = getenv("TREADLE_LIBDEVICE"))
      std::remove(path);
    unsetenv("TREADLE_LIBDEVICE");
  }
};

TEST_P(DeviceMathTest, LinksWhatIsUsedAsInternalFunctions) {
  llvm::LLVMContext context;
  auto module = parse(context, callOf("__nv_expf"));
  DeviceMath().link(*module, false);
  ASSERT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  llvm::Function *linked = module->getFunction("__nv_expf");
  ASSERT_TRUE(linked);
  EXPECT_FALSE(linked->isDeclaration());
  EXPECT_TRUE(linked->hasInternalLinkage());
  EXPECT_FALSE(linked->hasFnAttribute("target-features"));
  EXPECT_TRUE(module->getFunction("user")->hasExternalLinkage());
  EXPECT_FALSE(module->getFunction("__nv_sinf"));
}

TEST_P(DeviceMathTest, LeavesModulesAloneThatUseNone) {
  llvm::LLVMContext context;
  auto module = parse(context, "declare float @__nv_expf(float)\ndefine float @user(float %x) { ret float %x }\n");
  DeviceMath().link(*module, false);
  EXPECT_TRUE(module->getFunction("__nv_expf")->isDeclaration());
  EXPECT_EQ(module->getModuleFlag("nvvm-reflect-ftz"), nullptr);
}

TEST_P(DeviceMathTest, RefusesUnknownFunctions) {
  llvm::LLVMContext context;
  auto module = parse(context, callOf("__nv_nonsensef"));
  EXPECT_THROW(DeviceMath().link(*module, false), treadle::InternalError);
}

TEST_P(DeviceMathTest, HasEveryFunctionOfTheTable) {
  DeviceMath math;
  for (const treadle::codegen::MathFunction &function : treadle::codegen::mathFunctions())
    for (unsigned bits : {32u, 64u})
      for (bool fast : {false, true}) {
        // These are PTX instructions.
        if (function.bound32 == 0 && function.name != "fmod")
          continue;
        llvm::LLVMContext context;
        std::string type = bits == 32 ? "float" : "double";
        const bool isBinary = function.operands == 2;
        std::string symbol = treadle::codegen::libdeviceSymbol(function, bits, fast);
        auto module = parse(context, llvm::formatv(isBinary ? "declare {0} @{1}({0}, {0})\n"
                                                              "define {0} @user({0} %x) {{\n"
                                                              "  %y = call {0} @{1}({0} %x, {0} %x)\n  ret {0} %y\n}\n"
                                                            : "declare {0} @{1}({0})\n"
                                                              "define {0} @user({0} %x) {{\n"
                                                              "  %y = call {0} @{1}({0} %x)\n  ret {0} %y\n}\n",
                                                   type, symbol)
                                         .str());
        math.link(*module, fast);
        EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs())) << symbol;
      }
}

TEST_P(DeviceMathTest, LinksFromManyThreadsAtOnce) {
  DeviceMath math;
  std::vector<std::thread> threads;
  std::atomic<int> defined = 0;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int round = 0; round < 8; ++round) {
        llvm::LLVMContext context;
        auto module = parse(context, callOf("__nv_sinf"));
        math.link(*module, false);
        defined += !module->getFunction("__nv_sinf")->isDeclaration();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(defined, 32);
}

INSTANTIATE_TEST_SUITE_P(Sources, DeviceMathTest, testing::Bool(),
                         [](const auto &info) { return info.param ? "Own" : "Found"; });

TEST(DeviceMath, SaysWhichFileCannotBeRead) {
  setenv("TREADLE_LIBDEVICE", "/nowhere/libdevice.10.bc", 1);
  EXPECT_THROW(DeviceMath(), treadle::Error);
  unsetenv("TREADLE_LIBDEVICE");
}

} // namespace
